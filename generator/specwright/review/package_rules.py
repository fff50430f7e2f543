"""The rules of `specwright review` for the generated package."""

from __future__ import annotations

from specwright.findings import Level, RuleDescription

_CATEGORY = "Generated package"


def _rule(id: str, level: Level, why: str) -> RuleDescription:
    return RuleDescription(id, _CATEGORY, why, "", "", level, level)


DRIFT = _rule(
    "generated-drift",
    Level.ERROR,
    "The generated package is out of date: its users and those of the API rely on different "
    "contracts.",
)
NOT_GENERATED = _rule(
    "not-generated",
    Level.ERROR,
    "The package can no longer be generated from the document; `specwright generate` fails, too.",
)
NOT_COMPARED = _rule(
    "sdk-not-compared",
    Level.WARNING,
    "The changes for users of the generated package are unknown, because it is missing on one "
    "side.",
)
DESCRIPTIONS = (DRIFT, NOT_GENERATED, NOT_COMPARED)
