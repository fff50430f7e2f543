"""Exchanges with an implementation, the record of a run, and HAR files."""
