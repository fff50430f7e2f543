"""Credentials: those that the caller passes, and tokens obtained for a grant."""
