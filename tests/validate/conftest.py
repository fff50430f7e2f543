"""Checks run in forks of this process, so that modules are loaded only once."""

import openapi_spec_validator.validation.validators  # noqa: F401
