"""The Jinja environment: the templates that it finds, and the values that they may write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import CodeType

import jinja2
from jinja2.bccache import Bucket
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context

from specwright import distributions, pointer
from specwright.ir.model.values import Default
from specwright.render import calls, quoting
from specwright.render.compiled import TemplateEnvironment, code_of
from specwright.render.templates import BUILTIN, Templates
from specwright.text import Text, code_span

_FILTERS: Mapping[str, Callable[..., object]] = {
    "literal": quoting.literal,
    "docstring": quoting.docstring,
    "comment": quoting.comment,
    "toml": quoting.toml,
    "markdown": quoting.markdown,
    "line": quoting.line,
    "summary": quoting.summary,
    "sentence": quoting.sentence,
    "product": quoting.product,
    "version": lambda value: distributions.version(quoting.raw(value)),
    "identifier": quoting.identifier,
    "code": lambda value: code_span(quoting.raw(value)),
    "parameters": calls.parameters,
    "statement": lambda call: tuple(calls.statement(call)),
    "imports": lambda api: tuple(calls.imports(api.names, api.calls)),
    "tokens": lambda value: tuple(Text(token) for token in pointer.split(value.raw)),
}
# Attribute access by `attr` would bypass the guard below.
_WITHHELD_FILTERS = ("attr", "pprint", "safe")
_WITHHELD_GLOBALS = ("lipsum",)


class _Loader(jinja2.BaseLoader):
    """A loader of the user's templates before built-in ones; `builtin/…` is always a built-in."""

    def __init__(self, templates: Templates) -> None:
        self._templates = templates
        self._own = templates.own()

    def get_source(
        self, environment: jinja2.Environment, template: str
    ) -> tuple[str, str, Callable[[], bool]]:
        if template in self._own:
            return self._own[template], self._templates.place(template).file, lambda: True
        name = template.removeprefix(BUILTIN)
        source = self._templates.builtin_source(name)
        if source is None:
            raise jinja2.TemplateNotFound(template)
        return source, str(self._templates.builtin / name), lambda: True


class _Compiled(jinja2.BytecodeCache):
    """The code of the built-in templates, and of those that this process has compiled.

    Compiling takes a tenth of the time of a small package. Nothing is kept on disk: the code
    would be as dangerous as a program.
    """

    def __init__(self) -> None:
        self._code: dict[str, tuple[str, CodeType]] = {}

    def get_bucket(
        self, environment: jinja2.Environment, name: str, filename: str | None, source: str
    ) -> Bucket:
        bucket = super().get_bucket(environment, name, filename, source)
        if bucket.code is None and (code := code_of(bucket.checksum)) is not None:
            # Errors name the file of the template.
            bucket.code = code.replace(co_filename=filename or name)
        return bucket

    def load_bytecode(self, bucket: Bucket) -> None:
        checksum, code = self._code.get(bucket.key, ("", None))
        if checksum == bucket.checksum:
            bucket.code = code

    def dump_bytecode(self, bucket: Bucket) -> None:
        if bucket.code is not None:
            self._code[bucket.key] = bucket.checksum, bucket.code


_COMPILED = _Compiled()


class _Environment(TemplateEnvironment):
    """An environment with text from a document only as `Text`, and no access to its content.

    Templates come with the repository, so they may compute, but do nothing else: the sandbox
    keeps them from the interpreter, and operations that make much out of little are left out.
    """

    def call_binop(self, context: Context, operator: str, left: object, right: object) -> object:
        if operator == "**" or not (isinstance(left, int) and isinstance(right, int)):
            raise SecurityError(
                f"the operator {operator} is not allowed here: its result may be too large"
            )
        return super().call_binop(context, operator, left, right)

    def getattr(self, obj: object, attribute: str) -> object:
        return _guarded(obj, attribute, super().getattr(obj, attribute))

    def getitem(self, obj: object, argument: object) -> object:
        return _guarded(obj, argument, super().getitem(obj, argument))


def environment(templates: Templates) -> jinja2.Environment:
    """Return the environment in which all templates are rendered."""
    environment = _Environment(
        _written,
        loader=_Loader(templates),
        undefined=jinja2.StrictUndefined,
        bytecode_cache=_COMPILED,
    )
    environment.filters.update(_FILTERS)
    for name in _WITHHELD_FILTERS:
        del environment.filters[name]
    for name in _WITHHELD_GLOBALS:
        del environment.globals[name]
    return environment


def _written(value: object) -> object:
    if isinstance(value, Text):
        raise TypeError("text from the document is used here without a filter that quotes it")
    if isinstance(value, bool) or not isinstance(value, str | int | jinja2.Undefined):
        raise TypeError(
            f"a value of type {type(value).__name__} is used here; only names and numbers are "
            "written as they are"
        )
    return value


def _guarded(owner: object, name: object, value: object) -> object:
    if isinstance(owner, Text):
        raise TypeError(f"templates cannot access attributes of text from the document ({name})")
    return _wrapped(value) if isinstance(owner, Default) else value


def _wrapped(value: object) -> object:
    if isinstance(value, str):
        return Text(value)
    if isinstance(value, list):
        return [_wrapped(item) for item in value]
    if isinstance(value, dict):
        return {_wrapped(name): _wrapped(item) for name, item in value.items()}
    return value
