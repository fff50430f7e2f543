"""The loop of all commands over one document: what one says, no other contradicts."""
