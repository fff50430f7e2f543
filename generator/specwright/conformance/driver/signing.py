"""The credentials of roles, and the parts of requests that carry them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qsl, unquote_plus

from specwright.conformance.driver.roles import ANONYMOUS, MAIN, UNKNOWN_KEY, WRONG_SCHEME, stranger
from specwright.conformance.recording.exchange import HttpRequest, HttpResponse
from specwright.document.operations.security import Credential
from specwright.pointer import Pointer
from specwright.runtime.client.auth.digest import DigestSessions
from specwright.runtime.client.auth.signing import signed
from specwright.runtime.client.transport.base import Request as Unsigned
from specwright.runtime.shared.auth.scheme import Scheme
from specwright.runtime.shared.auth.user import user_of

_ANOTHER_SCHEME = "Basic"
# Headers that hold credentials, whether or not the document says so.
_PRIVATE = frozenset({"authorization", "cookie", "proxy-authorization"})
# A shorter text would match almost anywhere.
_SHORTEST_SECRET = 4
# A role, and the name of a security scheme.
Owner = tuple[str, str]


@dataclass(slots=True)
class Signer:
    """A signer that adds to requests the credentials that their operations require.

    Attributes:
        keys: by role, for every scheme without a key of its own; an empty one means no key.
        own: keys for single schemes, by role and scheme.
        headers: of every request; those that hold credentials, only of requests in the main role.
        sign_in: by scheme, functions from a key to a credential, such as a password to a token.
    """

    credential: Credential | None
    keys: Mapping[str, str] = field(repr=False)
    own: Mapping[Owner, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    sign_in: Mapping[str, Callable[[str], str]] = field(default_factory=dict, repr=False)
    _credentials: dict[Owner, str] = field(default_factory=dict, repr=False)
    _accepted: set[Owner] = field(default_factory=set, repr=False)
    _issued: set[str] = field(default_factory=set, repr=False)
    _sessions: DigestSessions = field(default_factory=DigestSessions, repr=False)

    def sign(self, request: HttpRequest, operation: Pointer | None, role: str) -> HttpRequest:
        """Return a request with the credentials of a role added."""
        present = {name.lower() for name, _ in request.headers}
        more = [
            (name, value)
            for name, value in self.headers.items()
            if name.lower() not in present and (role == MAIN or not self._is_private(name))
        ]
        unsigned = Unsigned(request.method, request.url, [*request.headers, *more])
        for scheme, text in self.texts(operation, role):
            unsigned = signed(unsigned, scheme, text)
        for scheme, credential in self.challenged(operation, role):
            text = self._sessions.text(credential, unsigned)
            unsigned = signed(unsigned, scheme, text) if text else unsigned
        # A URL with a credential has a type of its own; a record needs a plain string.
        return replace(request, url="".join(unsigned.url), headers=tuple(unsigned.headers))

    def unsigned(self, request: HttpRequest) -> HttpRequest:
        """Return a request without the parts that hold credentials."""
        places = {(scheme.location, scheme.name.lower()) for scheme in self._schemes.values()}
        url, mark, query = request.url.partition("?")
        pairs = [
            pair
            for pair in query.split("&")
            if ("query", unquote_plus(pair.partition("=")[0]).lower()) not in places
        ]
        headers = []
        for name, value in request.headers:
            if ("header", name.lower()) in places or name in self.headers:
                continue
            kept = value
            if name.lower() == "cookie":
                cookies = [cookie.strip() for cookie in value.split(";")]
                kept = "; ".join(
                    cookie
                    for cookie in cookies
                    if ("cookie", cookie.partition("=")[0].lower()) not in places
                )
            if kept:
                headers.append((name, kept))
        written = f"{url}?{'&'.join(pairs)}" if mark and pairs else url
        return replace(request, url=written, headers=tuple(headers))

    def is_signed(self, request: HttpRequest, operation: Pointer | None) -> bool:
        """Return whether a request carries the main role's credentials for its operation."""
        headers = {(name.lower(), value) for name, value in request.headers}
        cookies = {cookie.strip() for cookie in (request.header("cookie") or "").split(";")}
        pairs = set(parse_qsl(request.url.partition("?")[2]))
        for scheme, text in self.texts(operation, MAIN):
            match scheme.location:
                case "header":
                    is_there = (scheme.name.lower(), text) in headers
                case "cookie":
                    is_there = f"{scheme.name}={text}" in cookies
                case _:
                    is_there = (scheme.name, text) in pairs
            if not is_there:
                return False
        return all(
            scheme.read(request.header(scheme.name) or "") is not None
            for scheme, _ in self.challenged(operation, MAIN)
        )

    def texts(self, operation: Pointer | None, role: str) -> Iterator[tuple[Scheme, str]]:
        """Yield the credentials of a role for an operation: their schemes and texts."""
        for name in self.chosen(operation, role):
            scheme, text = self._schemes[name], self._text(role, name)
            if role == WRONG_SCHEME:
                if scheme.location == "header":
                    yield scheme, f"{_ANOTHER_SCHEME} {self._key(MAIN, name)}"
            elif text:
                yield scheme, text

    def challenged(
        self, operation: Pointer | None, role: str
    ) -> Iterator[tuple[Scheme, tuple[str, str]]]:
        """Yield the schemes of a role that answer challenges, each with user and password."""
        for name in self.chosen(operation, role):
            key = self._key(role, name)
            user = None if key is None else user_of(self._schemes[name].parse(key))
            if self._schemes[name].is_challenged and user is not None:
                yield self._schemes[name], user

    def chosen(self, operation: Pointer | None, role: str) -> tuple[str, ...]:
        """Return the schemes of an operation's first alternative for which the role has all keys.

        An alternative that the keys suit comes first. Without all keys of any, return the schemes
        with a key of the first alternative that has any.
        """
        if self.credential is None or role == ANONYMOUS:
            return ()
        usual = tuple({name: ()} for name in self._schemes)
        alternatives = self.credential.demands.get(operation or "", usual)
        owner = MAIN if role == WRONG_SCHEME else role
        held = [
            tuple(name for name in alternative if self._key(owner, name) is not None)
            for alternative in alternatives
        ]
        whole = [
            names
            for names, each in zip(held, alternatives, strict=True)
            if names and len(names) == len(each)
        ]
        suited = (names for names in whole if all(self._suits(owner, name) for name in names))
        return next(iter([*suited, *whole, *filter(None, held)]), ())

    def trust(self, operation: Pointer | None, role: str) -> None:
        """Note that credentials were accepted: a later refusal then means that they expired."""
        self._accepted.update((role, name) for name in self.chosen(operation, role))

    def renewed(
        self, request: HttpRequest, response: HttpResponse, operation: Pointer | None, role: str
    ) -> bool:
        """Take in a refusal; return whether the request may now be signed with another text.

        Credentials that were obtained, and accepted before, are dropped; a challenge is kept.
        """
        is_challenged = any(True for _ in self.challenged(operation, role))
        is_answerable = is_challenged and self._sessions.take(request.url, response.headers)
        return self._forget(operation, role) or is_answerable

    def _forget(self, operation: Pointer | None, role: str) -> bool:
        owners = {(role, name) for name in self.chosen(operation, role)}
        outdated = owners & self._accepted & self._credentials.keys()
        for owner in outdated:
            del self._credentials[owner]
        self._accepted -= outdated
        return bool(outdated)

    def renew(self) -> None:
        """Drop all obtained credentials, to obtain them again when they are needed."""
        self._credentials.clear()

    @property
    def secrets(self) -> set[str]:
        """The texts that no report may show."""
        secrets = {*self.keys.values(), *self.own.values(), *self._issued, *self.headers.values()}
        for text in list(secrets):
            # The password of a user, or the secret of a client.
            secrets.add(text.partition(":")[2])
            for scheme in self._schemes.values():
                credential = scheme.parse(text)
                if scheme.write(credential) is not None:
                    secrets.update(scheme.secrets(credential))
        return {secret for secret in secrets if len(secret) >= _SHORTEST_SECRET}

    @property
    def _schemes(self) -> Mapping[str, Scheme]:
        return self.credential.schemes if self.credential is not None else {}

    def _is_private(self, name: str) -> bool:
        places = {scheme.name.lower() for scheme in self._schemes.values()}
        return name.lower() in _PRIVATE | places

    def _key(self, role: str, name: str) -> str | None:
        """Return the key of a role for a scheme; None if a request cannot carry it."""
        key = self.own.get((role, name)) or self.keys.get(role)
        if role == UNKNOWN_KEY and (MAIN, name) in self.own:
            key = stranger(self.own[MAIN, name])
        if not key:
            return None
        scheme = self._schemes[name]
        can_carry = name in self.sign_in or scheme.write(scheme.parse(key)) is not None
        return key if can_carry else None

    def _suits(self, role: str, name: str) -> bool:
        """Return whether a key is meant for a scheme: `user:password` is one to sign in with."""
        if (role, name) in self.own:
            return True
        is_pair = ":" in self.keys.get(role, "")
        return is_pair == (self._schemes[name].is_pair or name in self.sign_in)

    def _text(self, role: str, name: str) -> str | None:
        """Return the text of a credential, obtained by a sign-in if the scheme has one."""
        scheme, key = self._schemes[name], self._key(role, name)
        if key is None or name not in self.sign_in:
            return None if key is None else scheme.write(scheme.parse(key))
        if role == UNKNOWN_KEY:
            return stranger(self._text(MAIN, name) or key)
        if (role, name) not in self._credentials:
            self._credentials[role, name] = self.sign_in[name](key)
            self._issued.add(self._credentials[role, name])
        return scheme.write(self._credentials[role, name])
