"""Parts of HTTP messages: base URLs, queries, headers, media types and error bodies."""
