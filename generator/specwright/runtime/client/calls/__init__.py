"""Calls of operations: requests from arguments, retries, pages, streams and polling."""
