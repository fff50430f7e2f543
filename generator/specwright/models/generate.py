"""The run of datamodel-code-generator; no other module imports it."""

from __future__ import annotations

import json
import re
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from specwright.document.model import Document
from specwright.document.normalise import COMPONENTS
from specwright.document.operations.naming import free
from specwright.errors import SpecwrightError
from specwright.ir.index import IndexedModel, ModelIndex
from specwright.models.brackets import without_brackets
from specwright.models.dialect import Dialect, translate
from specwright.models.refine import GeneratedField, GeneratedType, refine
from specwright.names import pascal
from specwright.pointer import Pointer

# The reasons are in docs/decisions/0001 and docs/design/models.md.
_OPTIONS: dict[str, Any] = {
    "input_file_type": "openapi",
    "openapi_scopes": ["schemas"],
    "output_model_type": "pydantic_v2.BaseModel",
    "preset": "standard-py311-20261027",
    "target_python_version": "3.11",
    "target_pydantic_version": "2.14",
    "custom_file_header": '"""Models: the schemas of the document."""',
    "base_class": "runtime.Model",
    # Names that generated code takes from the runtime instead of Pydantic or the library.
    "import_overrides": dict.fromkeys(
        ("AwareDatetime", "Model", "date", "time"), "._runtime.shared.types"
    ),
    "use_schema_description": True,
    "use_field_description": True,
    "use_single_line_docstring": True,
    "use_type_alias": True,
    "strict_nullable": True,
    "collapse_root_models": False,
    "allow_population_by_field_name": False,
    "enum_field_as_literal": "all",
    "naming_strategy": "parent-prefixed",
    "strict_types": ["str", "int", "float", "bool"],
    "treat_dot_as_module": False,
    "strict_refs": True,
    "allow_remote_refs": False,
    # All files are formatted together.
    "formatters": [],
    "disable_timestamp": True,
}

# Matches only lines of docstrings: no other text continues after its line.
_BLANK_END = re.compile(r"[ \t]+$", re.MULTILINE)


class ModelsError(SpecwrightError):
    """No models can be generated of the schemas of a document."""

    def __init__(self, document: Path | str, reason: str) -> None:
        super().__init__(f"{document}: {reason}")
        self.reason = reason


@dataclass(frozen=True, slots=True)
class ModelSource:
    """The source of the `models` module, and the names in it."""

    source: str
    index: ModelIndex


def generate(document: Document) -> ModelSource:
    """Generate the models of a normalised document.

    Raises:
        ModelsError: the generator refuses the schemas, or drops one of their constraints.
    """
    dialect = translate(document)
    if not dialect.schemas:
        return ModelSource('"""Models: the document has no schemas."""\n', ModelIndex({}))
    try:
        source, metadata = _run(document, dialect)
        new_names = _names_by_place(metadata, dialect)
        metadata = [
            replace(entry, name=new_names.get(entry.name, entry.name)) for entry in metadata
        ]
        refined = refine(source, metadata, dialect, new_names)
    except RecursionError:
        raise ModelsError(
            document.path,
            "the schemas are nested too deeply for models, or one has too many alternatives",
        ) from None
    return ModelSource(refined.source, _index(metadata, dialect, refined.classes))


def _run(document: Document, dialect: Dialect) -> tuple[str, list[GeneratedType]]:
    # Imported here: it takes 0.4 s, which a run without changes does not need.
    from datamodel_code_generator import generate

    specification = {
        "openapi": "3.1.0",
        "info": {"title": "models", "version": "1"},
        "paths": {},
        "components": {"schemas": dialect.schemas},
    }
    with tempfile.TemporaryDirectory(prefix="specwright-") as directory:
        metadata = Path(directory, "models.json")
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                source = generate(
                    specification,
                    # A directory without configuration: none of the user's settings are read.
                    settings_path=Path(directory),
                    emit_model_metadata=metadata,
                    custom_class_name_generator=partial(_class_name, dialect),
                    aliases=without_brackets(document),
                    **_OPTIONS,
                )
        except RecursionError:
            raise
        except Exception as error:
            # The library's exceptions have no common base class with a meaning for users.
            reason = f"models cannot be generated from these schemas: {error}"
            raise ModelsError(document.path, reason) from error
        for warning in caught:
            message = str(warning.message)
            # A property that is false has a constraint of its base, and no value to check.
            if "constraint" in message.lower() and " on None;" not in message:
                raise ModelsError(document.path, str(warning.message))
        if not isinstance(source, str):
            raise ModelsError(document.path, "the models do not fit into one module")
        models = json.loads(metadata.read_bytes())["models"]
        return _BLANK_END.sub("", source), _own([*map(_generated, models)])


def _own(types: Sequence[GeneratedType]) -> list[GeneratedType]:
    """Return the types without those that the generator made for an `allOf` with a union.

    They combine a member of the union with the other parts, and have the place of the member.
    """
    named = {entry.source for entry in types if _key(entry) == entry.name}
    return [entry for entry in types if entry.source not in named or _key(entry) == entry.name]


def _key(entry: GeneratedType) -> str:
    return entry.source.removeprefix(COMPONENTS + "/")


def _generated(entry: dict[str, Any]) -> GeneratedType:
    """Read an entry of the generator's metadata."""
    fields = tuple(
        GeneratedField(field["name"], field["original_name"]) for field in entry["fields"]
    )
    return GeneratedType(entry["class_name"], entry["source_ref"].partition("#")[2], fields)


def _class_name(dialect: Dialect, name: str) -> str:
    """Return a given name as it is, and any other one in Pascal case."""
    return name if name in dialect.schemas else pascal(name)


def _index(
    metadata: Sequence[GeneratedType], dialect: Dialect, classes: frozenset[str]
) -> ModelIndex:
    models: dict[Pointer, IndexedModel] = {}
    for entry in metadata:
        model = IndexedModel(
            entry.name,
            entry.name in classes,
            {field.property or field.name: field.name for field in entry.fields if field.name},
        )
        key, slash, inner = entry.source.removeprefix(COMPONENTS + "/").partition("/")
        if key in dialect.origins:
            models[dialect.origins[key] + slash + inner] = model
    return ModelIndex(models)


def _names_by_place(metadata: Sequence[GeneratedType], dialect: Dialect) -> dict[str, str]:
    """Return the new names of classes by the generator's."""
    listed = {entry.name for entry in metadata}
    names: dict[str, str] = {}
    for entry in metadata:
        key, _, inner = entry.source.removeprefix(COMPONENTS + "/").partition("/")
        place = dialect.words.get(f"{dialect.origins.get(key)}/{inner}")
        if place is not None:
            names[entry.name] = name = free(place, listed)
            listed.add(name)
    return names
