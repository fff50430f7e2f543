"""Correct implementations of contracts, tested with many seeds: none may be blamed."""
