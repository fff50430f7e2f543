"""Documents that break the specification, read as far as they can be."""
