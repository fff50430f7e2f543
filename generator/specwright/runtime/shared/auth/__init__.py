"""Kinds of security schemes, one module each: their credentials, sent and received."""
