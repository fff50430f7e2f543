"""Settings: defaults, the environment, and invalid values."""

import base64
import os
from ipaddress import ip_network
from pathlib import Path

import pytest
import trustme

from esim_service import settings
from esim_service.settings import SettingsError


@pytest.fixture(autouse=True)
def nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in filter(lambda each: each.startswith("ESIM_"), tuple(os.environ)):
        monkeypatch.delenv(name)


def test_nothing_has_to_be_set() -> None:
    loaded = settings.load()
    assert loaded.database == "esim.sqlite3"
    assert loaded.webhook_allow_cidr == ()
    assert loaded.webhook_retry_scale == 1
    assert loaded.only_for_tests == ()
    assert loaded.host == loaded.metrics_host == "127.0.0.1"


def test_the_environment_decides(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    authorities = tmp_path / "ca.pem"
    trustme.CA().cert_pem.write_to_path(authorities)
    monkeypatch.setenv("ESIM_DATABASE", "postgresql://db/esim")
    monkeypatch.setenv("ESIM_PORT", "0")
    monkeypatch.setenv("ESIM_BASE_URL", "https://esim.example/x/api/v1")
    monkeypatch.setenv("ESIM_WEBHOOK_ALLOW_CIDR", "127.0.0.0/8, ::1/128")
    monkeypatch.setenv("ESIM_WEBHOOK_CA_FILE", str(authorities))
    monkeypatch.setenv("ESIM_WEBHOOK_RETRY_SCALE", "0.05")
    loaded = settings.load()
    assert loaded.database == "postgresql://db/esim"
    assert loaded.port == 0
    assert loaded.base_url == "https://esim.example/x/api/v1"
    assert loaded.webhook_allow_cidr == (ip_network("127.0.0.0/8"), ip_network("::1/128"))
    assert loaded.webhook_ca_file == authorities
    assert loaded.webhook_retry_scale == 0.05
    assert loaded.only_for_tests == (
        "ESIM_WEBHOOK_ALLOW_CIDR",
        "ESIM_WEBHOOK_CA_FILE",
        "ESIM_WEBHOOK_RETRY_SCALE",
    )


def test_an_empty_variable_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ESIM_PORT", "")
    assert settings.load().port == 8000


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "65536"),
        ("PORT", "-1"),
        ("PORT", "http"),
        ("METRICS_PORT", "1.5"),
        ("LOG_LEVEL", "loud"),
        ("BASE_URL", "ftp://esim.example/api/v1"),
        ("BASE_URL", "https:///api/v1"),
        ("BASE_URL", "https://esim.example/api/v2"),
        ("BASE_URL", "https://esim.example/api/v1/"),
        ("BASE_URL", "https://esim.example/api/v1?x=/api/v1"),
        ("WEBHOOK_ALLOW_CIDR", "127.0.0.1/8"),
        ("WEBHOOK_ALLOW_CIDR", "localhost"),
        ("WEBHOOK_CA_FILE", "/nonexistent.pem"),
        ("WEBHOOK_CA_FILE", "/"),
        ("WEBHOOK_CA_FILE", __file__),
        ("WEBHOOK_CA_FILE", os.devnull),
        ("DATABSE", "esim.sqlite3"),
        ("PORT_80_TCP", "tcp://10.0.0.1:80"),
        ("WEBHOOK_RETRY_SCALE", "0"),
        ("WEBHOOK_RETRY_SCALE", "1.5"),
        ("WEBHOOK_RETRY_SCALE", "nan"),
    ],
)
def test_what_is_wrong_is_named_in_one_line(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"ESIM_{name}", value)
    with pytest.raises(SettingsError) as caught:
        settings.load()
    [line] = str(caught.value).splitlines()
    assert line.startswith(f"ESIM_{name}: ")


def test_every_wrong_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ESIM_PORT", "x")
    monkeypatch.setenv("ESIM_LOG_LEVEL", "x")
    with pytest.raises(SettingsError, match=r"^ESIM_LOG_LEVEL: .*\nESIM_PORT: .*$"):
        settings.load()


def test_a_setting_that_is_none_is_named_with_the_one_that_is_meant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ESIM_DATABSE", "x")
    monkeypatch.setenv("ESIM_\x1b[2J", "x")
    with pytest.raises(SettingsError) as caught:
        settings.load()
    assert str(caught.value).splitlines() == [
        r"ESIM_\x1b[2J: unknown setting",
        "ESIM_DATABSE: unknown setting: did you mean ESIM_DATABASE?",
    ]


def test_a_setting_in_small_letters_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("esim_port", "81")
    assert settings.load().port == 81


KEY = base64.urlsafe_b64encode(bytes(range(224, 256))).decode()


def test_keys_for_secrets_are_read_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ESIM_SECRETS_KEY", f"{KEY}, {KEY[::-1][1:]}=")
    loaded = settings.load()
    assert loaded.encryption_keys == (KEY, f"{KEY[::-1][1:]}=")
    assert KEY not in repr(loaded)


@pytest.mark.parametrize("key", ["short", KEY[:-1], f"{KEY},", f"{KEY},{KEY[:-4]}", "é" * 44])
def test_a_key_that_is_none_is_told_without_showing_it(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("ESIM_SECRETS_KEY", key)
    with pytest.raises(SettingsError, match=r"^ESIM_SECRETS_KEY: key \d is not 32 bytes") as caught:
        settings.load()
    assert key not in str(caught.value) and KEY not in str(caught.value)
