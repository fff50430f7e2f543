"""A mock server made from a document: it responds as declared, and keeps no state."""
