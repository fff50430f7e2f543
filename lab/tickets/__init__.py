"""A ticket system in Flask, whose bugs `specwright test` has to find, and their judge."""
