"""What the service is about: its nouns, and the rules that hold between them."""
