"""Rules that any exchange can break, and recorded traffic that is held to them."""
