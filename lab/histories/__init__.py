"""Reviews of the version histories of third-party documents."""
