"""Third-party servers, tested by `specwright test` and by schemathesis in one run."""
