"""Third-party documents: how many become a package, and how much of each is covered."""
