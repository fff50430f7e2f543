"""The review of changes: two documents of one API, and whom the difference breaks."""
