"""Contract tests: what a running implementation does, held against the document."""
