"""Rendering of one template, with errors that name its file and line."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

import jinja2
from jinja2.exceptions import SecurityError

from specwright.errors import InputError, Location
from specwright.render.environment import environment
from specwright.render.misnamed import refuse_misnamed
from specwright.render.templates import SUFFIX, Templates

_HINT = (
    "values from the document need a filter: literal, docstring, comment, toml or markdown; "
    "`specwright templates copy` copies the built-in template for comparison"
)


class Renderer:
    """A renderer of templates by name."""

    def __init__(self, templates: Templates) -> None:
        self._environment = environment(templates)
        self._templates = templates

    def check_names(self) -> None:
        """Raise an `InputError` for templates and blocks of the user that are not used."""
        trees = {}
        for name, source in self._templates.own().items():
            file = self._templates.place(name).file
            with _errors_placed(file, are_own=True):
                trees[name] = self._environment.parse(source, name, file)
        refuse_misnamed(trees, self._templates)

    def compile(self, names: Iterable[str]) -> None:
        """Compile templates in advance, while the caller waits for something else."""
        for name in names:
            self._template(name)

    def render(self, template: str, context: Mapping[str, object]) -> str:
        """Return the text of a template; an error in templates of the user is an `InputError`."""
        with self._errors_placed(template):
            return self._template(template).render(context)

    def _template(self, name: str) -> jinja2.Template:
        with self._errors_placed(name):
            return self._environment.get_template(name)

    def _errors_placed(self, template: str) -> AbstractContextManager[None]:
        return _errors_placed(template, are_own=bool(self._templates.own()))


@contextmanager
def _errors_placed(template: str, *, are_own: bool) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except jinja2.TemplateSyntaxError as error:
        place = Location(error.filename or error.name or template, error.lineno, 1)
        raise InputError(f"template error: {error.message}", place) from error
    except jinja2.TemplateNotFound as error:
        raise InputError(
            f"the template {error.message or error.name!r} does not exist",
            _place(error, template),
            "names are relative to the directory of templates; "
            "`specwright templates list` shows the built-in ones",
        ) from error
    except SecurityError as error:
        raise InputError(f"template error: {error}", _place(error, template)) from error
    except Exception as error:
        if not are_own:
            raise
        message = f"template error: {error}"
        raise InputError(message, _place(error, template), _HINT) from error


def _place(error: Exception, template: str) -> Location:
    """Return the innermost line of a template that an error came through."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if frame.filename.endswith(SUFFIX)]
    if not inside:
        return Location(template, 1, 1)
    return Location(inside[-1].filename, inside[-1].lineno or 1, 1)
