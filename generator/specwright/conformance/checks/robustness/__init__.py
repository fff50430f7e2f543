"""Checks of requests beyond the document, and of hostile values."""
