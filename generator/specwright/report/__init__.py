"""Reports in words and in formats for other programs."""
