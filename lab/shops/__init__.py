"""Two shops, in FastAPI and in Django, whose bugs `specwright test` has to find."""
