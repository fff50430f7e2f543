"""The client that openapi-python-client generates: parsing a page of events from bytes."""

import json
import sys
from pathlib import Path

from harness import in_turns

page, rounds, package = Path(sys.argv[1]).read_bytes(), int(sys.argv[2]), sys.argv[3]
sys.path.insert(0, package)

from peer_client.models.event_list import EventList  # noqa: E402

in_turns({"page": lambda: EventList.from_dict(json.loads(page))}, rounds=rounds, repeat=100)
