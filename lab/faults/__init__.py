"""Faults put into the reference service, and which of them `specwright test` finds."""
