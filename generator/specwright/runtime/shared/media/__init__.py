"""The ways in which the body of a request or an answer travels, one module each."""
