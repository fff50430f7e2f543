"""Restarts of processes, as clients meet them that never repeat a request."""
