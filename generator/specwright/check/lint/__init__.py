"""Lint: rules beyond what a document must have to be valid."""
