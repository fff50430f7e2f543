"""The migrations from an empty database to the schema of this version."""
