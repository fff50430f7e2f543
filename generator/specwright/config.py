"""Settings of a project: the `[tool.specwright]` table or tables of its pyproject.toml."""

from __future__ import annotations

import keyword
import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple

from specwright import distributions
from specwright.errors import InputError, Location, did_you_mean
from specwright.files import read_regular, why_not_read
from specwright.json_values import JsonObject, JsonValue

FILE_NAME = "pyproject.toml"
TABLE = "[tool.specwright]"
# The settings that do not decide the content of a package.
_OF_PROJECT = ("document", "output", "test", "changelog")
LARGEST = 1024 * 1024
_SHOWN = 80
_DISTRIBUTION = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_PACKAGE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CLASS = re.compile(r"[A-Z][A-Za-z0-9_]*")
_VARIABLE = re.compile(r"[a-z][a-z0-9_]*")
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
OLD_NAMES = re.compile(r"[a-z]\w*(\.[A-Za-z]\w*){1,2}", re.ASCII)
_ENV_PREFIX = re.compile(r"[A-Z][A-Z0-9_]*")


@dataclass(frozen=True, slots=True)
class SettingMember:
    """A key of a table of settings, as pages and editors describe it.

    Attributes:
        default: the value without it, or its source, in Markdown; `none`; or `required`.
        meaning: in Markdown, with links from docs/reference.
        values: the JSON Schema of its values, which may allow more than the reader.
    """

    default: str
    meaning: str
    values: JsonObject

    @property
    def is_required(self) -> bool:
        return self.default == "required"


@dataclass(frozen=True, slots=True)
class ProjectSetting(SettingMember):
    """A key of `[tool.specwright]`.

    Attributes:
        read: returns a value as the package uses it, for the directory of the file; a
            `ValueError` has the rule that the value breaks.
    """

    read: Callable[[object, Path], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Renames:
    """Names in code that a project gives to parts of its document.

    Attributes:
        schemas: class by component key.
        operations: method by operationId, or by method and path, such as `GET /orders`.
        tags: group by tag.
        parameters: argument by the name of a parameter, in every operation that has it.
        credentials: the client's argument by the name of a security scheme.
    """

    schemas: Mapping[str, str] = field(default_factory=dict)
    operations: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    credentials: Mapping[str, str] = field(default_factory=dict)

    def of_operation(self, identifier: str | None, request: str) -> str | None:
        """Return the name for an operation; None if it keeps its own.

        Args:
            identifier: its operationId, if it has one.
            request: its method and path, such as `GET /orders`.
        """
        return self.operations.get(identifier or request) or self.operations.get(request)


@dataclass(frozen=True, slots=True)
class OldName:
    """The new name for an old one that a package keeps until a date.

    Attributes:
        use: the new name, in the module or the class of the old one.
        removal: the first day without the old name.
    """

    use: str
    removal: date


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageOptions:
    """The settings that decide the content of a package, apart from the document.

    Attributes:
        package: import name of the generated package.
        distribution: name under which the package is installed.
        version: version of the package; None for that of the document.
        license: SPDX expression of the owner's licence; None for that of the document.
        client_name: class of the synchronous client; the other one is called `Async…`.
        env_prefix: prefix of the environment variables that the client reads.
        short_method_names: whether method names leave out the words of their group's name.
        body_arguments: the bodies whose properties are arguments: `required`, `all` or `none`.
        names: the project's own names for parts of the document.
        templates: directory of templates that replace or extend the built-in ones.
        pagination: `x-contract-pagination` for a document without it, by operationId or such as
            `GET /things`.
        deprecated: old names to keep, by module, class and name, such as `client.Orders.create`.
    """

    package: str | None = None
    distribution: str | None = None
    version: str | None = None
    license: str | None = None
    client_name: str | None = None
    env_prefix: str | None = None
    short_method_names: bool = False
    body_arguments: str = "required"
    names: Renames = field(default_factory=Renames)
    templates: Path | None = None
    pagination: Mapping[str, JsonObject] = field(default_factory=dict)
    deprecated: Mapping[str, OldName] = field(default_factory=dict)

    def on(self, day: date) -> PackageOptions:
        """Return the options without the old names that are removed by this day."""
        kept = {name: old for name, old in self.deprecated.items() if old.removal > day}
        return replace(self, deprecated=kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """The sign-in that obtains the credential of a security scheme for a user or a client.

    Attributes:
        operation: the operation that signs in, by operationId or such as `POST /login`; empty for
            OAuth 2.0.
        body: the body of its request; `{user}` and `{password}` are the two parts of the key.
        token: a runtime expression for the credential in the response (OpenAPI 3.1.1, 4.8.20.3);
            empty for `access_token`, or for the cookie of the scheme.
        token_url: the token URL of OAuth 2.0, in place of the one in the document.
        scopes: the scopes to request with OAuth 2.0; empty for those that operations require.
    """

    operation: str = ""
    body: Mapping[str, str] = field(default_factory=dict)
    token: str = ""
    token_url: str = ""
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedLink:
    """A link from the successful responses of one operation to another operation.

    Attributes:
        source: the first operation, by operationId or such as `POST /users`.
        target: the second one.
        parameters: values or runtime expressions by parameter name, with the place before the name
            (`path.id`) where two parameters share it.
        body: the same for members of the JSON body.
    """

    source: str
    target: str
    parameters: Mapping[str, JsonValue] = field(default_factory=dict)
    body: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractTesting:
    """The settings of contract tests.

    Attributes:
        sign_in: the sign-ins by the name of their security scheme.
        links: links that the document does not declare.
    """

    sign_in: Mapping[str, SignIn] = field(default_factory=dict)
    links: tuple[AddedLink, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings of one document; None where the project sets nothing.

    Attributes:
        document: the OpenAPI document; an address only if an argument names it.
        output: the directory of the generated package.
        test: settings of contract tests.
        changelog: the file to which names that callers lose are added.
    """

    document: Path | str | None = None
    output: Path | None = None
    options: PackageOptions = PackageOptions()
    test: ContractTesting = ContractTesting()
    changelog: Path | None = None


def find_project(start: Path) -> Path | None:
    """Return the nearest pyproject.toml with our table, in a directory or above it."""
    for directory in (start, *start.parents):
        file = directory / FILE_NAME
        if os.path.lexists(file) and _tables(file)[1] is not None:
            return file
    return None


def project_of(document: Path | str | None = None) -> Path | None:
    """Return the settings of a document's project: the nearest above it, else above this directory.

    Args:
        document: its path or its address; None for the project of this directory.
    """
    above = find_project(document.parent.resolve()) if isinstance(document, Path) else None
    return above or find_project(Path.cwd())


def read_config(file: Path) -> Config:
    """Read the settings of a project with one document; paths in them are relative to the file.

    Raises:
        InputError: the file is not TOML, a setting is unknown or invalid, or there are several
            documents.
    """
    configs = read_configs(file)
    if len(configs) > 1:
        raise several(configs)
    return configs[0]


def read_configs(file: Path) -> tuple[Config, ...]:
    """Read the settings of a project, one for each of its documents.

    Raises:
        InputError: as for `read_config`.
    """
    text, tables = _tables(file)
    return _configs(file, text, tables or [{}])


def configs_as_of(file: Path, content: bytes) -> tuple[Config, ...]:
    """Return the settings in an earlier content of the file; empty if it has no table of ours.

    Raises:
        InputError: as for `read_config`.
    """
    text, tables = _tables_in(file, *parse_toml(file, content))
    return _configs(file, text, tables or [])


def of_document(configs: Sequence[Config], document: Path | str) -> Config | None:
    """Return the settings of a document; a project's only settings apply to any document."""
    if len(configs) == 1:
        return configs[0]
    own = (config for config in configs if config.document is not None)
    return next((config for config in own if is_same(config.document, document)), None)


def is_same(name: Path | str | None, other: Path | str) -> bool:
    """Return whether two names are those of one document."""
    if not isinstance(name, Path) or not isinstance(other, Path):
        return name == other
    return os.path.realpath(name) == os.path.realpath(other)


def several(configs: Sequence[Config]) -> InputError:
    """Return the error for a command that works on one document but was not given any."""
    named = ", ".join(str(config.document) for config in configs)
    return InputError("the project has several documents", hint=f"name one of {named}")


def _configs(file: Path, text: str, tables: Sequence[dict[str, object]]) -> tuple[Config, ...]:
    configs = tuple(_config(file, text, table, number) for number, table in enumerate(tables))
    if len(configs) > 1:
        for number, config in enumerate(configs):
            others = configs[:number]
            if config.document is None or config.output is None:
                message = "each of several documents needs a 'document' and an 'output'"
                raise InputError(message, _place(file, text, "", number))
            if any(other.output == config.output for other in others):
                message = "another document has this output"
                raise InputError(message, _place(file, text, "output", number))
    return configs


def _config(file: Path, text: str, table: dict[str, object], number: int) -> Config:
    values: dict[str, Any] = {}
    for key, value in table.items():
        place = _place(file, text, key, number)
        setting = SETTINGS.get(key)
        if setting is None:
            raise InputError(f"unknown setting {key!r}", place, _advice(key))
        try:
            values[key.replace("-", "_")] = setting.read(value, file.parent)
        except ValueError as error:
            message = f"the setting {key!r} {error}, got {_shown(value)}"
            raise InputError(message, place) from None
    own = {key: values.pop(key) for key in _OF_PROJECT if key in values}
    return Config(**own, options=PackageOptions(**values))


def check_package(name: str) -> str:
    """Return the name of a package if it is valid.

    Raises:
        ValueError: Python could not import a package of this name.
    """
    if not _PACKAGE.fullmatch(name) or keyword.iskeyword(name):
        raise ValueError("must be a valid Python identifier")
    return name


def is_below(path: Path, directory: Path) -> bool:
    """Return whether a path is below a directory after all links are resolved."""
    return Path(os.path.realpath(directory)) in Path(os.path.realpath(path)).parents


def file_beside(document: str, name: str, option: str) -> str | None:
    """Return the path of a settings file in the directory of a document; None without one.

    Raises:
        InputError: it is a link to another directory, which only the option can name.
    """
    file = Path(document).parent / name
    if not os.path.lexists(file):
        return None
    if not is_below(file, file.parent):
        raise InputError(
            "must not be a symbolic link to another directory",
            Location(str(file), 1, 1),
            f"replace it with a file, or pass {option}",
        )
    return str(file)


def read_toml(file: Path) -> tuple[str, dict[str, object]]:
    """Return the text of a TOML file and its data.

    Raises:
        InputError: it cannot be read, or is not TOML.
    """
    try:
        content = read_regular(file, limit=LARGEST)
    except OSError as error:
        raise InputError(
            f"cannot be read: {why_not_read(error)}", Location(str(file), 1, 1)
        ) from None
    return parse_toml(file, content)


def parse_toml(file: Path, content: bytes) -> tuple[str, dict[str, object]]:
    """Return the text of a TOML file with this content, and its data.

    Raises:
        InputError: it is not TOML.
    """
    start = Location(str(file), 1, 1)
    try:
        text = content.decode("utf-8")
        return text, tomllib.loads(text)
    except UnicodeDecodeError:
        raise InputError("not UTF-8 text", start, "save it as UTF-8") from None
    except RecursionError:
        raise InputError("not TOML: nested too deeply", start) from None
    except ValueError as error:
        # Python's own errors about numbers pass through the parser without a position.
        position = re.search(r"line (\d+), column (\d+)", str(error))
        line, column = (int(position[1]), int(position[2])) if position else (1, 1)
        words = str(error).partition(" (at ")[0]
        message = f"not TOML: {words[:1].lower()}{words[1:]}"
        hint = "https://toml.io has the syntax"
        raise InputError(message, Location(str(file), line, column), hint) from None


def _tables(file: Path) -> tuple[str, list[dict[str, object]] | None]:
    if not is_below(file, file.parent):
        raise InputError(
            "must not be a symbolic link to another directory", Location(str(file), 1, 1)
        )
    return _tables_in(file, *read_toml(file))


def _tables_in(
    file: Path, text: str, data: dict[str, object]
) -> tuple[str, list[dict[str, object]] | None]:
    tools = data.get("tool")
    ours = tools.get("specwright") if isinstance(tools, dict) else None
    tables = [ours] if isinstance(ours, dict) else ours
    if tables is None:
        return text, None
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise InputError(f"{TABLE} must be a table or several tables", Location(str(file), 1, 1))
    return text, tables


def _place(file: Path, text: str, key: str, number: int) -> Location:
    """Return the location of a setting in one of the tables, or of the table itself."""
    heads = 0
    for line_number, line in enumerate(text.splitlines(), 1):
        head = line.strip()
        if head.startswith("["):
            heads += head.startswith((TABLE, f"[{TABLE}]"))
            inside = heads == number + 1 and head.lstrip("[").startswith(TABLE.strip("[]"))
            own = head.strip("[]").removeprefix(TABLE.strip("[]"))
            if inside and (not key or own == f".{key}" or own.startswith(f".{key}.")):
                return Location(str(file), line_number, 1)
        elif heads and inside and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[.=]", line):
            return Location(str(file), line_number, len(line) - len(line.lstrip()) + 1)
    return Location(str(file), 1, 1)


def _advice(key: str) -> str:
    known = f"known are {', '.join(SETTINGS)}"
    return did_you_mean(key.replace("_", "-").lower(), SETTINGS, known)


def _shown(value: object) -> str:
    shown = repr(value) if isinstance(value, str | bool | float) else type(value).__name__
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"


def _path(value: object, directory: Path) -> Path:
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError("must be a path")
    path = directory / value
    # The author of the settings may have no right to use files elsewhere.
    if not is_below(path, directory):
        raise ValueError(f"must be a path below the directory of {FILE_NAME}")
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return path
    except OSError:
        raise ValueError("must be a path that the operating system accepts") from None
    return path


def _switch(value: object, directory: Path) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _name(is_right: Callable[[str], object], what: str) -> Callable[[object, Path], str]:
    def read(value: object, directory: Path) -> str:
        if not isinstance(value, str) or not is_right(value):
            raise ValueError(what)
        return value

    return read


def _package(value: object, directory: Path) -> str:
    return check_package(value if isinstance(value, str) else "")


def _is_class_name(name: str) -> bool:
    return _CLASS.fullmatch(name) is not None and name not in _CONSTANTS


def _pagination(value: object, directory: Path) -> Mapping[str, JsonObject]:
    tables = value.values() if isinstance(value, dict) else [None]
    for table in tables:
        if not isinstance(table, dict) or not all(map(_is_plain, table.values())):
            raise ValueError("must be a table of tables of strings, integers and booleans")
    return dict(value) if isinstance(value, dict) else {}


def _testing(value: object, directory: Path) -> ContractTesting:
    if not isinstance(value, dict) or not value.keys() <= {"sign-in", "links"}:
        raise ValueError("must be a table with no other keys than sign-in, links")
    tables, links = value.get("sign-in", {}), value.get("links", [])
    if not isinstance(tables, dict):
        raise ValueError("must have a table for each security scheme in 'sign-in'")
    if not isinstance(links, list):
        raise ValueError("must have an array of tables in 'links'")
    return ContractTesting(
        sign_in={name: _sign_in(table) for name, table in tables.items()},
        links=tuple(map(_link, links)),
    )


def _link(table: object) -> AddedLink:
    if (
        not isinstance(table, dict)
        or not {"from", "to"} <= table.keys() <= LINK.keys()
        or not all(_fits(value, LINK[name]) for name, value in table.items())
    ):
        raise ValueError(
            "must have in each of 'links' the strings from and to; parameters and body are tables"
        )
    values = {name: table[name] for name in ("parameters", "body") if name in table}
    return AddedLink(source=table["from"], target=table["to"], **values)


def _sign_in(table: object) -> SignIn:
    if not isinstance(table, dict) or not table.keys() <= SIGN_IN.keys():
        raise ValueError(f"must have in each table of 'sign-in' only {', '.join(SIGN_IN)}")
    for name, value in table.items():
        texts = value.values() if isinstance(value, dict) else value
        if not _fits(value, SIGN_IN[name]) or not all(isinstance(e, str) for e in texts):
            raise ValueError(f"must have only strings in '{name}'")
    values = {name.replace("-", "_"): value for name, value in table.items()}
    return SignIn(**{**values, "scopes": tuple(table.get("scopes", ()))})


def _fits(value: object, member: SettingMember) -> bool:
    """Return whether a value has the type of a member, regardless of its parts."""
    return isinstance(value, _TYPES[str(member.values["type"])])


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int)


def _renames(value: object, directory: Path) -> Renames:
    tables = value if isinstance(value, dict) else {"": None}
    for kind, table in tables.items():
        names = NAMES.get(kind)
        if names is None or not isinstance(table, dict):
            raise ValueError(f"must consist of the tables {', '.join(NAMES)}")
        for name in table.values():
            if not isinstance(name, str) or not names.is_right(name):
                raise ValueError(f"must have valid Python names of {kind}, in the usual case")
    return Renames(**tables)


def _old_names(value: object, directory: Path) -> Mapping[str, OldName]:
    if not isinstance(value, dict):
        raise ValueError("must be a table of old names")
    return {name: _old_name(name, table) for name, table in value.items()}


def _old_name(name: str, table: object) -> OldName:
    if not OLD_NAMES.fullmatch(name):
        raise ValueError("must have names such as 'models.Order' and 'client.Orders.create'")
    if not isinstance(table, dict) or table.keys() != {"use", "removal"}:
        raise ValueError(f"must have for '{name}' a table of 'use' and 'removal'")
    use, removal = table["use"], table["removal"]
    if not isinstance(use, str) or not _IDENTIFIER.fullmatch(use) or keyword.iskeyword(use):
        raise ValueError(f"must have the last part of the new name in 'use' of '{name}'")
    if not isinstance(removal, date) or isinstance(removal, datetime):
        raise ValueError(f"must have a date such as 2027-12-31 in 'removal' of '{name}'")
    return OldName(use, removal)


def is_variable(name: str) -> bool:
    """Return whether a name is valid for methods, groups and arguments."""
    return _VARIABLE.fullmatch(name) is not None and not keyword.iskeyword(name)


class RenamedParts(NamedTuple):
    """The names in code of one kind of parts, by the names in the document."""

    is_right: Callable[[str], bool]
    pattern: re.Pattern[str]
    meaning: str


def matching(pattern: re.Pattern[str]) -> JsonObject:
    """Return the JSON Schema of texts that match as a whole."""
    return {"type": "string", "pattern": f"^{pattern.pattern}$"}


_TEXT: JsonObject = {"type": "string"}
_TABLE: JsonObject = {"type": "object"}
_PATH: JsonObject = {"type": "string", "minLength": 1}
_CONSTANTS = frozenset({"False", "None", "True"})
_BODY_ARGUMENTS = ("required", "all", "none")
# By the words of `Renames`.
NAMES: dict[str, RenamedParts] = {
    "schemas": RenamedParts(_is_class_name, _CLASS, "classes by component"),
    "operations": RenamedParts(
        is_variable,
        _VARIABLE,
        "methods by operationId, or by method and path such as `GET /orders`",
    ),
    "tags": RenamedParts(is_variable, _VARIABLE, "groups by tag"),
    "parameters": RenamedParts(is_variable, _VARIABLE, "arguments by the name of the parameter"),
    "credentials": RenamedParts(
        is_variable, _VARIABLE, "arguments of the client by the name of the security scheme"
    ),
}
OLD_NAME: dict[str, SettingMember] = {
    "use": SettingMember(
        "required", "the new name, in the same module or class", matching(_IDENTIFIER)
    ),
    "removal": SettingMember(
        "required",
        "the first day without the old name, such as 2027-12-31",
        {"type": "string", "format": "date"},
    ),
}
LINK: dict[str, SettingMember] = {
    "from": SettingMember(
        "required",
        "operationId, or method and path, of an operation; its successes have the values",
        _TEXT,
    ),
    "to": SettingMember("required", "the operation that takes them", _TEXT),
    "parameters": SettingMember(
        "none",
        "values or runtime expressions by the name of a parameter; `path.run` where two have the "
        "name",
        _TABLE,
    ),
    "body": SettingMember("none", "the same for members of the JSON body", _TABLE),
}
SIGN_IN: dict[str, SettingMember] = {
    "operation": SettingMember(
        "none", "operationId, or method and path, of the operation that signs in", _TEXT
    ),
    "body": SettingMember(
        "none",
        "members of its request; `{user}` and `{password}` are the two parts of the key",
        {"type": "object", "additionalProperties": _TEXT},
    ),
    "token": SettingMember(
        "`access_token` in the body, or the cookie of the scheme",
        "a runtime expression of OpenAPI for the credential in the response",
        _TEXT,
    ),
    "token-url": SettingMember(
        "that of the document",
        "where OAuth 2.0 gives tokens, on a machine that may be tested",
        _TEXT,
    ),
    "scopes": SettingMember(
        "those that operations require",
        "asked for with OAuth 2.0",
        {"type": "array", "items": _TEXT},
    ),
}
_TYPES = {"string": str, "object": dict, "array": list}
SETTINGS: dict[str, ProjectSetting] = {
    "document": ProjectSetting(
        "the `openapi.json`, `openapi.yaml` or `openapi.yml` in the working directory, or else "
        "`swagger.json`, `.yaml` or `.yml`",
        "the OpenAPI document",
        _PATH,
        _path,
    ),
    "output": ProjectSetting("`generated`", "the directory that is generated", _PATH, _path),
    "package": ProjectSetting(
        "from the title of the document",
        "import name of the package",
        matching(_PACKAGE),
        _package,
    ),
    "distribution": ProjectSetting(
        "the package with `-` for `_`",
        "name under which it is installed",
        matching(_DISTRIBUTION),
        _name(_DISTRIBUTION.fullmatch, "must be made of letters, digits, '-', '_', '.'"),
    ),
    "version": ProjectSetting(
        "`info.version` of the document",
        "version of the package, by [PEP 440](https://peps.python.org/pep-0440/)",
        _TEXT,
        _name(distributions.is_version, "must be a version of Python packages (PEP 440)"),
    ),
    "license": ProjectSetting(
        "`identifier` of `info.license`",
        "licence of the code that is not Specwright's runtime, as an "
        "[SPDX expression](https://spdx.org/licenses/)",
        _TEXT,
        _name(distributions.license_expression, "must be an SPDX licence expression"),
    ),
    "client-name": ProjectSetting(
        "the package in PascalCase with `Client`",
        "class of the synchronous client; the other one is called `Async…`",
        matching(_CLASS),
        _name(_is_class_name, "must be the name of a class"),
    ),
    "env-prefix": ProjectSetting(
        "the package in upper case",
        "start of the environment variables that the client reads",
        matching(_ENV_PREFIX),
        _name(_ENV_PREFIX.fullmatch, "must consist of capital letters, digits and '_'"),
    ),
    "changelog": ProjectSetting(
        "none",
        "file to which `generate` and `watch` add names that callers lose, with the version of "
        "the package; what it has is kept",
        _PATH,
        _path,
    ),
    "short-method-names": ProjectSetting(
        "`false`",
        "methods leave out the words that their group's name says already",
        {"type": "boolean", "default": False},
        _switch,
    ),
    "body-arguments": ProjectSetting(
        "`required`",
        "the bodies whose properties are arguments of methods: `required` ones, `all`, or `none` "
        "([the rule](sdk.md#bodies-of-requests))",
        {"type": "string", "enum": [*_BODY_ARGUMENTS], "default": _BODY_ARGUMENTS[0]},
        _name(_BODY_ARGUMENTS.__contains__, "must be 'required', 'all' or 'none'"),
    ),
    "templates": ProjectSetting(
        "none",
        "directory of templates of your own ([how](../how-to/override-templates.md))",
        _PATH,
        _path,
    ),
    "pagination": ProjectSetting(
        "none",
        "how lists are paged, for a document that you do not change "
        "([how](../how-to/declare-pages.md))",
        _TABLE,
        _pagination,
    ),
    "names": ProjectSetting(
        "none", "names of your own ([how](#names-of-your-own))", _TABLE, _renames
    ),
    "deprecated": ProjectSetting(
        "none", "old names that work until a date ([how](#old-names))", _TABLE, _old_names
    ),
    "test": ProjectSetting(
        "none",
        "how contract tests [sign in](#how-contract-tests-sign-in), and "
        "[where ids come from](#where-ids-come-from)",
        _TABLE,
        _testing,
    ),
}
