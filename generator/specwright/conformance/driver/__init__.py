"""The client of the tests: it signs requests, sends them and remembers values for later ones."""
