"""Mutations of published documents, with known effects on clients."""
