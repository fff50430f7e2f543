"""Background work: claimed in the database, done once, released when a process ends."""
