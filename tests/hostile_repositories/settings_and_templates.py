"""Attacks by the settings of the project, and by its templates."""

from __future__ import annotations

import os

from tests.hostile_repositories.repository import Repository, attack

BELOW = "must be a path below the directory of pyproject.toml"
DOCUMENT = 'document = "api.json"'


@attack(BELOW)
def output_lies_outside(repository: Repository) -> None:
    repository.settings(DOCUMENT, 'output = "../../outside/generated"')


@attack(BELOW)
def output_is_absolute(repository: Repository) -> None:
    repository.settings(DOCUMENT, f'output = "{repository.outside}/new"')


@attack(BELOW)
def output_is_everything(repository: Repository) -> None:
    repository.settings(DOCUMENT, 'output = "/"')


@attack(BELOW)
def output_is_the_repository(repository: Repository) -> None:
    repository.settings(DOCUMENT, 'output = "."')


@attack(BELOW)
def output_lies_behind_a_link(repository: Repository) -> None:
    (repository.top / "link").symlink_to(repository.outside)
    repository.settings(DOCUMENT, 'output = "link/generated"')


@attack("must be a path that the operating system accepts")
def output_has_a_name_that_is_too_long(repository: Repository) -> None:
    repository.settings(DOCUMENT, f'output = "{"a" * 5000}"')


@attack(BELOW)
def document_lies_outside(repository: Repository) -> None:
    repository.settings('document = "../../outside/secret.json"')


@attack(BELOW)
def document_is_a_link(repository: Repository) -> None:
    (repository.top / "link.json").symlink_to(repository.outside / "secret.json")
    repository.settings('document = "link.json"')


@attack(BELOW)
def templates_lie_outside(repository: Repository) -> None:
    repository.settings(DOCUMENT, 'templates = "../../outside"')


@attack(BELOW)
def templates_are_everything(repository: Repository) -> None:
    repository.settings(DOCUMENT, 'templates = "/"')


@attack("is not a regular file")
def settings_are_a_pipe(repository: Repository) -> None:
    (repository.top / "pyproject.toml").unlink()
    os.mkfifo(repository.top / "pyproject.toml")


@attack("must not be a symbolic link to another directory")
def settings_are_a_link(repository: Repository) -> None:
    (repository.top / "pyproject.toml").unlink()
    (repository.top / "pyproject.toml").symlink_to(repository.outside / "secret.toml")


@attack("must not be a symbolic link to another directory")
def settings_are_an_endless_device(repository: Repository) -> None:
    (repository.top / "pyproject.toml").unlink()
    (repository.top / "pyproject.toml").symlink_to("/dev/zero")


@attack("is larger than 1 MB")
def settings_are_huge(repository: Repository) -> None:
    os.truncate(repository.top / "pyproject.toml", 10 * 1024**3)


@attack("not TOML: nested too deeply")
def settings_are_nested_deeply(repository: Repository) -> None:
    repository.settings(f"document = {'[' * 100_000}")


@attack("not TOML: ")
def settings_hold_a_number_that_is_too_long(repository: Repository) -> None:
    repository.settings(f"document = {'9' * 100_000}")


@attack("the setting 'document' must be a path, got int")
def settings_hold_a_number_that_cannot_be_written(repository: Repository) -> None:
    repository.settings(f"document = 0x{'f' * 100_000}")


@attack("is not a regular file")
def rules_are_a_pipe(repository: Repository) -> None:
    os.mkfifo(repository.top / "lint.toml")


@attack("must not be a symbolic link to another directory")
def rules_are_a_link(repository: Repository) -> None:
    (repository.top / "lint.toml").symlink_to(repository.outside / "secret.toml")


@attack("is a symbolic link, which a template must not be")
def template_is_a_link(repository: Repository) -> None:
    file = repository.template("package/README.md.jinja", "")
    file.unlink()
    file.symlink_to(repository.outside / "secret.txt")


@attack("is a symbolic link, which a template must not be")
def templates_hold_a_linked_directory(repository: Repository) -> None:
    repository.template("package/README.md.jinja", '{% include "more/secret.txt" %}')
    (repository.top / "own" / "more").symlink_to(repository.outside)


@attack("is not a regular file")
def template_is_a_pipe(repository: Repository) -> None:
    file = repository.template("package/README.md.jinja", "")
    file.unlink()
    os.mkfifo(file)


@attack("is larger than 1 MB")
def template_is_huge(repository: Repository) -> None:
    file = repository.template("package/README.md.jinja", "")
    os.truncate(file, 10 * 1024**3)


@attack("does not exist")
def template_includes_a_file_outside(repository: Repository) -> None:
    secret = repository.outside / "secret.txt"
    repository.template("package/README.md.jinja", f'{{% include "{secret}" %}}')


@attack("does not exist")
def template_includes_a_file_above(repository: Repository) -> None:
    repository.template("package/README.md.jinja", '{% include "../../../outside/secret.txt" %}')


@attack("template error: access to attribute '__init__'")
def template_runs_a_command(repository: Repository) -> None:
    command = f"touch {repository.outside}/touched"
    popen = f"cycler.__init__.__globals__.os.popen({command!r}).read()"
    repository.template("package/README.md.jinja", f"{{{{ {popen} }}}}")


@attack("template error: Range too big")
def template_makes_a_list_without_end(repository: Repository) -> None:
    repository.template("package/README.md.jinja", "{{ range(10000000000) | list | length }}")
