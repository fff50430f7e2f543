"""The fuzzing source: schemathesis in separate processes, and a judge of its reports."""
