"""The image, the compose file, the units and the proxy fit the service and each other."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest
import uvicorn
import yaml

from esim_service.cli import main
from esim_service.http import health, listening
from esim_service.settings import ServiceSettings

from . import caddy
from .running import COMMAND
from .systemd import unit, variables

ROOT = Path(__file__).parents[2]
SERVICE = ROOT / "service"
COMPOSE = SERVICE / "compose.yaml"
DOCKERFILE = (SERVICE / "Dockerfile").read_text("utf-8")
DEPLOY = SERVICE / "deploy"
UNITS = sorted(DEPLOY.glob("esim*"))
CADDYFILE = caddy.CONFIGURATION.read_text("utf-8")
INSTALLED = "/opt/esim/bin/esim-service"
VARIABLES = {f"ESIM_{name.upper()}" for name in ServiceSettings.model_fields}
# What an operator gives to compose; each is also a setting or belongs to PostgreSQL.
FROM_OUTSIDE = {"ESIM_SECRETS_KEY", "SITE", "POSTGRES_PASSWORD"}


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


def test_the_image_keeps_the_rules_of_hadolint() -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    if not hadolint.exists():
        pytest.skip("hadolint is not installed")
    command = [str(hadolint), str(SERVICE / "Dockerfile")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


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
    environment = of_the_service(compose)["serve-1"]["environment"]
    database = re.sub(r"\$\{[^}]*\}", "secret", environment["ESIM_DATABASE"])
    settings = ServiceSettings(database=database, redis_url=environment["ESIM_REDIS_URL"])
    assert re.search(r"@(\w+)/", settings.database)[1] in compose["services"]
    assert re.search(r"//(\w+)/", settings.redis_url)[1] in compose["services"]


def test_who_serves_does_not_work_and_the_worker_does(compose: dict[str, Any]) -> None:
    services = of_the_service(compose)
    assert services["serve-1"] == services["serve-2"]
    assert services["serve-1"]["environment"]["ESIM_WORKER"] == "false"
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
    # Kubernetes refuses a name where it must not be root.
    assert lines("USER")[-1] == "10001"
    assert "--uid 10001" in DOCKERFILE


def test_the_image_knows_whether_it_is_well() -> None:
    [check] = lines("HEALTHCHECK")
    environment = dict(each.split("=", 1) for each in " ".join(lines("ENV")).split())
    program = json.loads(check.partition(" CMD ")[2])[-1]
    assert f":{environment['ESIM_METRICS_PORT']}/healthz" in program
    compile(program, "healthcheck", "exec")
    assert {"8000", environment["ESIM_METRICS_PORT"]} == set(lines("EXPOSE")[0].split())
    assert ServiceSettings.model_fields["port"].default == 8000


ENVIRONMENT = variables((DEPLOY / "environment").read_text("utf-8"))
SERVES = unit((DEPLOY / "esim@.service").read_text("utf-8"))
PROXY = dict(re.findall(r"\{\$(\w+):([^}]*)\}", CADDYFILE))
OPTIONS, LAST = (
    dict(re.findall(r"^\t+(\w+) ([^{]+?)$", part, re.MULTILINE))
    for part in CADDYFILE.split("handle_errors")
)


def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    if not (analyze := shutil.which("systemd-analyze")):
        pytest.skip("systemd is not installed")
    for path in UNITS:
        text = path.read_text("utf-8").replace(INSTALLED, str(COMMAND))
        (tmp_path / path.name).write_text(text)
    (tmp_path / "esim@1.service").symlink_to("esim@.service")
    units = [str(tmp_path / name) for name in ("esim@1.service", "esim-worker.service")]
    command = [analyze, "verify", "--man=no", *units]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert [line for line in done.stderr.splitlines() if "esim" in line] == []
    assert done.returncode == 0


def test_every_variable_of_the_units_is_a_setting() -> None:
    used = set(ENVIRONMENT)
    for path in UNITS:
        for value in unit(path.read_text("utf-8"))["Environment"]:
            used |= variables(value).keys()
    assert used <= VARIABLES
    values = {name.removeprefix("ESIM_").lower(): value for name, value in ENVIRONMENT.items()}
    assert ServiceSettings.model_validate({name: value for name, value in values.items() if value})


def test_every_command_of_the_units_exists() -> None:
    above = click.Context(main, **main.context_settings)
    for path in DEPLOY.glob("*.service"):
        [line] = unit(path.read_text("utf-8"))["ExecStart"]
        program, name, *arguments = line.split()
        assert program == INSTALLED
        assert main.commands[name].make_context(name, arguments, above)


def test_the_units_wait_until_a_process_is_ready_and_until_it_has_ended() -> None:
    drain = float(ENVIRONMENT["ESIM_DRAIN_SECONDS"])
    for path in DEPLOY.glob("*.service"):
        assert unit(path.read_text("utf-8"))["Type"] == ["notify"]
        [limit] = unit(path.read_text("utf-8"))["TimeoutStopSec"]
        assert float(limit) > drain + 2 * listening.GRACE_SECONDS


def test_the_proxy_finds_the_processes_of_the_units() -> None:
    [address] = unit((DEPLOY / "esim@.socket").read_text("utf-8"))["ListenStream"]
    assert PROXY["UPSTREAMS"] == address.replace("%i", "1")
    own = variables(SERVES["Environment"][0])
    assert own["ESIM_METRICS_HOST"] == address.partition(":")[0]
    assert own["ESIM_METRICS_PORT"] == PROXY["HEALTH_PORT"]


def test_the_proxy_finds_the_processes_of_the_compose_file(compose: dict[str, Any]) -> None:
    proxy, services = compose["services"]["proxy"], of_the_service(compose)
    upstreams = [address.split(":") for address in proxy["environment"]["UPSTREAMS"].split()]
    assert {name for name, _ in upstreams} == {
        name for name, service in services.items() if service["command"] == ["serve"]
    }
    assert {port for _, port in upstreams} | {PROXY["HEALTH_PORT"]} == set(
        lines("EXPOSE")[0].split()
    )
    assert proxy["environment"].keys() <= PROXY.keys()
    [file] = [volume for volume in proxy["volumes"] if volume.startswith("./")]
    assert (SERVICE / file.split(":")[0]).samefile(caddy.CONFIGURATION)
    grace = compose["services"]["serve-1"]["stop_grace_period"].removesuffix("s")
    assert [f"{grace}"] == SERVES["TimeoutStopSec"]


def test_the_times_of_the_proxy_and_of_the_service_fit() -> None:
    def seconds(option: str) -> float:
        return float(OPTIONS[option].removesuffix("s"))

    drain = float(ENVIRONMENT["ESIM_DRAIN_SECONDS"])
    assert seconds("health_interval") < drain
    # Another process is tried, also if a machine does not respond.
    assert seconds("lb_try_duration") > seconds("dial_timeout")
    assert {name: OPTIONS[name] for name in LAST.keys() & OPTIONS.keys() - {"lb_try_duration"}} == {
        name: LAST[name] for name in LAST.keys() & OPTIONS.keys() - {"lb_try_duration"}
    }
    assert seconds("health_timeout") > health.PROBE_SECONDS
    assert seconds("keepalive") < uvicorn.Config("").timeout_keep_alive


def test_caddy_accepts_the_configuration_as_it_is_formatted() -> None:
    text = subprocess.run(
        [caddy.command(), "fmt", caddy.CONFIGURATION], capture_output=True, text=True, check=False
    )
    assert text.stdout == CADDYFILE
