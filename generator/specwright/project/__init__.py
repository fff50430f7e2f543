"""The files of a new project, from its document."""
