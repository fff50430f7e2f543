"""openai: one GET, next to the same GET by the underlying library."""

import json
import sys

import httpx2
from harness import in_turns
from openai import OpenAI

base, rounds = sys.argv[1], int(sys.argv[2])
sdk = OpenAI(api_key="sk-test", base_url=base)
raw = httpx2.Client()

in_turns(
    {
        "raw": lambda: json.loads(raw.get(f"{base}/models/m").content),
        "sdk": lambda: sdk.models.retrieve("m"),
    },
    rounds=rounds,
    repeat=200,
)
