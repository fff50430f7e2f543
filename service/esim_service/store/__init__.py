"""The storage of the service: portable SQL, and the drivers that run it."""
