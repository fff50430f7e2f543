"""Checks of resources from their creation to their deletion."""
