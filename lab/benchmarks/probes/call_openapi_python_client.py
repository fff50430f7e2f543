"""The client that openapi-python-client generates: one GET, next to the same GET by httpx."""

import json
import sys

import httpx
from harness import in_turns

base, rounds, package = sys.argv[1], int(sys.argv[2]), sys.argv[3]
sys.path.insert(0, package)

from peer_client import AuthenticatedClient  # noqa: E402
from peer_client.api.plans import get_plan  # noqa: E402

sdk = AuthenticatedClient(base_url=base, token="pes_test_" + "0" * 48)
raw = httpx.Client()

in_turns(
    {
        "raw": lambda: json.loads(raw.get(f"{base}/plans/p").content),
        "sdk": lambda: get_plan.sync("p", client=sdk),
    },
    rounds=rounds,
    repeat=200,
)
