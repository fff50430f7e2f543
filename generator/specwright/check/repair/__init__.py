"""Repair of documents that break the specification, so that the rest can be read."""
