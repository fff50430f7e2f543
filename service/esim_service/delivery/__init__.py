"""Webhook deliveries: from a due row of the outbox to one signed HTTPS request."""
