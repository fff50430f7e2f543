"""stripe: one GET, next to the same GET by the underlying library."""

import json
import sys

import requests
import stripe
from harness import in_turns

base, rounds = sys.argv[1], int(sys.argv[2])
sdk = stripe.StripeClient("sk_test_1", base_addresses={"api": base})
raw = requests.Session()

in_turns(
    {
        "raw": lambda: json.loads(raw.get(f"{base}/v1/balance").content),
        "sdk": lambda: sdk.v1.balance.retrieve(),
    },
    rounds=rounds,
    repeat=200,
)
