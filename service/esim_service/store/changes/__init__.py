"""Changes of a partner under its account, by themselves or in a batch, and the port to do so."""
