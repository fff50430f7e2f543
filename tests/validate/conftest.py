"""Property tests measure behaviour; how fast the machine is does not count."""

# Checks run in copies of this process: what it has loaded, none of them loads again.
import openapi_spec_validator.validation.validators  # noqa: F401
from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
