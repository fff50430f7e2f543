"""The reason for which nothing is released."""


class ReleaseError(Exception):
    """Nothing was released: the message says why, and what to do."""
