"""A receiver of webhooks on the machine of a developer."""
