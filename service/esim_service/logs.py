"""Logs: one JSON object per line, with the request id and without secrets."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from io import TextIOBase
from typing import TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

_HIDDEN = "[redacted]"
_SECRET_FIELDS = frozenset(
    "activation_code api_key authorization matching_id secret signing_secret".split()
)
# The prefix that is kept of each shows the kind of the secret.
_SECRETS = re.compile(
    r"(?P<kept>pes_(?:test|live)_|whsec_|LPA:1\$|Bearer )(?!\[redacted\])[^\s\"'<>\\]+",
    re.IGNORECASE,
)

_SERVER_LOGGERS = ("uvicorn", "uvicorn.error", "uvicorn.access")


def redact(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Remove keys, signing secrets and activation codes from an entry."""
    return {name: _clean(name, value) for name, value in event.items()}


def configure(level: str, stream: TextIO | TextIOBase) -> None:
    """Send the entries of structlog and of the standard library to a stream."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.stdlib.PositionalArgumentsFormatter(),
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                redact,
                structlog.processors.JSONRenderer(default=str, ensure_ascii=False),
            ],
        )
    )
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    # A server started with its defaults in this process has loggers of its own.
    for name in _SERVER_LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
        logger.setLevel(logging.NOTSET)


def _clean(name: str, value: object) -> object:
    if name.lower() in _SECRET_FIELDS and value is not None:
        return _HIDDEN
    if isinstance(value, Mapping):
        return {str(inner): _clean(str(inner), item) for inner, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_clean("", item) for item in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    # Other objects are written as text, which may contain a secret as well.
    return _SECRETS.sub(rf"\g<kept>{_HIDDEN}", str(value))
