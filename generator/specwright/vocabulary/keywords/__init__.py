"""The keys, one module each: their meanings, and the references of their members."""
