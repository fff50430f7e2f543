"""Processes each event of the feed as it happens: `follow_events.py FILE`.

The file holds the cursor of the last processed batch, so that a restarted worker continues where
it stopped. The key and the base URL come from PARTNER_ESIM_API_KEY and PARTNER_ESIM_BASE_URL.
"""

import sys
from pathlib import Path

from partner_esim import CursorExpiredError, EsimClient, models


def deal_with(event: models.Event) -> None:
    if event.type == "order.completed":
        print("completed", event.data.reference, *event.data.iccids, flush=True)
    elif event.type == "esim.usage":
        print("used", event.data.iccid, event.threshold_percent, "percent", flush=True)
    else:
        print("left alone", event.type, flush=True)


def store(cursor: str, place: Path) -> None:
    new = place.with_suffix(".new")
    new.write_text(cursor)
    new.replace(place)


def main() -> None:
    place = Path(sys.argv[1])
    cursor = place.read_text() if place.exists() else None
    with EsimClient() as client:
        try:
            for batch in client.events.follow(cursor=cursor):
                for event in batch:
                    deal_with(event)
                # After the batch: an interrupted batch is repeated, and no event is lost.
                store(batch.cursor, place)
        except CursorExpiredError:
            place.unlink()
            sys.exit("events were missed: read the orders again, then start without a cursor")


if __name__ == "__main__":
    main()
