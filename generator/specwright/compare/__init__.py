"""The comparison of two documents of one API: the changes, and the sides that they break."""
