"""Property tests measure behaviour; how fast the machine is does not count."""

from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
