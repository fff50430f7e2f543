"""The reference implementation of the partner eSIM API."""
