"""The keys, one module each: what it says, and what its members refer to."""
