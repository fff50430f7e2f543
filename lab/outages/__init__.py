"""Outages of databases, networks and disks, and their effects on the service's clients."""
