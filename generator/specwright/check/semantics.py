"""Rules that the official schema cannot express, applied by openapi-spec-validator.

Three of its checks are done elsewhere. It compiles and walks every schema in Python, which takes
seconds on large documents: Schema Objects and defaults are checked with jsonschema-rs. It knows
only operations of `paths`: uniqueness of operationIds is a lint rule that includes webhooks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from specwright.document.model import Document
from specwright.pointer import Pointer, join

# The rules that its findings are reported under.
PATH_PARAMETERS, PARAMETER_DUPLICATE = "path-parameters", "parameter-duplicate"


@dataclass(frozen=True, slots=True)
class Semantic:
    """A finding of openapi-spec-validator, under the name of our rule."""

    rule: str
    pointer: Pointer
    message: str


@dataclass(frozen=True, slots=True)
class SemanticOutcome:
    """The findings, and the error that stopped the validator, if any."""

    problems: tuple[Semantic, ...]
    stopped_by: str | None = None


def check_semantics(document: Document) -> SemanticOutcome:
    """Run the validator; an exception inside it becomes part of the outcome."""
    problems: list[Semantic] = []
    try:
        problems.extend(_run(document))
    except RecursionError:
        return SemanticOutcome(tuple(problems), "circular references are deeper than it can follow")
    except MemoryError:
        raise
    # The validator assumes a document of valid shape and fails in many ways without one.
    except Exception as error:
        return SemanticOutcome(tuple(problems), f"{type(error).__name__}: {error}"[:200])
    return SemanticOutcome(tuple(problems))


def _run(document: Document) -> Iterator[Semantic]:
    # Imported here: the import takes longer than the rest of a check.
    from openapi_spec_validator.validation import exceptions, keywords, validators

    rules: dict[type, str] = {
        exceptions.UnresolvableParameterError: PATH_PARAMETERS,
        exceptions.ParameterDuplicateError: PARAMETER_DUPLICATE,
    }

    class Silent(keywords.KeywordValidator):
        """A stand-in for the checks that are done elsewhere."""

        def __call__(self, *args: object, **kwargs: object) -> Iterator[Any]:
            return iter(())

    class LocatedOperation(keywords.OperationValidator):
        """A validator that adds the place, which the errors of its base lack."""

        def __call__(
            self, url: str, name: str, operation: Any, path_parameters: Any = None
        ) -> Iterator[Any]:
            for error in super().__call__(url, name, operation, path_parameters):
                error.path.extendleft((name, url, "paths"))
                yield error

    inherited = {
        "3.1": validators.OpenAPIV31SpecValidator,
        "3.2": validators.OpenAPIV32SpecValidator,
    }[document.version[:3]].keyword_validators
    silenced = ("schema", "schemas", "default", "content", "response", "responses")
    checks = {**inherited, **dict.fromkeys(silenced, Silent), "operation": LocatedOperation}

    class NoSchema:
        @staticmethod
        def iter_errors(data: object) -> Iterator[Any]:
            return iter(())

    class Validator(validators.SpecValidator):
        keyword_validators = checks
        schema_validator = NoSchema
        # References to other machines are never followed here.
        resolver_handlers: dict[str, Any] = {}  # noqa: RUF012

    for error in Validator(document.data).iter_errors():
        if isinstance(error, exceptions.DuplicateOperationIDError):
            continue
        # Errors without a class of their own come from the checks of tags.
        rule = rules.get(type(error), "tags")
        yield Semantic(rule, join(*error.path) or "/tags", error.message)
