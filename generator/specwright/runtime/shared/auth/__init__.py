"""Kinds of security schemes, one module each: what is given, how it is sent, how it is read."""
