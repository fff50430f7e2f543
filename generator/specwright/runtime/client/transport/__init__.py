"""The HTTP transport: connections, proxies, time limits, and one attempt at a request."""
