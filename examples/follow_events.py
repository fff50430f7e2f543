"""Deals with each event of the feed as it happens: `follow_events.py FILE`.

The file holds the cursor of what has been dealt with, so that a worker that was stopped goes on
where it was. The key and the address come from PARTNER_ESIM_API_KEY and PARTNER_ESIM_BASE_URL.
"""

import sys
import time
from pathlib import Path

from partner_esim import EsimClient, models

INTERVAL = 5.0


def deal_with(event: models.Event) -> None:
    if isinstance(event, models.OrderCompletedEvent):
        print("completed", event.data.reference, *event.data.iccids, flush=True)
    elif isinstance(event, models.EsimUsageEvent):
        print("used", event.data.iccid, event.threshold_percent, "percent", flush=True)
    else:
        print("left alone", event.type, flush=True)


def main() -> None:
    place = Path(sys.argv[1])
    cursor = place.read_text() if place.exists() else ""
    with EsimClient() as client:
        while True:
            page = client.events.list(cursor=cursor) if cursor else client.events.list()
            for event in page.items:
                deal_with(event)
            if page.next_cursor is not None:
                # After the events: one that is interrupted is dealt with again, none is left out.
                cursor = page.next_cursor
                place.write_text(cursor)
            if not page.has_more:
                time.sleep(INTERVAL)


if __name__ == "__main__":
    main()
