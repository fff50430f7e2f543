"""The same situations for this SDK and its peers: what each did, measured on loopback."""
