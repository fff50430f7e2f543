"""Measurements of the toolkit and of what it generates, each beside its peers in the same run."""
