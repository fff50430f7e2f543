"""Conversion between events and the bodies of deliveries."""

from __future__ import annotations

import json
import uuid
from typing import Any

from pydantic import ValidationError

from .codec import Codecs, problems_of
from .errors import InvalidEventError
from .operation import at


class Events(Codecs):
    """The events of a package, read and written by the name of their model."""

    def read(self, model: str, body: bytes) -> Any:
        """Return the event of a genuine delivery.

        Raises:
            InvalidEventError: the body is not the event that the contract declares.
        """
        try:
            return self[model].read(body)
        except ValidationError as error:
            problems = problems_of("body", error)
        # Outside the block: a chained error would expose the body.
        raise InvalidEventError(problems, body)

    def write(self, model: str, event: object) -> bytes:
        """Return the body of the delivery of an event."""
        return self[model].dump(event)

    def text(self, body: bytes, path: tuple[str, ...] | None) -> str:
        """Return the text at a path of a body, or a random one if it is missing."""
        value = None if path is None else at(json.loads(body), path)
        return value if isinstance(value, str) else uuid.uuid4().hex
