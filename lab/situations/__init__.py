"""The same situations for this SDK and its peers: the behaviour of each, measured on loopback."""
