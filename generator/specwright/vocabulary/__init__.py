"""The keys for what OpenAPI cannot say: where they stand, and what their values mean."""
