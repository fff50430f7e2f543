"""The review of a pull request: everything that a change of the document comes to."""
