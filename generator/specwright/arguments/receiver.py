"""Options for a receiver of webhooks on this machine, or behind a tunnel to it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from specwright.arguments.ranges import IntegerRange, NumberRange
from specwright.conformance.checks.webhooks.authority import Authority
from specwright.conformance.checks.webhooks.source import ReceiverOptions

_OPTIONS = (
    click.option(
        "--receiver-authority",
        metavar="DIRECTORY",
        type=click.Path(path_type=Path, file_okay=False),
        help="Receive webhooks on this machine, with a certificate of the authority in this "
        "directory (see specwright authority), which the implementation has to trust.",
    ),
    click.option(
        "--public-url",
        metavar="URL",
        help="Receive webhooks behind a tunnel that begins at this URL; it ends at "
        "--receiver-port.",
    ),
    click.option("--receiver-port", type=IntegerRange(0, 65535), default=0, metavar="PORT"),
)

# To be applied below `receiver_options`, which takes its value.
retry_scale = click.option(
    "--retry-scale",
    type=NumberRange(0, 1, min_open=True),
    default=1.0,
    metavar="FACTOR",
    help="The factor by which the implementation scales the pauses between attempts in this test.",
)


def receiver_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for a receiver to a command, which gets them as `receiver`."""

    @wraps(command)
    def with_receiver(
        *args: Any,
        receiver_authority: Path | None,
        public_url: str | None,
        receiver_port: int,
        retry_scale: float = 1.0,
        **others: Any,
    ) -> None:
        receiver = None
        if receiver_authority is not None or public_url is not None:
            authority = Authority.at(receiver_authority) if receiver_authority else None
            receiver = ReceiverOptions(authority, public_url, receiver_port, retry_scale)
        command(*args, receiver=receiver, **others)

    decorated: Callable[..., None] = with_receiver
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated
