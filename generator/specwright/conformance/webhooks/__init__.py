"""Webhooks under test: what a provider sends, and what a consumer takes."""
