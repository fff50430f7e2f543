"""Checks of single responses, which any source of traffic triggers."""
