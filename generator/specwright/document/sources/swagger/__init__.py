"""Swagger 2.0 as OpenAPI 3.0."""
