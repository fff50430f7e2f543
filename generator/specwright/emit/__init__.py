"""The files of an output: their wanted state, their present state, and the change between."""
