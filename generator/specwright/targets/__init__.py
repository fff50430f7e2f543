"""Tables of the files that make up an output, and of their templates."""
