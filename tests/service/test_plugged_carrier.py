"""A carrier is plugged in for live mode; without one, live mode is not available."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from esim_service.carrier.plugged import open_carrier
from esim_service.store.changes.database import OperatorError
from partner_esim import EsimClient, models
from partner_esim.errors import ApiStatusError

from .plugged.played_carrier import ADDRESS
from .running import CARRIER, Running, esim_service, eventually, serving

pytestmark = pytest.mark.anyio

PLAN = "pln_jp-5gb-30d"
SERVE = ("serve", "--port=0", "--metrics-port=0")
ISSUE = ("keys", "create", "--partner", "acme", "--mode", "live", "--plain")


def refused(*arguments: str, cwd: Path, **variables: str) -> str:
    """The one line with which a command refuses."""
    done = esim_service(*arguments, cwd=cwd, **variables)
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    return line


def ordered(client: EsimClient) -> models.Esim:
    placed = client.orders.create(plan_id=PLAN, reference="r")
    [esim] = eventually(lambda: client.esims.list(order_id=placed.order_id).items)
    return esim


def funded(running: Running) -> str:
    """A live key of a partner with money."""
    key = running.key("live")
    running.run("partners", "credit", "acme", "100")
    return key


async def test_each_mode_has_its_carrier(ready: str, tmp_path: Path) -> None:
    with (
        serving(ready, tmp_path, **CARRIER) as running,
        running.client(funded(running)) as live,
        running.client(running.key()) as sandbox,
    ):
        assert ordered(live).activation.smdp_address == ADDRESS
        assert ordered(sandbox).activation.smdp_address != ADDRESS


async def test_nothing_is_live_without_a_carrier(ready: str, tmp_path: Path) -> None:
    if not ready.startswith("postgresql"):
        assert esim_service("migrate", "--database", ready, cwd=tmp_path).returncode == 0
    database = {"ESIM_DATABASE": ready}
    assert "ESIM_CARRIER" in refused(*ISSUE, cwd=tmp_path, **database)
    assert esim_service("keys", "list", cwd=tmp_path, **database).stdout == ""
    assert esim_service(*ISSUE, cwd=tmp_path, **database, **CARRIER).returncode == 0
    assert "ESIM_CARRIER" in refused(*SERVE, cwd=tmp_path, **database)


async def test_a_live_key_from_elsewhere_is_not_charged_for_what_nobody_makes(
    ready: str, tmp_path: Path
) -> None:
    with serving(ready, tmp_path) as running, running.client(funded(running)) as client:
        with pytest.raises(ApiStatusError) as raised:
            client.orders.create(plan_id=PLAN, reference="r")
        assert (raised.value.status, raised.value.code) == (503, "unavailable")
        assert client.balance.get().balance_usd == Decimal("100.00")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("none-such", "installed: absent, awkward, nothing, played, something-else"),
        ("absent", "played_carrier:missing cannot be loaded"),
        ("nothing", "nothing is not an esim_service.carrier.port.Carrier"),
        ("something-else", "something-else is not an esim_service.carrier.port.Carrier"),
    ],
)
async def test_a_carrier_that_is_none_is_told(
    monkeypatch: pytest.MonkeyPatch, name: str, words: str
) -> None:
    monkeypatch.syspath_prepend(CARRIER["PYTHONPATH"])
    with pytest.raises(OperatorError, match=r"^ESIM_CARRIER: ") as raised:
        async with open_carrier(name):
            pass
    assert words in str(raised.value)
