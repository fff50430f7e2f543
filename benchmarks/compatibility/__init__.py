"""Documents that others wrote: which become a package, and how much of each does."""
