"""The files of a project that begins with a document."""
