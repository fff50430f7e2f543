"""Processes of the service that are killed, and floods of duplicate requests."""
