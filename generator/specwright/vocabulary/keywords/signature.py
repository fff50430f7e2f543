"""The signature by which a receiver recognizes a genuine webhook."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import Keyword, Place
from specwright.vocabulary.policy import ChangePolicy, Subject, changed, lowered
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import Choice, Limits, Name, Positive


class Algorithm(Choice):
    """The algorithm of the digest."""

    HMAC_SHA256 = "hmac-sha256"


class Encoding(Choice):
    """The encoding of the digest."""

    HEX = "hex"


class Secret(Choice):
    """The way in which the secret becomes the key."""

    TEXT = "text"


# Receivers verify deliveries as they are signed today.
_CHANGED = ChangePolicy(changed, Subject.SIGNATURE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """The signature of a webhook delivery."""

    header: Annotated[
        Name, Names(Target.HEADER_PARAMETER), _CHANGED, "The header that carries the signature."
    ]
    template: Annotated[
        Name,
        Limits(allOf=[{"pattern": r"\{timestamp\}"}, {"pattern": r"\{digest\}"}]),
        _CHANGED,
        "The exact form of the header value, with the places `{timestamp}` (seconds since 1970) "
        "and `{digest}`.",
    ]
    payload: Annotated[
        Name,
        Limits(pattern=r"\{body\}"),
        _CHANGED,
        "The signed text, with the places `{timestamp}` and `{body}` (the raw bytes of the body).",
    ]
    algorithm: Annotated[Algorithm, _CHANGED, "The algorithm of the digest."]
    encoding: Annotated[
        Encoding, _CHANGED, "The encoding of the digest; `hex` means lower-case letters."
    ]
    tolerance_seconds: Annotated[
        Positive,
        ChangePolicy(lowered, Subject.SIGNATURE),
        "The maximum difference between the timestamp and the time of the receiver.",
    ]
    secret: Annotated[
        Secret,
        _CHANGED,
        "The derivation of the key; `text` means the UTF-8 bytes of the whole secret as it was "
        "shown.",
    ]


SIGNATURE = Keyword[Signature](
    "x-contract-signature",
    (Place.WEBHOOK,),
    Signature,
    {
        "header": "Signature",
        "template": "t={timestamp},v1={digest}",
        "payload": "{timestamp}.{body}",
        "algorithm": "hmac-sha256",
        "encoding": "hex",
        "tolerance_seconds": 300,
        "secret": "text",
    },
)
