"""Exchanges with an implementation: what they are, the record of a run, and HAR files."""
