"""What validators of OpenAPI find in broken documents, and in published ones."""
