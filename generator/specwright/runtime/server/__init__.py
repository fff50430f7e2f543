"""The server runtime: parsing of requests, calls of handlers, responses and errors."""
