"""The fuzzing source: schemathesis as a process of its own, and a judge of what it reports."""
