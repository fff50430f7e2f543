"""Pydantic models from the document's schemas, by datamodel-code-generator."""

from specwright.models.generate import ModelSource, generate

__all__ = ["ModelSource", "generate"]
