"""Requests and responses of generated packages, checked with independent parsers."""
