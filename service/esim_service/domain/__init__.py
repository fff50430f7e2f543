"""The domain of the service: its entities, and the rules between them."""
