"""Checks of credentials, permissions and the isolation of accounts."""
