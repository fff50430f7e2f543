"""Names in code of groups, operations, arguments, models and the package of a document.

A name depends only on the thing that it names, and never on its neighbours: that is why names
that generated code needs for itself are reserved in every document, needed there or not. Only
arguments that share a name depend on each other (docs/decisions/0212).
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import reduce

from specwright.json_values import JsonValue
from specwright.names import constant, pascal, snake, words

# Attributes of the clients' base classes, and names that the clients use inside their own.
CLIENT = frozenset(
    """
    base_url cached_property close float httpx2 int request run_all str wait_for_job with_options
    with_raw_response with_reconnection with_streaming_response with_unchecked_response
    """.split()
)
# Names in annotations and decorators of a group's methods, resolved inside its class.
GROUP = frozenset(
    """
    bool bytes cast datetime decimal deprecated float int models object overload params str uuid
    """.split()
)
# Other arguments of the clients' constructors, their callees, and types of credentials.
CONSTRUCTOR = frozenset(
    """
    app_name base_url deadline headers http_client max_response_bytes max_retries proxy self str
    super timeout transport tuple
    """.split()
)
# Other arguments of methods and handlers, and the callees of the scaffold's handlers.
METHOD = frozenset("body context request_options self super".split())
# Other arguments of `create_app`, its options among them, and its callees.
CREATE_APP = frozenset(
    """
    as_problem authenticate bind check_responses digest lifespan max_body middleware models
    options prefix rate_limiter refuse_unknown_query refuse_unsafe_paths request_id unimplemented
    """.split()
)
# The scaffold's own module.
SCAFFOLD = frozenset(["app"])
# Globals of the client modules; those that begin with `Async` are listed without it, since the
# groups of the asynchronous client have it before their name.
CLIENTS = frozenset(
    """
    AsyncGenerator Awaitable Batch Callable ClientConfig ClientCredentials Credentials FileTypes
    Generator Group Iterable JsonValue Literal MAX_RESPONSE_BYTES Mapping OMIT Omit Page Pages
    PasswordCredentials RawBody Redirect RequestOptions SERVICE Sequence ServerSentEvent Stream
    SyncGroup TYPE_CHECKING Timeout Transport UnknownServerSentEvent
    """.split()
)
# Globals of the server module and of the scaffold's modules.
SERVER = frozenset(
    """
    Allowance Any AsyncIterable Authenticate Awaitable Callable Checker Context Credentials Cursors
    DigestCredentials DigestOptions FileTypes Group Hooks ImplementationError Iterable JsonValue
    Literal Mapping Options Policy Problem Protocol RateLimitClass RateLimiter RawBody Redirect
    Reply Request Sequence ServerSentEvent Starlette TypeAlias TypedDict Unimplemented
    UnknownServerSentEvent Unpack
    """.split()
)
# Globals of the module that has a constant for each operation.
OPERATIONS = frozenset("CODECS ERROR SCHEMES SERVICE STATUS_ERRORS TYPE_CHECKING".split())
# Names that some document brings into the modules of models and of typed dictionaries, and
# Python's keywords.
MODELS = frozenset(
    """
    Annotated Any AwareDatetime ConfigDict Decimal DecimalString Dict False Field Literal
    Model None NotRequired Nullable Once OneOf Optional Patterns Sensitive StrictBool StrictFloat
    StrictInt StrictStr StringConstraints TaggedUnion True TypeAlias TypeAliasType TypedDict UUID
    Union UniqueItems UnknownTag
    """.split()
)
# Packages that a generated package imports, apart from the standard library.
PACKAGES = frozenset("httpcore2 httpx2 pydantic pydantic_core starlette typing_extensions".split())
# File names are limited to 255 bytes.
LONGEST_TITLE = 100

NO_TAG = "default"
_OF_SPECIFICATION = re.compile(r"[\W_]*\b(OpenAPI|Swagger)[\W_]*v?[23](\.\d+)*\W*$", re.IGNORECASE)
# The places of an operation's arguments.
PLACES = ("path", "body", "query", "querystring", "header", "cookie")
# The separator of the words of a key that no document can have: the steps to an inline schema.
STEP = "/"
# Words for schemas of operations, which are not available to properties of a component.
_OF_OPERATIONS = re.compile("(Request|Response).*|.*Parameter")


@dataclass(frozen=True, slots=True)
class GroupNames:
    """The names for the operations of one tag.

    Attributes:
        attribute: the attribute of the client.
        class_name: the class of the client's module; the asynchronous one begins with `Async`.
        protocol: the Protocol of the server module.
        argument: the argument of `create_app`.
        module: the module of the scaffold.
    """

    attribute: str
    class_name: str
    protocol: str
    argument: str
    module: str


@dataclass(frozen=True, slots=True)
class OperationNames:
    """The names of one operation.

    Attributes:
        handler: method of the group's Protocol.
        method: method of the client's group.
        follow: method of the client's group that waits for new items of a list.
        wait: method of the client's group that waits for a final state.
        constant: the constant of its plan.
    """

    handler: str
    method: str
    follow: str
    wait: str
    constant: str


def apart(name: str, reserved: Set[str], suffix: str = "_") -> str:
    """Return a name, with the suffix if the name is taken."""
    return name + suffix if name in reserved else name


def group_names(tag: str) -> GroupNames:
    """Return the names for the operations of a tag."""
    name, class_name = snake(tag), pascal(tag)
    return GroupNames(
        attribute=apart(name, CLIENT),
        class_name=apart(class_name, CLIENTS, "Operations"),
        protocol=apart(class_name, SERVER, "Operations"),
        argument=apart(name, CREATE_APP),
        module=apart(name, SCAFFOLD),
    )


def operation_names(identifier: str, tag: str | None, *, short: bool) -> OperationNames:
    """Return the names of an operation.

    Short names read better (`orders.create`) but often clash: of 44 published documents, five
    cannot be generated with them, as they have `getThing` and `getThings` under one tag. So they
    are opt-in, and a clash is an error: names depend only on operationId and tag, and another
    operation never changes them. Handlers and constants keep the whole name.

    Args:
        tag: its group; None if it is not in a group.
        short: whether its method leaves out the words of the tag.
    """
    name = snake(identifier)
    method = _without_tag(identifier, tag) if short and tag is not None else name
    return OperationNames(
        handler=apart(name, GROUP),
        method=apart(method, GROUP),
        follow="follow" if method == "list" else f"follow_{method}",
        wait="wait" if method == "get" else f"wait_for_{method.removeprefix('get_')}",
        constant=apart(constant(identifier), OPERATIONS),
    )


def argument_names(wanted: Sequence[tuple[str, str]]) -> list[str]:
    """Return the names of an operation's arguments, each from its place and its name there.

    Path parameters keep their names. If other places share a name, each of them is prefixed with
    its place, so that no argument moves to another place when the document grows
    (docs/decisions/0212).

    Args:
        wanted: the place (one of `PLACES`) and the name of each.
    """
    # Attributes of models are Python's names already.
    plain = [apart(name if place == "body" else snake(name), METHOD) for place, name in wanted]
    places: dict[str, set[str]] = defaultdict(set)
    for argument, (place, _) in zip(plain, wanted, strict=True):
        places[argument].add(place)
    names = [""] * len(wanted)
    reserved: set[str] = set()
    for at in sorted(range(len(wanted)), key=lambda at: _precedence(*wanted[at])):
        place, argument = wanted[at][0], plain[at]
        is_shared = place != "path" and places[argument] != {place}
        if is_shared or argument in reserved:
            argument = f"{place}_{argument}"
        while argument in reserved:
            argument += "_"
        names[at] = argument
        reserved.add(argument)
    return names


def _precedence(place: str, name: str) -> tuple[int, bool]:
    return (*PLACES, place).index(place), snake(name) != name


def credential_name(scheme: str, variables: Set[str] = frozenset()) -> str:
    """Return the name of the client's argument for the credential of a security scheme.

    Args:
        scheme: its name in the document, or a word for it.
        variables: the client's arguments for variables of servers.
    """
    # OAuth is one word.
    name = snake(scheme.replace("OAuth", "Oauth"))
    return apart(name, CONSTRUCTOR | variables, "_credential")


def variable_name(name: str) -> str:
    """Return the name of the client's argument for a variable in the URL of a server."""
    return apart(snake(name), CONSTRUCTOR, "_variable")


def with_digest(name: str, written: str) -> str:
    """Return a name that a digest of its written form keeps apart from others."""
    return f"{name}_{hashlib.sha256(written.encode()).hexdigest()[:6]}"


def model_name(key: str) -> str:
    """Return the name of the class or alias of a component schema."""
    # The generator of models strips trailing underscores.
    first, *words = (pascal(part).rstrip("_") for part in key.split(STEP))
    return reduce(part_name, words, apart(first, MODELS, "Model"))


def is_from_place(key: str) -> bool:
    """Return whether a schema got its key from its place."""
    return STEP in key


def part_name(whole: str, word: str) -> str:
    """Return the name of a part of something that has a name: `Order_Item`.

    Names of components have no `_` inside, so a component that is added cannot take the name.
    """
    return f"{whole}_{word.strip('_')}" if word else whole


def free(name: str, reserved: Container[str], step: str = "_") -> str:
    """Return the name, with `Other` appended until it is not taken."""
    while name in reserved:
        name += f"{step}Other"
    return name


def property_word(name: str, whole: str) -> str:
    """Return the word for a property in the name of its inline schema."""
    word = pascal(name)
    return word + "Property" if "_" not in whole and _OF_OPERATIONS.fullmatch(word) else word


def package_name(title: str) -> str:
    """Return the name of the package of an API with this title.

    A version of the specification at its end is left out, as in `Swagger Petstore - OpenAPI 3.0`.
    """
    title = title.encode("ascii", "ignore").decode()[:LONGEST_TITLE]
    name = snake(_OF_SPECIFICATION.sub("", title) or title)
    # Another module of this name would shadow the package, or the reverse.
    return apart(name, PACKAGES | sys.stdlib_module_names, "_api")


def first_tag(operation: Mapping[str, JsonValue]) -> str:
    """Return the tag that decides the group of an operation."""
    tags = operation.get("tags")
    return str(tags[0]) if isinstance(tags, list) and tags else NO_TAG


def _without_tag(identifier: str, tag: str) -> str:
    """Return the name without the tag: `createOrder` of `orders` becomes `create`."""
    spoken = [word.lower() for word in words(identifier)]
    group = [word.lower() for word in words(tag)]
    for noun in (group, [*group[:-1], *map(_singular, group[-1:])]):
        if len(noun) < len(spoken) and spoken[-len(noun) :] == noun:
            return snake(" ".join(spoken[: -len(noun)]))
    return snake(identifier)


def _singular(noun: str) -> str:
    if noun.endswith("ies"):
        return noun[:-3] + "y"
    return noun.removesuffix("s")
