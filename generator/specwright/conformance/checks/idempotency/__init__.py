"""Checks of repeated requests with a key."""
