"""Servers that others wrote, tested by `specwright test` and by schemathesis in one run."""
