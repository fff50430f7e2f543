"""Tables that say which files make up an output, and from which templates they come."""
