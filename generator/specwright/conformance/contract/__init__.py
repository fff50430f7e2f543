"""The contract as tests ask for it: operations, calls, links, samples, and values to hide."""
