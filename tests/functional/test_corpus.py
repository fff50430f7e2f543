"""Published documents become packages with modules that import and names that exist."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from specwright.config import PackageOptions
from specwright.document.model import Document
from specwright.document.sources.load import load_in_part
from specwright.models.generate import ModelSource
from specwright.pipeline import at_once, generate, scaffold
from tests.names.used import wrong_names

pytestmark = pytest.mark.published

NAMES = (
    "adyen-capital.json",
    "adyen-terminal.json",
    "apideck-accounting.yaml",
    "box-2025.json",
    "cafe.yaml",
    "camara-sim-swap-subscriptions.yaml",
    "cloud-hypervisor.yaml",
    "cohere.yaml",
    "digitalocean.json",
    "elasticsearch-serverless.json",
    "elevenlabs.json",
    "github-2022-07.json",
    "intercom-2.16.yaml",
    "k8s-apps-v1.json",
    "lago.yaml",
    "linode-2024-10.yaml",
    "modern-treasury.yaml",
    "mollie.yaml",
    "oas-link-example-3.0.yaml",
    "oas-tictactoe-3.1.yaml",
    "oas-uspto-3.0.yaml",
    "oas-webhook-example-3.1.yaml",
    "ollama.yaml",
    "opc-baseline-3.1.yaml",
    "oxide-nexus.json",
    "pagerduty-events-v2.json",
    "pagerduty.json",
    "plex.yaml",
    "polar.json",
    "qdrant.json",
    "readme-circular-3.0.json",
    "readme-petstore-3.1.yaml",
    "readme-schema-types-3.1.json",
    "readme-star-trek-3.0.yaml",
    "rebilly.yaml",
    "resend.yaml",
    "sendgrid-mail.json",
    "sentry-deref.json",
    "svix-server.json",
    "telegram-bot.json",
    "train-travel.yaml",
    "twilio-insights.json",
    "unkey.yaml",
    "vercel.json",
)

# They say little about generated code that others do not, and take nine tenths of the time.
LARGEST = frozenset(
    {
        "apideck-accounting.yaml",
        "digitalocean.json",
        "elasticsearch-serverless.json",
        "elevenlabs.json",
        "github-2022-07.json",
        "intercom-2.16.yaml",
        "lago.yaml",
        "linode-2024-10.yaml",
        "modern-treasury.yaml",
        "mollie.yaml",
        "oxide-nexus.json",
        "pagerduty.json",
        "plex.yaml",
        "polar.json",
        "qdrant.json",
        "rebilly.yaml",
        "sentry-deref.json",
        "telegram-bot.json",
        "unkey.yaml",
        "vercel.json",
    }
)

IMPORT_ALL = """
import importlib, pathlib, sys
root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root))
for file in sorted(root.rglob("*.py")):
    name = ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
    importlib.import_module(name)
"""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.exhaustive] if name in LARGEST else [])
        for name in NAMES
    ],
)
def test_a_document_becomes_a_package(corpus: Path, tmp_path: Path, name: str) -> None:
    document, options = load_in_part(corpus / "specs" / name), PackageOptions(package="made")
    models: list[ModelSource] = []

    def begin_models(normal: Document) -> Callable[[], ModelSource]:
        models[:] = models or [at_once(normal)()]
        return lambda: models[0]

    files = dict(generate(document, options, begin_models=begin_models))
    scaffolded = scaffold(document, options, begin_models=begin_models)
    assert not [path for path, content in scaffolded.items() if b"._" in content]
    files |= {f"implementation/{path}": content for path, content in scaffolded.items()}
    for path, content in files.items():
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL, str(tmp_path)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert not wrong_names(tmp_path)


def test_no_document_is_left_out(corpus: Path) -> None:
    there = {file.name for file in (corpus / "specs").iterdir()} - {"index.json"}
    assert there == set(NAMES)
