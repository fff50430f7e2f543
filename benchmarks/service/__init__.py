"""Measurements of the reference service as a process, beside what a team would write by hand."""
