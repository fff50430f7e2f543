"""Attacks by the references of a document, and by the document itself."""

from __future__ import annotations

import json
import os

from tests.hostile_repositories.repository import (
    DOCUMENT,
    SECRET_BESIDE_THE_CODE,
    Repository,
    attack,
)

OUTSIDE = "refers to a file outside the project"


def refer(repository: Repository, target: str) -> None:
    """Let a schema of the document refer to another file."""
    components = {"schemas": {"Secret": {"$ref": target}}}
    (repository.top / "api.json").write_text(json.dumps({**DOCUMENT, "components": components}))


@attack(OUTSIDE)
def reference_leads_outside(repository: Repository) -> None:
    refer(repository, "../../outside/secret.json")


@attack(OUTSIDE)
def reference_is_written_in_escapes(repository: Repository) -> None:
    refer(repository, "%2e%2e/%2e%2e/outside/secret.json")


@attack(OUTSIDE)
def reference_leads_to_the_environment(repository: Repository) -> None:
    refer(repository, f"{'../' * 30}proc/self/environ")


@attack("is not a path relative to this file")
def reference_is_absolute(repository: Repository) -> None:
    refer(repository, str(repository.outside / "secret.json"))


@attack("is not a path relative to this file")
def reference_is_the_address_of_a_file(repository: Repository) -> None:
    refer(repository, f"file://{repository.outside}/secret.json")


@attack(OUTSIDE)
def reference_leads_to_a_link(repository: Repository) -> None:
    (repository.top / "part.json").symlink_to(repository.outside / "secret.json")
    refer(repository, "part.json")


@attack(OUTSIDE)
def reference_leads_through_a_link(repository: Repository) -> None:
    (repository.top / "parts").symlink_to(repository.outside)
    refer(repository, "parts/secret.json")


@attack(OUTSIDE)
def part_refers_to_a_file_outside(repository: Repository) -> None:
    part = {"properties": {"a": {"$ref": "../../outside/secret.json"}}}
    (repository.top / "part.json").write_text(json.dumps(part))
    refer(repository, "part.json")


@attack(OUTSIDE)
def reference_leads_to_an_endless_device(repository: Repository) -> None:
    (repository.top / "part.json").symlink_to("/dev/zero")
    refer(repository, "part.json")


@attack("is not a regular file")
def reference_leads_to_a_pipe(repository: Repository) -> None:
    os.mkfifo(repository.top / "part.json")
    refer(repository, "part.json")


@attack("is larger than 32 MB")
def reference_leads_to_a_huge_file(repository: Repository) -> None:
    (repository.top / "part.json").touch()
    os.truncate(repository.top / "part.json", 10 * 1024**3)
    refer(repository, "part.json")


@attack("is not JSON or YAML")
def reference_leads_to_what_is_no_document(repository: Repository) -> None:
    (repository.top / ".env").write_text(f"TOKEN: *{SECRET_BESIDE_THE_CODE}\n")
    refer(repository, ".env")


@attack("refers to a value that is not an object")
def reference_leads_to_a_line_of_text(repository: Repository) -> None:
    (repository.top / ".env").write_text(f"TOKEN={SECRET_BESIDE_THE_CODE}\n")
    refer(repository, ".env")


@attack("is larger than 32 MB")
def document_is_huge(repository: Repository) -> None:
    os.truncate(repository.top / "api.json", 10 * 1024**3)


@attack("must be a path below the directory")
def document_is_an_endless_device(repository: Repository) -> None:
    (repository.top / "api.json").unlink()
    (repository.top / "api.json").symlink_to("/dev/zero")
