"""The client runtime: requests, retries, responses and pagination."""
