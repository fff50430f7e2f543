"""The cost of importing an SDK and of preparing its first request."""

import sys

from lab.benchmarks.measurement import OURS, Goal, Measurement, Samples
from lab.benchmarks.peers import PEERS
from lab.benchmarks.workshop import Workshop, timed

FLOOR = "floor: httpx2 and pydantic"

BARE = {
    OURS: "import partner_esim",
    "openai": "import openai",
    "stripe": "import stripe",
    "svix": "import svix",
}
WEBHOOKS = {
    OURS: "import partner_esim.webhooks as w; w.verify",
    "stripe": "import stripe; stripe.Webhook.construct_event",
    "svix": "from svix.webhooks import Webhook; Webhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')",
}
READY = {
    OURS: "from partner_esim import EsimClient, models; "
    "EsimClient(api_key='k', base_url='http://x').plans.get",
    FLOOR: "import httpx2; from pydantic import BaseModel",
    "openai": "import openai; openai.OpenAI(api_key='k').models.retrieve",
    "stripe": "import stripe; stripe.StripeClient('sk').v1.balance.retrieve",
    "svix": "from svix.api import Svix; Svix('token').application.get",
}
IN_THIS_ENVIRONMENT = (OURS, FLOOR)


def start_up(workshop: Workshop, programs: dict[str, str]) -> Samples:
    """Measure the CPU time of an interpreter that runs a program, minus that of an empty one."""
    guests = [subject for subject in programs if subject not in IN_THIS_ENVIRONMENT]
    present = {*workshop.invite(guests), *IN_THIS_ENVIRONMENT}
    samples: Samples = {subject: [] for subject in programs if subject in present}
    for _ in range(workshop.rounds + 1):
        for subject, values in samples.items():
            here = subject in IN_THIS_ENVIRONMENT
            python = sys.executable if here else str(workshop.python_of(subject))
            empty = timed([python, "-c", "pass"]).cpu
            values.append(timed([python, "-c", programs[subject]]).cpu - empty)
    # The first round wrote the bytecode files.
    return {label(subject): values[1:] for subject, values in samples.items()}


def label(subject: str) -> str:
    return PEERS[subject].label if subject in PEERS else subject


HOW = "CPU time of a fresh interpreter less that of an empty one; modules are compiled already. "

IMPORT = Measurement(
    "import",
    "`import partner_esim`",
    "ms",
    HOW + "The public names load when they are first used.",
    lambda workshop: start_up(workshop, BARE),
    (Goal("at most 25 ms", lambda m: m[OURS] <= 25),),
)
WEBHOOKS_ONLY = Measurement(
    "webhooks",
    "Verifying webhooks and nothing else",
    "ms",
    HOW + "What a receiver of webhooks has to load.",
    lambda workshop: start_up(workshop, WEBHOOKS),
    (Goal("at most 60 ms", lambda m: m[OURS] <= 60),),
)
FIRST_REQUEST = Measurement(
    "ready",
    "Ready for the first request",
    "ms",
    HOW + "Models have been imported, a client made and a method looked up. The floor is "
    "a plain import of the two libraries that the SDK stands on, in the same run.",
    lambda workshop: start_up(workshop, READY),
    (Goal("at most 150 ms", lambda m: m[OURS] <= 150),),
)
