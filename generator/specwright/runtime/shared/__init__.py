"""What client, server and webhooks have in common: plans of operations, models and JSON."""
