"""The concepts of an HTTP API as frozen dataclasses: the only input of templates."""
