"""Bodies of deliveries as events, and events as bodies."""

from __future__ import annotations

import json
import uuid
from typing import Any

from pydantic import ValidationError

from .codec import Codecs, problems_of
from .errors import InvalidEventError
from .operation import at


class Events(Codecs):
    """The events of a package's models, by the name of their type."""

    def read(self, model: str, body: bytes) -> Any:
        """Return the event of a genuine delivery.

        Raises:
            InvalidEventError: the body is not the event that the contract describes.
        """
        try:
            return self[model].read(body)
        except ValidationError as error:
            problems = problems_of("body", error)
        # Not within the block: the first error, which knows the body, would stay behind this one.
        raise InvalidEventError(problems, body)

    def write(self, model: str, event: object) -> bytes:
        """Return the body of a delivery of an event."""
        return self[model].dump(event)

    def text(self, body: bytes, path: tuple[str, ...] | None) -> str:
        """Return the text at a path of a body; a random one where there is none."""
        found = None if path is None else at(json.loads(body), path)
        return found if isinstance(found, str) else uuid.uuid4().hex
