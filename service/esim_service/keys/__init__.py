"""API keys: their format and their principals."""
