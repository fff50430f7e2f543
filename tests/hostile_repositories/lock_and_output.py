"""Attacks by the lock file, by files in the output, and by a cache in the work tree."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from tests.hostile_repositories.repository import (
    LOCK,
    SECRET_BESIDE_THE_CODE,
    Repository,
    attack,
)

NOT_A_LOCK = "not a lock file"
NOT_GENERATED = "not generated: "
ENVIRONMENT = Path("/proc/self/environ")
ENDLESS = Path("/dev/zero")


@attack(NOT_A_LOCK)
def lock_names_a_file_outside(repository: Repository) -> None:
    victim = repository.outside / "secret.txt"
    path = repository.from_output(victim)
    repository.lock(path, hashlib.sha256(victim.read_bytes()).hexdigest())


@attack(NOT_A_LOCK)
def lock_names_the_environment(repository: Repository) -> None:
    repository.lock(repository.from_output(ENVIRONMENT))


@attack(NOT_A_LOCK)
def lock_names_an_endless_device(repository: Repository) -> None:
    repository.lock(repository.from_output(ENDLESS))


@attack(NOT_A_LOCK)
def lock_names_an_absolute_path(repository: Repository) -> None:
    repository.lock(str(repository.outside / "secret.txt"))


@attack(NOT_A_LOCK)
def lock_names_a_path_with_a_null(repository: Repository) -> None:
    repository.lock("a\0b")


@attack("File name too long")
def lock_names_a_path_that_is_too_long(repository: Repository) -> None:
    repository.lock("a" * 5000)


@attack("edited by hand")
def lock_names_a_secret_beside_the_code(repository: Repository) -> None:
    (repository.output / "secret.txt").write_text(SECRET_BESIDE_THE_CODE)
    repository.lock("secret.txt")


@attack(NOT_A_LOCK)
def lock_is_a_link(repository: Repository) -> None:
    replace(repository.output / LOCK).symlink_to(repository.outside / "secret.json")


@attack(NOT_A_LOCK)
def lock_is_an_endless_device(repository: Repository) -> None:
    replace(repository.output / LOCK).symlink_to(ENDLESS)


@attack(NOT_A_LOCK)
def lock_is_a_pipe(repository: Repository) -> None:
    os.mkfifo(replace(repository.output / LOCK))


@attack(NOT_A_LOCK)
def lock_is_huge(repository: Repository) -> None:
    os.truncate(repository.output / LOCK, 10 * 1024**3)


@attack(NOT_A_LOCK)
def lock_is_nested_deeply(repository: Repository) -> None:
    (repository.output / LOCK).write_text("[" * 100_000)


@attack(NOT_GENERATED)
def generated_file_is_a_pipe(repository: Repository) -> None:
    os.mkfifo(replace(repository.output / "shop" / "client.py"))


@attack(NOT_GENERATED)
def generated_file_is_an_endless_device(repository: Repository) -> None:
    replace(repository.output / "shop" / "client.py").symlink_to(ENDLESS)


@attack(NOT_GENERATED)
def generated_file_is_the_environment(repository: Repository) -> None:
    replace(repository.output / "shop" / "client.py").symlink_to(ENVIRONMENT)


@attack(NOT_GENERATED)
def generated_file_is_huge(repository: Repository) -> None:
    os.truncate(repository.output / "shop" / "client.py", 10 * 1024**3)


@attack(NOT_GENERATED)
def generated_directory_is_a_link(repository: Repository) -> None:
    package = repository.output / "shop"
    package.rename(repository.top / "shop")
    package.symlink_to(repository.outside / "generated" / "shop")


@attack(NOT_GENERATED)
def stale_file_lies_behind_a_link(repository: Repository) -> None:
    victim = repository.outside / "secret.txt"
    (repository.output / "elsewhere").symlink_to(repository.outside)
    repository.lock("elsewhere/secret.txt", hashlib.sha256(victim.read_bytes()).hexdigest())


@attack("generated: is a symbolic link out of the project")
def output_is_a_link(repository: Repository) -> None:
    repository.output.rename(repository.top / "moved")
    repository.output.symlink_to(repository.outside / "generated")


@attack(NOT_GENERATED)
def output_is_deeper_than_the_stack(repository: Repository) -> None:
    place = repository.output
    for _ in range(1500):
        place = place / "a"
        place.mkdir()
    (place / "b.py").write_text("")


@attack("generated")
def output_holds_a_name_that_is_no_text(repository: Repository) -> None:
    Path(os.fsdecode(bytes(repository.output) + b"/\xff\x1b[2J.py")).write_text("")


@attack("files are up to date with api.json")
def cache_in_the_work_tree_is_a_link(repository: Repository) -> None:
    (repository.top / ".specwright_cache").symlink_to(repository.outside)


@attack("files are up to date with api.json")
def cache_in_the_work_tree_ignores_by_a_link(repository: Repository) -> None:
    cache = repository.top / ".specwright_cache"
    cache.mkdir()
    (cache / ".gitignore").symlink_to(repository.outside / "secret.txt")


def replace(file: Path) -> Path:
    file.unlink()
    return file
