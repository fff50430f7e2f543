"""Implementations of the generated Protocols, one per group of operations."""
