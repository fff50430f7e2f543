"""The reference of an API as HTML pages."""
