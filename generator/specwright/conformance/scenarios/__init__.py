"""Scenarios of a test: one module for each kind of rule that a document declares."""
