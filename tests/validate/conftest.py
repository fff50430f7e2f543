"""Checks run in copies of this process: what it has loaded, none of them loads again."""

import openapi_spec_validator.validation.validators  # noqa: F401
