"""Sign-in: a credential for a user and a password, or for a client and its secret."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urljoin

from specwright.config import SignIn
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import Contract, ContractOperation
from specwright.conformance.contract.links import Unknown, evaluate
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.driver.roles import ANONYMOUS
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.recording.exchange import Exchange, HttpRequest
from specwright.errors import InputError, did_you_mean
from specwright.json_values import JsonValue
from specwright.runtime.client.auth.tokens import Tokens, obtained
from specwright.runtime.client.errors import TokenRequestError
from specwright.runtime.client.transport.base import Request as Sent
from specwright.runtime.client.transport.base import Response as Received
from specwright.runtime.client.transport.base import TransportError
from specwright.runtime.shared.auth.oauth2 import ClientCredentials, PasswordCredentials
from specwright.runtime.shared.auth.scheme import Scheme

SOURCE = "sign-in"
# Grants for a pair of texts; a user who has to confirm a code takes no part in a test.
_KEYED = {ClientCredentials.__name__, PasswordCredentials.__name__}
_TOKEN = "$response.body#/access_token"
Obtain = Callable[[str], str]
Checked = Callable[[str], object]


def sign_ins(
    contract: Contract, target: TargetServer, settings: Mapping[str, SignIn], check: Checked
) -> dict[str, Obtain]:
    """Return functions that turn a key into a credential, by security scheme.

    For an OAuth 2.0 scheme, a key `client:secret`, or `user:password` if the document has only
    the flow for that, is exchanged for a token; any other key is the token itself.

    Args:
        check: raises an error for a URL to which requests must not be sent.

    Raises:
        InputError: a setting names a scheme or an operation that the document does not have.
    """
    known = target.credential.schemes if target.credential is not None else {}
    for name in settings:
        if name not in known:
            hint = did_you_mean(name, known, f"it requires {', '.join(known) or 'none'}")
            raise InputError(f"sign-in: the document requires no credential {name!r}", hint=hint)
    functions: dict[str, Obtain] = {}
    routes = ContractRoutes(contract, target.base_url)
    for name, scheme in known.items():
        setting = settings.get(name, SignIn())
        if setting.operation:
            operation = _operation(contract, setting.operation)
            functions[name] = partial(_logged_in, target, operation, setting, scheme)
        elif scheme.has_token_endpoint and (_KEYED & {*scheme.grants} or setting.token_url):
            scopes = (setting.scopes,) if setting.scopes else (contract.scopes(name), ())
            functions[name] = _Grants(target, routes, setting, scheme, scopes, check)
    return functions


def _operation(contract: Contract, name: str) -> ContractOperation:
    named = {
        f"{operation.method} {operation.site.key}": operation
        for operation in contract.operations.values()
    }
    named |= contract.by_id
    if name not in named:
        hint = did_you_mean(name, named, "use its operationId, or a form such as POST /login")
        raise InputError(f"sign-in: the document has no operation {name!r}", hint=hint)
    return named[name]


def _logged_in(
    target: TargetServer, operation: ContractOperation, setting: SignIn, scheme: Scheme, key: str
) -> str:
    """Call a sign-in operation, and return the credential in its response."""
    user, _, password = key.partition(":")
    body: dict[str, JsonValue] = {
        name: text.replace("{user}", user).replace("{password}", password)
        for name, text in setting.body.items()
    }
    call = OperationCall(operation, {}, body)
    request = target.request(
        operation.method,
        call.path,
        role=ANONYMOUS,
        headers=call.headers,
        body=call.content,
        operation=operation.pointer,
    )
    exchange = target.send(request, SOURCE, operation.pointer, ANONYMOUS)
    credential = _credential(call, exchange, setting, scheme)
    if not credential:
        response = exchange.response
        outcome = exchange.failure if response is None else f"status {response.status}"
        hint = "check the key, and 'body' and 'token' in [tool.specwright.test.sign-in]"
        raise InputError(f"{operation.name} returned no credential: {outcome}", hint=hint)
    return credential


def _credential(call: OperationCall, exchange: Exchange, setting: SignIn, scheme: Scheme) -> str:
    response = exchange.response
    if response is None or response.status >= 400:
        return ""
    if scheme.location == "cookie" and not setting.token:
        for name, value in response.headers:
            if name.lower() == "set-cookie":
                try:
                    cookies = SimpleCookie(value)
                except CookieError:
                    continue
                if scheme.name in cookies:
                    return cookies[scheme.name].coded_value
        return ""
    try:
        token = evaluate(setting.token or _TOKEN, call, response)
    except Unknown:
        return ""
    return token if isinstance(token, str) else ""


@dataclass(slots=True)
class _Grants:
    """OAuth 2.0 tokens (RFC 6749) by client credentials, or by the password of a user.

    Attributes:
        scopes: those to request, and those to request if the server refuses the first ones, as it
            may for a user without permissions.
    """

    target: TargetServer
    routes: ContractRoutes
    setting: SignIn
    scheme: Scheme
    scopes: Sequence[tuple[str, ...]]
    check: Checked

    def __call__(self, key: str) -> str:
        """Return the token for a key, which may be the token itself."""
        name, colon, secret = key.partition(":")
        if not colon:
            return key
        refusal: InputError | None = None
        for scopes in dict.fromkeys(self.scopes):
            try:
                return self._token(name, secret, scopes)
            except InputError as error:
                refusal = refusal or error
        assert refusal is not None
        raise refusal

    def _token(self, name: str, secret: str, scopes: tuple[str, ...]) -> str:
        grants = self.scheme.grants
        is_client = PasswordCredentials.__name__ not in grants or (
            ClientCredentials.__name__ in grants
        )
        grant = (
            ClientCredentials(client_id=name, client_secret=secret, scopes=scopes)
            if is_client
            else PasswordCredentials(username=name, password=secret, scopes=scopes)
        )
        declared = self.setting.token_url or self.scheme.token_url_for(grant) or ""
        url = urljoin(f"{self.target.base_url}/", declared)
        self.check(url)
        tokens = Tokens(grant, url, None, "specwright")
        try:
            return obtained(tokens.flow(Sent("POST", url, [])), self._send, time.sleep)
        except (TransportError, TokenRequestError) as error:
            hint = "check the key, or set token-url in [tool.specwright.test.sign-in]"
            raise InputError(f"{url} returned no token: {error}", hint=hint) from None

    def _send(self, sent: Sent) -> Received:
        request = HttpRequest(sent.method, sent.url, tuple(sent.headers), sent.content)
        # The token endpoint may be an operation of the document.
        is_here = sent.url.startswith(f"{self.target.base_url}/")
        operation = self.routes.operation(sent.method, sent.url) if is_here else None
        pointer = None if operation is None else operation.pointer
        exchange = self.target.send(request, SOURCE, pointer, ANONYMOUS)
        if exchange.response is None:
            raise TransportError(str(exchange.failure))
        response = exchange.response
        return Received(response.status, list(response.headers), response.body)
