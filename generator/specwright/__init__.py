"""Specwright turns one OpenAPI document into a client, a server stub and webhooks."""
