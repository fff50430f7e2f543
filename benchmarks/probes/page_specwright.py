"""The generated client: a page of events from its bytes."""

import sys
from pathlib import Path

from harness import in_turns

from partner_esim import models
from partner_esim._runtime.shared.codec import Codecs

page, rounds = Path(sys.argv[1]).read_bytes(), int(sys.argv[2])
events = Codecs(models)["EventList"]

in_turns({"page": lambda: events.read(page)}, rounds=rounds, repeat=100)
