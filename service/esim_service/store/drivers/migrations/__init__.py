"""The steps that lead from an empty database to this version of the service."""
