"""The generated Protocols, one implementation per group of operations."""
