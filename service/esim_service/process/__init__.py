"""Processes of the service, from settings to shutdown."""
