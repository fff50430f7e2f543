"""The rules that an implementation is held to, and those that any exchange can break."""
