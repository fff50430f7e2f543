"""Background work: claimed in the database, done once, given back when a process ends."""
