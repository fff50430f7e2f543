"""The contract as tests use it: operations, calls, links, samples, and values to hide."""
