"""Where the service keeps what it knows: portable SQL, and the drivers that run it."""
