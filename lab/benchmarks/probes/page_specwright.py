"""The generated client: parsing pages of events, next to a TypeAdapter of the same types."""

import sys
from pathlib import Path

from harness import in_turns

from partner_esim import models
from partner_esim._runtime.shared.codec import Codecs

place, rounds = Path(sys.argv[1]), int(sys.argv[2])
events = Codecs(models.__name__)["EventList"]
# The same validator as in a TypeAdapter of these types, with all constraints of the document.
checked = events.validator.validate_json
pages = {path.stem: path.read_bytes() for path in place.glob("*.json")}
calls = {name: lambda page=page: events.read(page) for name, page in pages.items()}
calls["adapter"] = lambda: checked(pages["plain"], by_alias=True, by_name=False)

in_turns(calls, rounds=rounds, repeat=50)
