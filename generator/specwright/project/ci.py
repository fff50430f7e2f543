"""The configuration of continuous integration: workflows of GitHub, and a pipeline of GitLab."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from specwright.json_values import JsonObject, mapping
from specwright.project.files import OUTPUT, ProjectFile, added_to, content_of, own_file

_PUBLISHING = ".github/workflows/publish{job}.yml"
_JOBS = "\njobs:\n"
# Keys of a pipeline beside its jobs: docs.gitlab.com/ci/yaml, "Global keywords".
_GLOBAL = frozenset({"cache", "default", "image", "include", "spec", "variables", "workflow"})


@dataclass(frozen=True, slots=True)
class CiService:
    """A service that runs the checks of merge or pull requests.

    Attributes:
        file: its configuration, from the top of the repository.
        template: the review of one project, with what stands above the jobs of all projects.
        tests: the job that tests a sandbox.
        document: the variable with the path of the document, in a job of the template.
        secret, key: what the template has for a test with credentials.
        quoted: returns a path as a value in the configuration.
        added: returns the part of a filled template that is added to an existing file.
        jobs: returns the jobs in the data of a configuration.
        with_jobs: returns the data of a configuration with more jobs.
    """

    file: str
    template: str
    tests: str
    document: str
    secret: str
    key: str
    quoted: Callable[[Path], str]
    added: Callable[[str], str]
    jobs: Callable[[JsonObject], JsonObject]
    with_jobs: Callable[[JsonObject, JsonObject], JsonObject]


def _github_quoted(path: Path) -> str:
    # GitHub replaces expressions in the text before it is read.
    return json.dumps(path.as_posix()).replace("${{", "${{ '${{' }}")


def _gitlab_quoted(path: Path) -> str:
    # GitLab replaces variables in the values of others.
    return json.dumps(path.as_posix()).replace("$", "$$")


SERVICES: Mapping[str, CiService] = {
    "github": CiService(
        file=".github/workflows/contract.yml",
        template="workflow.yml",
        tests="workflow-test.yml",
        document="\n    env:\n      DOCUMENT: {path}",
        secret="\n          KEY: ${{ secrets.CONTRACT_KEY<variable> }}",
        key="KEY",
        quoted=_github_quoted,
        added=lambda text: text.partition(_JOBS)[2],
        jobs=lambda data: mapping(data.get("jobs")),
        with_jobs=lambda data, jobs: {**data, "jobs": {**mapping(data.get("jobs")), **jobs}},
    ),
    "gitlab": CiService(
        file=".gitlab-ci.yml",
        template="gitlab.yml",
        tests="gitlab-test.yml",
        document="\n    DOCUMENT: {path}",
        secret="\n    # The masked variable CONTRACT_KEY<variable> is a key of the API.",
        key="CONTRACT_KEY<variable>",
        quoted=_gitlab_quoted,
        # A blank line is between the comment at the top and the jobs, and between jobs of others.
        added=lambda text: text[text.index("\n\n") + 1 :],
        jobs=lambda data: {
            name: job for name, job in data.items() if isinstance(job, dict) and name not in _GLOBAL
        },
        with_jobs=lambda data, jobs: {**data, **jobs},
    ),
}


def usual_service(repository: Path) -> str:
    """Return the name of the service that a repository uses; GitHub if no file tells."""
    is_gitlab = (repository / SERVICES["gitlab"].file).exists()
    return "gitlab" if is_gitlab and not (repository / ".github").exists() else "github"


def checks(
    service: CiService,
    directory: Path,
    repository: Path,
    name: Path,
    *,
    asks_for_key: bool,
    only_review: bool = False,
) -> ProjectFile:
    """Return the configuration with the jobs of a project; those of others, and edits, are kept.

    Args:
        directory: that of the project.
        repository: the directory above it with the configuration, which may be that of several
            projects.
        name: the path of the document, from the directory of the project.
        asks_for_key: whether operations need credentials.
        only_review: whether there is no job with a test, nor settings that name the document.

    Raises:
        InputError: the configuration cannot be written there.
    """
    file = own_file(repository, service.file)
    place = directory.resolve().relative_to(repository.resolve())
    text = _filled(service, place, name, asks_for_key=asks_for_key, only_review=only_review)
    before = content_of(file)
    if not before:
        about = f"review{'' if only_review else ' and test'} on pull requests"
        return ProjectFile(file, text.encode(), about)
    content = added_to(before, service.added(text))
    present, wanted, together = map(_data, (before, text.encode(), content))
    known, new = service.jobs(present), service.jobs(wanted)
    if new.items() <= known.items():
        return ProjectFile(file, None, "it has the jobs of this document")
    stages = present.get("stages")
    # Jobs without a stage of their own are in this one (GitLab).
    is_staged = not isinstance(stages, list) or "test" in stages
    if same := known.keys() & new.keys():
        why = f"it has other jobs with the names {', '.join(sorted(same))}"
    elif not is_staged:
        why = "its stages do not include `test`, the stage of jobs that name none"
    elif together != service.with_jobs(present, new):
        why = "jobs cannot be added at its end"
    else:
        return ProjectFile(file, content, f"the jobs {', '.join(new)}")
    about = f"{why}; add these for {(place / name).as_posix()} yourself:"
    return ProjectFile(file, None, about, service.added(text))


def publishing_workflow(repository: Path, output: Path) -> ProjectFile:
    """Return the workflow of GitHub that publishes a package; an existing one is kept.

    Args:
        repository: the directory with the workflows.
        output: the directory of the package, which is below it.

    Raises:
        InputError: the workflow cannot be written there.
    """
    package = output.resolve().relative_to(repository.resolve())
    place = package.parent if package.name == OUTPUT else package
    job = "" if place == Path() else f"-{_words(place)}"
    file = own_file(repository, _PUBLISHING.format(job=job))
    tag = f"{job[1:]}-v" if job else "v"
    if file.exists():
        return ProjectFile(file, None, "it is yours")
    parts = {"job": job, "tag": tag, "package": _github_quoted(package)}
    text = _with_parts("publish.yml", parts)
    return ProjectFile(file, text.encode(), f"tags such as {tag}1.2.0 publish the package")


def _filled(
    service: CiService, place: Path, name: Path, *, asks_for_key: bool, only_review: bool
) -> str:
    """Return the configuration for a document, named unless settings at the top name it."""
    is_top = place == Path()
    is_named = only_review or not is_top
    words = _words(place)
    variable = f"_{words.upper().replace('-', '_')}"
    parts = {
        # The first one, as it has tokens of the others.
        "tests": "" if only_review else _template(service.tests),
        "secret": service.secret if asks_for_key else "",
        "option": f" --api-key-env {service.key}" if asks_for_key else "",
        "job": "" if is_top else f"-{words}",
        "variable": "" if is_top else variable,
        "document": ' "$DOCUMENT"' if is_named else "",
        # The last one, as the path may look like the token of another part.
        "environment": (
            service.document.format(path=service.quoted(place / name)) if is_named else ""
        ),
    }
    return _with_parts(service.template, parts)


def _template(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


def _with_parts(template: str, parts: Mapping[str, str]) -> str:
    text = _template(template)
    for token, part in parts.items():
        text = text.replace(f"<{token}>", part)
    return text


def _words(place: Path) -> str:
    """Return the path of a project as a part of names of jobs and tags."""
    return "-".join(re.findall("[A-Za-z0-9]+", place.as_posix())) or "api"


def _data(content: bytes) -> JsonObject:
    """Return the data of a configuration; empty if it is none."""
    try:
        return mapping(yaml.safe_load(content))
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
