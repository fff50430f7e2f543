"""Statements and units of work, and the merging of statements with the same SQL."""
