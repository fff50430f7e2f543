"""Runtime expressions, with which links name a part of an exchange."""

from __future__ import annotations

import re

from specwright.document.operations.headers import TOKEN

# A runtime expression (OpenAPI 3.1.1, 4.8.20.3).
EXPRESSION = re.compile(
    r"\$(?:url|method|statusCode|(?P<side>request|response)\."
    rf"(?:header\.(?P<header>{TOKEN})|query\.(?P<query>.+)|path\.(?P<path>.+)"
    r"|body(?:#(?P<body>(?:/.*)?))?))"
)
