"""The generated client: one GET, next to the same GET by httpx2."""

import json
import sys

import httpx2
from harness import in_turns

from partner_esim import EsimClient

base, rounds = sys.argv[1], int(sys.argv[2])
sdk = EsimClient(api_key="pes_test_" + "0" * 48, base_url=base)
raw = httpx2.Client()

in_turns(
    {
        "raw": lambda: json.loads(raw.get(f"{base}/plans/p").content),
        "sdk": lambda: sdk.plans.get("p"),
    },
    rounds=rounds,
    repeat=200,
)
