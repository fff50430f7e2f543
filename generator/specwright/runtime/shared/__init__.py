"""Code shared by client, server and webhooks: operations as data, models and JSON."""
