"""No `Any` crosses the border of a room: public names say what they take and what they give."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

TOOLKIT = Path(__file__).parents[2] / "generator" / "specwright"
# What remains, by room, with the reason. It can only become shorter.
REMAINING: dict[str, dict[str, str]] = {
    "cli": {"The method of click that it replaces has it.": "LazyGroup.main"},
    "conformance": {
        "Schemathesis and its events have no types.": """
            FuzzingCredentials.get FuzzingCredentials.set ReportWriter.handle_event Turns.take
            after_call before_call Line Processes.end Processes.lines
            """,
    },
    "mock": {"ASGI defines its messages so.": "Message Mock.__call__ Receive Send"},
    "runtime": {
        "Values of models, which are Python objects of any class for Pydantic, too.": """
            ResponseWriter.__init__ ApiStatusError.body ApiStatusError.details AsyncCalls.response
            Binary.encode BodyReader.__init__ Book.event Book.example Book.find Book.operations
            Book.success Codec.decode Codec.members Codec.read Codecs.model Converter.make
            Converter.members Converter.read Converter.write Core.request Core.result Core.stream
            Endpoint.__init__ ErrorWriter.response EventStream.encode EventStream.item Events.read
            Form.decode Form.encode Group.operations ItemReader.end ItemReader.feed Json.decode
            Json.encode JsonLines.encode JsonLines.item Medium.decode Medium.decode_json
            Medium.encode Multipart.build Multipart.encode PlainText.encode StatusErrors.body
            StatusErrors.details
            StreamMedium.decode StreamMedium.item SyncCalls.response WaitTimeoutError.__init__
            Xml.decode Xml.encode accept as_file attempts bound_handlers declared_body has_body
            is_stream lacks_body members outgoing positive_integer received sent status_error
            status_of
            """,
        "Core schemas of Pydantic, which are dicts.": "Schema checked noted shaped",
        "Principals are of the class that an application chooses.": """
            Authenticate Authentication.__init__
            """,
        "Credentials are texts, or what a user calls to have one.": """
            Credentials.__init__ Credentials.chosen Credentials.source
            """,
        "A security scheme is part of a document, and the runtime has no type for these.": """
            ApiKey.of Basic.of Digest.of ByHTTPClient.of OAuth2.of Scheme.of Token.of
            """,
        "The methods of httpcore that they replace have it.": """
            DeadlineBackend.connect_tcp DeadlineStream.get_extra_info PolledBackend.connect_tcp
            PolledStream.get_extra_info
            """,
    },
    "vocabulary": {
        "Only `Keyword` reads by shapes; a value of another shape ends in a TypeError.": """
            Members Shape.read Shape.references
            """,
    },
}
# They have no public name, but others call them.
CALLED = frozenset({"__init__", "__call__", "__enter__", "__getattr__", "__getitem__", "__iter__"})
Scope = ast.Module | ast.ClassDef


def is_public(name: str) -> bool:
    return not name.startswith("_") or name in CALLED


def mentions(node: ast.AST | None, names: set[str]) -> bool:
    """Return whether an annotation has one of the names; it may be written as text."""
    for part in ast.walk(node) if node else ():
        match part:
            case ast.Name(name) | ast.Attribute(attr=name) if name in names:
                return True
            case ast.Constant(str() as text) if any(name in text for name in names):
                return mentions(ast.parse(text, mode="eval"), names)
    return False


def borders(scope: Scope, names: set[str], at: str = "") -> Iterator[str]:
    """Yield the public functions, attributes and aliases of a module or a class with a name."""
    for statement in scope.body:
        match statement:
            case ast.ClassDef(name) if is_public(name):
                yield from borders(statement, names, f"{at}{name}.")
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) if is_public(name):
                arguments = [part for part in ast.walk(statement.args) if isinstance(part, ast.arg)]
                hints = [statement.returns, *(argument.annotation for argument in arguments)]
                if any(mentions(hint, names) for hint in hints):
                    yield f"{at}{name}"
            case ast.AnnAssign(ast.Name(name), hint, value) if is_public(name):
                if mentions(hint, names) or (
                    mentions(hint, {"TypeAlias"}) and mentions(value, names)
                ):
                    yield f"{at}{name}"
            case ast.Assign([ast.Name(name)], ast.Subscript() | ast.BinOp() as value):
                if is_public(name) and mentions(value, names):
                    yield f"{at}{name}"


def aliases(tree: ast.Module) -> set[str]:
    """Return `Any`, and a module's own names for types that contain it."""
    names = {"Any"}
    for statement in tree.body:
        match statement:
            case ast.Assign([ast.Name(name)], ast.Subscript() | ast.BinOp() as value):
                if mentions(value, names):
                    names.add(name)
            case ast.AnnAssign(ast.Name(name), ast.Name("TypeAlias"), value):
                if mentions(value, names):
                    names.add(name)
    return names


@pytest.fixture(scope="module")
def untyped() -> dict[str, set[str]]:
    """The public names with `Any`, by room."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in TOOLKIT.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        room = path.relative_to(TOOLKIT).parts[0].removesuffix(".py")
        found[room].update(borders(tree, aliases(tree)))
    return {room: names for room, names in found.items() if names}


def remaining(room: str) -> set[str]:
    return {name for names in REMAINING.get(room, {}).values() for name in names.split()}


def test_no_other_public_name_has_any(untyped: dict[str, set[str]]) -> None:
    new = {room: sorted(names - remaining(room)) for room, names in untyped.items()}
    assert not {room: names for room, names in new.items() if names}


def test_what_remains_has_any(untyped: dict[str, set[str]]) -> None:
    """Names that have a type now leave the list."""
    typed = {room: sorted(remaining(room) - untyped.get(room, set())) for room in REMAINING}
    assert not {room: names for room, names in typed.items() if names}


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def public(value: list[Any]) -> int: ...", ["public"]),
        ("def public() -> 'Iterator[Any]': ...", ["public"]),
        ("def public(*values: typing.Any) -> int: ...", ["public"]),
        ("def public(value: int) -> int:\n    inside: Any = value\n    return inside", []),
        ("def _private(value: Any) -> int: ...", []),
        ("class Public:\n    value: Any\n    _other: Any", ["Public.value"]),
        ("class Public:\n    def __init__(self, value: Any) -> None: ...", ["Public.__init__"]),
        ("class _Private:\n    value: Any", []),
        ("Alias = dict[str, Any]", ["Alias"]),
        ('Alias: TypeAlias = "dict[str, Any]"', ["Alias"]),
        ("_Alias = dict[str, Any]\ndef public() -> _Alias: ...", ["public"]),
        ("def public(value: AnyStr) -> AnyStr: ...", []),
    ],
)
def test_public_names_with_any_are_seen(source: str, names: list[str]) -> None:
    tree = ast.parse(source)
    assert [*borders(tree, aliases(tree))] == names
