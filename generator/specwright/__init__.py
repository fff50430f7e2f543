"""Specwright turns one OpenAPI document into a client, a server stub and webhooks."""

__version__ = "0.1.0"
