"""Mutations of published documents, of which it is known whom they break."""
