"""Reports as text, and in formats for other programs."""
