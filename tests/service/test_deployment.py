"""The image and the compose file name nothing that does not exist."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from esim_service.cli import main
from esim_service.settings import ServiceSettings

ROOT = Path(__file__).parents[2]
SERVICE = ROOT / "service"
COMPOSE = SERVICE / "compose.yaml"
DOCKERFILE = (SERVICE / "Dockerfile").read_text("utf-8")
VARIABLES = {f"ESIM_{name.upper()}" for name in ServiceSettings.model_fields}
# What an operator gives to compose; each is also a setting or belongs to PostgreSQL.
FROM_OUTSIDE = {"ESIM_SECRETS_KEY", "ESIM_BASE_URL", "POSTGRES_PASSWORD"}


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(COMPOSE.read_text("utf-8"))
    return loaded


def of_the_service(compose: dict[str, Any]) -> dict[str, Any]:
    return {n: s for n, s in compose["services"].items() if s["image"] == "esim-service"}


def lines(instruction: str) -> list[str]:
    """Return the arguments of an instruction of the Dockerfile, continued lines joined."""
    joined = DOCKERFILE.replace("\\\n", " ")
    return re.findall(rf"^{instruction} +(.*)$", joined, re.MULTILINE)


def test_the_compose_file_keeps_the_schema_of_compose() -> None:
    pytest.importorskip("check_jsonschema", reason="check-jsonschema is not installed")
    check = Path(sys.executable).with_name("check-jsonschema")
    command = [check, "--builtin-schema", "vendor.compose-spec", COMPOSE]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_every_variable_is_a_setting(compose: dict[str, Any]) -> None:
    used = set(re.findall(r"\bESIM_\w+", DOCKERFILE))
    for service in of_the_service(compose).values():
        used |= set(service["environment"])
    assert used <= VARIABLES
    assert set(re.findall(r"\$\{(\w+)", COMPOSE.read_text("utf-8"))) == FROM_OUTSIDE


def test_every_command_exists(compose: dict[str, Any]) -> None:
    [entry] = map(json.loads, lines("ENTRYPOINT"))
    pyproject = tomllib.loads((SERVICE / "pyproject.toml").read_text("utf-8"))
    assert set(entry) == set(pyproject["project"]["scripts"])
    [default] = map(json.loads, lines("CMD"))
    services = of_the_service(compose).values()
    above = click.Context(main, **main.context_settings)
    for name, *arguments in [default, *(service["command"] for service in services)]:
        assert main.commands[name].make_context(name, arguments, above)


def test_what_a_service_waits_for_exists_and_can_be_waited_for(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        for name, wanted in service.get("depends_on", {}).items():
            needed = compose["services"][name]
            match wanted["condition"]:
                case "service_healthy":
                    assert needed["healthcheck"]["test"]
                case "service_completed_successfully":
                    assert needed["restart"] == "no"
                case other:
                    pytest.fail(other)


def test_the_addresses_are_those_of_the_other_services(compose: dict[str, Any]) -> None:
    environment = of_the_service(compose)["serve"]["environment"]
    database = re.sub(r"\$\{[^}]*\}", "secret", environment["ESIM_DATABASE"])
    settings = ServiceSettings(database=database, redis_url=environment["ESIM_REDIS_URL"])
    assert re.search(r"@(\w+)/", settings.database)[1] in compose["services"]
    assert re.search(r"//(\w+)/", settings.redis_url)[1] in compose["services"]


def test_who_serves_does_not_work_and_the_worker_does(compose: dict[str, Any]) -> None:
    services = of_the_service(compose)
    assert services["serve"]["environment"]["ESIM_WORKER"] == "false"
    assert "ESIM_WORKER" not in services["worker"]["environment"]


def test_the_image_has_every_extra_of_a_service_and_no_root() -> None:
    copied = [line.split() for line in lines("COPY") if not line.startswith("--from")]
    assert all((ROOT / source).is_dir() for source, _ in copied)
    ignored = (SERVICE / "Dockerfile.dockerignore").read_text("utf-8").split()
    assert {f"!{source}" for source, _ in copied} <= set(ignored)
    installed = dict(re.findall(r'"\./(\w+)\[([\w,]+)\]"', DOCKERFILE))
    for directory, extras in installed.items():
        pyproject = tomllib.loads((ROOT / directory / "pyproject.toml").read_text("utf-8"))
        assert set(extras.split(",")) == set(pyproject["project"]["optional-dependencies"])
    assert lines("USER")[-1] == "esim"
    assert "--uid 10001" in DOCKERFILE


def test_the_image_knows_whether_it_is_well() -> None:
    [check] = lines("HEALTHCHECK")
    environment = dict(each.split("=", 1) for each in " ".join(lines("ENV")).split())
    program = json.loads(check.partition(" CMD ")[2])[-1]
    assert f":{environment['ESIM_METRICS_PORT']}/healthz" in program
    compile(program, "healthcheck", "exec")
    assert {"8000", environment["ESIM_METRICS_PORT"]} == set(lines("EXPOSE")[0].split())
    assert ServiceSettings.model_fields["port"].default == 8000
