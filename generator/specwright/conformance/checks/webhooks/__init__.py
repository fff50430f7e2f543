"""Tests of webhooks: of the provider that sends them, and of a consumer."""
