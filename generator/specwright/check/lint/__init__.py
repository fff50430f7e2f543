"""Lint rules: the validity of a document, and more."""
