"""Nouns of an HTTP API as frozen dataclasses: the only thing that templates see."""
