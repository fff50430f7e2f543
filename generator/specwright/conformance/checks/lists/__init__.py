"""Checks of lists: their pages, order, filters and items."""
