"""The files of an output: what they should be, what they are, and how one becomes the other."""
