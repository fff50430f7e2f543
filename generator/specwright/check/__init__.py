"""Checks of a document."""
