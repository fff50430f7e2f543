"""The review of a pull request: all effects of a change of the document."""
