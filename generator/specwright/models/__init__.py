"""Pydantic models from the document's schemas, by datamodel-code-generator."""

from specwright.models.generate import ModelSource, generate
from specwright.models.index import Model, ModelIndex

__all__ = ["Model", "ModelIndex", "ModelSource", "generate"]
