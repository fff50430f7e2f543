"""Programs against real servers: this SDK, openapi-python-client, and the product's own SDK."""
