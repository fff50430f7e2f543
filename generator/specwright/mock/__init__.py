"""A server made from a document alone: it answers as the document declares, and keeps nothing."""
