"""Mutants of the code of this repository, and whether a test detects them."""
