"""API keys: their form, and who they stand for."""
