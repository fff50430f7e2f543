"""Arguments of several commands: the project, documents, targets and keys, and output formats."""
