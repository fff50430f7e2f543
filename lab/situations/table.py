"""The situations, each with a rule that ranks its outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

NOT_OFFERED = "not offered"
# A process that had to be killed is worse than everything else.
HANGS, CRASHES = "hangs", "crashes"


@dataclass(frozen=True, slots=True)
class Ranked:
    """Words from the best to the worst; words in one tuple are equally good."""

    ranks: tuple[tuple[str, ...], ...]

    def cost(self, word: str) -> float:
        """Return the rank of a word; less is better.

        Raises:
            LookupError: no rule has the word: the stage is broken or the table is incomplete.
        """
        if word in (HANGS, CRASHES):
            return len(self.ranks)
        for place, words in enumerate(self.ranks):
            if word in words:
                return place
        raise LookupError(word)

    def is_better(self, one: str, other: str) -> bool:
        return self.cost(one) < self.cost(other)


@dataclass(frozen=True, slots=True)
class Fewer:
    """Numbers of which less is better; up to `tolerance` times as much is equally good."""

    tolerance: float = 1.0

    def is_better(self, one: str, other: str) -> bool:
        return float(one) * self.tolerance < float(other)


Rule = Ranked | Fewer


@dataclass(frozen=True, slots=True)
class Situation:
    """One row: the situation, and its rule."""

    name: str
    text: str
    rule: Rule


@dataclass(frozen=True, slots=True)
class Group:
    """Rows under one heading."""

    title: str
    situations: Sequence[Situation]


def ranked(*ranks: str | tuple[str, ...]) -> Ranked:
    return Ranked(tuple((rank,) if isinstance(rank, str) else rank for rank in ranks))


ARRIVES = ranked("as it is", "another value", "refused")
OWN_ERROR = ranked("own error", "foreign error", "no error")
REFUSES = ranked("refused", "foreign error", "accepted")
ACCEPTS = ranked("accepted", ("refused", "foreign error"))
SEEN = ranked("nowhere", "shown")
ENDS = ranked("ends in time", "waits as long as it drips")
LIMITED = ranked("refused", "taken whole")
USED = ranked("used", ("not used", "own error", "foreign error"))
SENT = ranked(("sent once", "repeated with one key"), "repeated blindly")
NARROWS = ranked("==, match on the type and on the class", "in part", "not at all")

GROUPS = (
    Group(
        "Responses that grow",
        (
            Situation(
                "optional-absent",
                "An optional member is left out: what reading it gives",
                ranked("None", "a false value", "raises", "a true value"),
            ),
            Situation(
                "optional-null",
                "A member that may be null is null",
                ranked("None", "another value", "refused"),
            ),
            Situation(
                "absent-or-null",
                "An optional member is left out, or sent as null",
                ranked("distinguished", "not distinguished", "null is refused"),
            ),
            Situation("new-member", "A new member", ranked("kept", "dropped", "refused")),
            Situation("new-enum-value", "A new value of an enum", ARRIVES),
            Situation("longer-text", "A text of 500 characters where there were 20", ARRIVES),
            Situation("larger-number", "A number above its old maximum", ARRIVES),
            Situation(
                "naive-time", "A date-time without an offset", ranked("a datetime", "refused")
            ),
            Situation(
                "integral-float",
                "5.0 where an integer is declared",
                ranked("an int", "a float", "refused"),
            ),
            Situation(
                "new-event-type",
                "An event of a new type",
                ranked(
                    "a type for unknown events",
                    "an event without a type",
                    ("read as an event of another type", "refused"),
                ),
            ),
        ),
    ),
    Group(
        "Broken responses",
        (
            Situation(
                "html",
                "A page of HTML with status 200",
                ranked("own error that says text/html", "own error", "foreign error", "no error"),
            ),
            Situation("broken-json", "JSON that ends in the middle", OWN_ERROR),
            Situation("truncated-body", "A body that is shorter than its length says", OWN_ERROR),
            Situation("no-content", "204 where a body is declared", OWN_ERROR),
            Situation("missing-member", "A required member is missing", OWN_ERROR),
            Situation(
                "other-media-type",
                "JSON that says it is text/plain",
                ranked(("read", "own error"), "foreign error", "a str instead of a model"),
            ),
            Situation("dripping-head", "A head that comes byte by byte, at a limit of 0.5 s", ENDS),
            Situation("dripping-body", "A body that comes byte by byte, at a limit of 0.5 s", ENDS),
            Situation("gzip-bomb", "A body that unpacks to 96 MiB, by default", LIMITED),
            Situation("large-body", "A body of 96 MiB, by default", LIMITED),
            Situation(
                "repeated-cursor",
                "A list whose pages repeat their cursor",
                ranked("own error", "foreign error", "ends as if all were read", "goes on forever"),
            ),
        ),
    ),
    Group(
        "Requests that are repeated or redirected",
        (
            Situation("post-breaks", "A POST whose connection breaks before the response", SENT),
            Situation(
                "safe-post-breaks",
                "The same, where an idempotency key or a reference makes it safe to repeat",
                ranked("repeated with one key", "sent once", "repeated blindly"),
            ),
            Situation(
                "unavailable-once",
                "A GET that is answered 503, then 200",
                ranked("asks again", "gives up"),
            ),
            Situation(
                "too-many-requests",
                "A GET that is answered 429 with `Retry-After: 1`, then 200",
                ranked("waits as asked", "gives up", "comes back too soon"),
            ),
            Situation(
                "in-progress",
                "A POST that is answered 409 because its first try is in progress",
                ranked("asks again", "gives up"),
            ),
            Situation(
                "conflict",
                "A POST that is answered 409 for a conflict that lasts",
                ranked("raises at once", "asks again"),
            ),
            Situation(
                "redirect",
                "A redirect to another host",
                ranked("not followed", "followed without the key", "followed with the key"),
            ),
        ),
    ),
    Group(
        "The key",
        (
            Situation("key-in-texts", "The key in texts of the client and of errors", SEEN),
            Situation("key-in-logs", "The key in logs at level DEBUG", SEEN),
            Situation("key-in-frames", "The key in local variables of tracebacks", SEEN),
            Situation(
                "key-with-a-line-break",
                "A key that ends with a line break",
                ranked(
                    ("own error", "refused"),
                    "foreign error",
                    ("own error, key shown", "refused, key shown", "foreign error, key shown"),
                    "sent",
                ),
            ),
        ),
    ),
    Group(
        "Options",
        (
            Situation(
                "own-authorization",
                "A header Authorization of the caller's own",
                ranked(
                    "the caller's is sent",
                    ("own error", "refused"),
                    "its own is sent",
                    ("foreign error", "two are sent"),
                ),
            ),
            Situation(
                "content-length",
                "A header Content-Length of the caller's own, which is wrong",
                ranked(
                    ("the right length is sent", "own error", "refused"),
                    "foreign error",
                    "the wrong length is sent",
                ),
            ),
            Situation(
                "header-beyond-ascii",
                "A header with `Zoë` in it",
                ranked(("sent", "own error", "refused"), "foreign error"),
            ),
            Situation(
                "no-time-at-all",
                "`timeout=0`",
                ranked(
                    ("refused", "own error"),
                    "foreign error",
                    "an error about a socket",
                    "means no limit",
                ),
            ),
            Situation(
                "minus-one-retries",
                "`max_retries=-1`",
                ranked(("refused", "own error", "means none"), "foreign error"),
            ),
            Situation("proxy-of-the-environment", "`HTTP_PROXY` in the environment", USED),
            Situation("proxy-as-an-argument", "A proxy given to the client", USED),
        ),
    ),
    Group(
        "Processes and event loops",
        (
            Situation(
                "pickled-error",
                "A 404 that is pickled",
                ranked("as it was", "loses its details", "breaks"),
            ),
            Situation(
                "error-in-a-pool",
                "A 404 in a pool of processes",
                ranked("arrives", "another error", "breaks the pool for all"),
            ),
            Situation(
                "fork",
                "Four children of a process that has called, 30 calls each",
                ranked("each has its own connections", "processes share a connection"),
            ),
            Situation(
                "bursts",
                "Ten bursts of 50 asynchronous calls: connections that were opened",
                Fewer(1.1),
            ),
            Situation(
                "second-loop",
                "An asynchronous client in a second `asyncio.run`",
                ranked("works", "own error", "foreign error"),
            ),
        ),
    ),
    Group(
        "Webhooks",
        (
            Situation("genuine-delivery", "A genuine delivery", ACCEPTS),
            Situation("changed-body", "A body with one byte more", REFUSES),
            Situation("old-timestamp", "A signature of an hour ago", REFUSES),
            Situation("future-timestamp", "A signature of the next hour", REFUSES),
            Situation("second-signature", "Two signatures, of which the second fits", ACCEPTS),
            Situation("other-case", "A digest in upper case", REFUSES),
            Situation("no-signature", "No signature", REFUSES),
            Situation("signed-nonsense", "A genuine delivery that is not JSON", REFUSES),
        ),
    ),
    Group(
        "Types",
        (
            Situation("mypy", "mypy narrows an event by its type", NARROWS),
            Situation("pyright", "pyright narrows an event by its type", NARROWS),
        ),
    ),
    Group(
        "Start",
        (
            Situation(
                "import",
                "Import the package: ms of CPU over an empty interpreter",
                Fewer(1.1),
            ),
            Situation(
                "first-use",
                "Import models, make a client, look up a method: ms of CPU, as above",
                Fewer(1.1),
            ),
        ),
    ),
)
SITUATIONS = {situation.name: situation for group in GROUPS for situation in group.situations}
