"""The keys for facts that OpenAPI cannot express: their places, and the meaning of their values."""
