"""Schemas: their parts, and the values that they accept."""
