"""The rules of `specwright review` for the generated package."""

from __future__ import annotations

from specwright.findings import Level, RuleDescription

_CATEGORY = "Generated package"


def _rule(id: str, level: Level, why: str) -> RuleDescription:
    return RuleDescription(id, _CATEGORY, why, "", "", level, level)


DRIFT = _rule(
    "generated-drift",
    Level.ERROR,
    "The generated package is not what the document says: users of the package and of the API "
    "are told different things.",
)
NOT_GENERATED = _rule(
    "not-generated",
    Level.ERROR,
    "No package can be made of the document any more; `specwright generate` fails, too.",
)
NOT_COMPARED = _rule(
    "sdk-not-compared",
    Level.WARNING,
    "What changes for users of the generated package is not known, because there is none on one "
    "side.",
)
DESCRIPTIONS = (DRIFT, NOT_GENERATED, NOT_COMPARED)
