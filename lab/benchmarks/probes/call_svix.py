"""svix: one GET, next to the same GET by the underlying library."""

import json
import sys

import httpx
from harness import in_turns
from svix.api import Svix, SvixOptions

base, rounds = sys.argv[1], int(sys.argv[2])
sdk = Svix("token", SvixOptions(server_url=base))
raw = httpx.Client()

in_turns(
    {
        "raw": lambda: json.loads(raw.get(f"{base}/api/v1/app/a").content),
        "sdk": lambda: sdk.application.get("a"),
    },
    rounds=rounds,
    repeat=200,
)
