"""From a file to a document that the rest of the toolkit can trust."""
