"""A backup is restored after partners have read more of the feed than it has."""

from __future__ import annotations

from pathlib import Path

import pytest

from partner_esim import EsimClient
from partner_esim.errors import ApiStatusError
from tests.service.running import esim_service, eventually, serving

PLAN = "pln_jp-5gb-30d"


def completed(client: EsimClient, count: int, name: str) -> None:
    """Place orders, and wait until all of the feed is there."""
    before = len(client.events.list(limit=200).items)
    for number in range(count):
        client.orders.create(plan_id=PLAN, reference=f"{name}-{number}")
    assert eventually(lambda: len(client.events.list(limit=200).items) == before + count)


def test_a_reader_who_is_ahead_of_a_backup_is_told_and_misses_nothing(tmp_path: Path) -> None:
    place = tmp_path / "service.db"
    with serving(str(place), tmp_path) as running:
        key = running.key()
        with running.client(key) as client:
            completed(client, 2, "before")
            running.run("backup", "monday.db")
            behind = client.events.list(limit=200).next_cursor
            completed(client, 3, "lost")
            ahead = client.events.list(limit=200).next_cursor
        assert running.stop() == 0
    done = esim_service("restore", "monday.db", "--database", str(place), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with serving(str(place), tmp_path) as running, running.client(key) as client:
        # Before the feed has come to the number of the cursor, and after it.
        for name in ("new", "newer"):
            completed(client, 2, name)
            for cursor in (behind, ahead):
                with pytest.raises(ApiStatusError) as raised:
                    client.events.list(cursor=cursor)
                assert (raised.value.status, raised.value.code) == (400, "cursor_expired")
        # A reader without one finds all that is there.
        assert len(client.events.list(limit=200).items) == 6
