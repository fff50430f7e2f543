"""Pages that a browser shows while they are written, and loads again after each change."""
