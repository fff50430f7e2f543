"""Measurements of the reference service as a process, next to a typical hand-written one."""
