"""The run of datamodel-code-generator; no other module imports it."""

from __future__ import annotations

import json
import re
import tempfile
import warnings
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from specwright.document.model import Document
from specwright.document.normalise import COMPONENTS
from specwright.document.operations.naming import free
from specwright.errors import SpecwrightError
from specwright.ir.index import IndexedModel, ModelIndex
from specwright.models.dialect import Dialect, translate
from specwright.models.refine import refine
from specwright.names import pascal
from specwright.pointer import Pointer

# The reasons are in docs/decisions/0001 and docs/design/models.md.
OPTIONS: dict[str, Any] = {
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


@dataclass(frozen=True, slots=True)
class ModelSource:
    """The source of the `models` module, and the names in it."""

    source: str
    index: ModelIndex


def generate(document: Document) -> ModelSource:
    """Generate the models of a normalised document.

    Raises:
        SpecwrightError: the generator refuses the schemas, or drops one of their constraints.
    """
    dialect = translate(document)
    if not dialect.schemas:
        return ModelSource('"""Models: the document has no schemas."""\n', ModelIndex({}))
    try:
        source, metadata = _run(document, dialect)
        new_names = names_by_place(metadata, dialect)
        for entry in metadata:
            entry["class_name"] = new_names.get(entry["class_name"], entry["class_name"])
        refined = refine(source, metadata, dialect, new_names)
    except RecursionError:
        raise SpecwrightError(
            f"{document.path}: the schemas are nested too deeply for models, or one has too many "
            "alternatives"
        ) from None
    return ModelSource(refined.source, _index(metadata, dialect, refined.classes))


def _run(document: Document, dialect: Dialect) -> tuple[str, list[dict[str, Any]]]:
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
                    **OPTIONS,
                )
        except RecursionError:
            raise
        except Exception as error:
            # The library's exceptions have no common base class with a meaning for users.
            raise SpecwrightError(
                f"{document.path}: models cannot be generated from these schemas: {error}"
            ) from error
        for warning in caught:
            if "constraint" in str(warning.message).lower():
                raise SpecwrightError(f"{document.path}: {warning.message}")
        if not isinstance(source, str):
            raise SpecwrightError(f"{document.path}: the models do not fit into one module")
        return _BLANK_END.sub("", source), json.loads(metadata.read_bytes())["models"]


def _class_name(dialect: Dialect, name: str) -> str:
    """Return a given name as it is, and any other one in Pascal case."""
    return name if name in dialect.schemas else pascal(name)


def _index(metadata: list[dict[str, Any]], dialect: Dialect, classes: frozenset[str]) -> ModelIndex:
    models: dict[Pointer, IndexedModel] = {}
    for entry in metadata:
        model = IndexedModel(
            entry["class_name"],
            entry["class_name"] in classes,
            {f["original_name"] or f["name"]: f["name"] for f in entry["fields"] if f["name"]},
        )
        within = str(entry["source_ref"]).partition("#" + COMPONENTS + "/")[2]
        key, slash, inner = within.partition("/")
        if key in dialect.origins:
            models[dialect.origins[key] + slash + inner] = model
    return ModelIndex(models)


def names_by_place(metadata: list[dict[str, Any]], dialect: Dialect) -> dict[str, str]:
    """Return the new names of classes by the generator's."""
    taken = {entry["class_name"] for entry in metadata}
    found: dict[str, str] = {}
    for entry in metadata:
        key, _, inner = str(entry["source_ref"]).partition("#" + COMPONENTS + "/")[2].partition("/")
        place = dialect.words.get(f"{dialect.origins.get(key)}/{inner}")
        if place is not None:
            found[entry["class_name"]] = name = free(place, taken)
            taken.add(name)
    return found
