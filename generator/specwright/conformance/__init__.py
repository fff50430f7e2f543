"""Contract tests of a running implementation against its document."""
