"""The intermediate representation: what templates may know about an API."""
