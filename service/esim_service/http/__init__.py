"""HTTP around the API: ports, pages, and requests that never reach it."""
