"""A ticket system as a team would write it with Flask: its routes are those of its document."""

from __future__ import annotations

import re

from flask import Flask, Response, g, jsonify, request
from werkzeug.exceptions import HTTPException

from lab.tickets.contract import RefusedError, operations
from lab.tickets.rows import Store, read
from lab.tickets.views import VIEWS

ACCOUNTS = {"test-acme": "acme", "test-globex": "globex"}


def create_app() -> Flask:
    """Return an application without any rows."""
    app, store = Flask(__name__), Store()
    known = {operation.id: operation for operation in operations()}
    for operation in known.values():
        app.add_url_rule(
            re.sub(r"{(\w+)}", r"<uuid:\1>", operation.path),
            operation.id,
            VIEWS[operation.id],
            methods=[operation.method],
            provide_automatic_options=False,
        )

    @app.before_request
    def check() -> None:
        # A connection that closes before all was read loses the response.
        request.get_data()
        operation = known.get(request.endpoint or "")
        if operation is None:
            return
        account = ACCOUNTS.get(request.headers.get("X-API-Key", ""))
        if account is None:
            raise RefusedError(401, "unauthorized", "The key is missing or unknown")
        g.store, g.account = store, account
        g.query = operation.parameters(request)
        g.body = read(operation.body(request))
        operation.check(g.body)

    app.register_error_handler(RefusedError, refused)
    app.register_error_handler(HTTPException, failed)
    return app


def refused(error: RefusedError) -> Response:
    """Return the response to a request that is refused."""
    response = jsonify({"error": {"code": error.code, "message": error.message}})
    response.status_code = error.status
    if error.status == 401:
        response.headers["WWW-Authenticate"] = 'ApiKey realm="tickets"'
    return response


def failed(error: HTTPException) -> Response:
    """Return the response for an error of Flask, such as a path that does not exist."""
    code = error.name.lower().replace(" ", "_")
    response = refused(RefusedError(error.code or 500, code, error.name))
    for name, value in error.get_headers():
        if name == "Allow":
            response.headers[name] = value
    return response
