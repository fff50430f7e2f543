"""Processes of the service, from their settings to their end."""
