"""The jobs that `init --ci gitlab` writes run on a merge request, as GitLab runs them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs

import pytest
import yaml

from specwright.project.ci import SERVICES
from tests.conftest import Run
from tests.generate_cli.running import running
from tests.project import actions
from tests.project.test_workflow import of
from tests.repository import Repository

PIPELINE = SERVICES["gitlab"].file
MERGE_REQUEST = '$CI_PIPELINE_SOURCE == "merge_request_event"'
DEFAULT_BRANCH = "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH"
COMMENT = f"{MERGE_REQUEST} && $COMMENT_TOKEN"


class Outcome(NamedTuple):
    code: int
    output: str


def jobs_of(top: Path) -> Mapping[str, Any]:
    jobs: Mapping[str, Any] = yaml.safe_load((top / PIPELINE).read_text("utf-8"))
    return jobs


def run(job: Mapping[str, Any], checkout: Path, variables: Mapping[str, str]) -> Outcome:
    """Run the script of a job; the toolkit is installed already."""
    # GitLab replaces variables in the values of others, and `$$` by a dollar sign.
    own = {name: value.replace("$$", "$") for name, value in job["variables"].items()}
    path = os.pathsep.join([*map(str, actions.PROGRAMS), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", "\n".join(job["script"])],
        cwd=checkout,
        env={**os.environ, "PATH": path, **own, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return Outcome(done.returncode, done.stdout)


def issues(checkout: Repository, job: Mapping[str, Any]) -> list[dict[str, Any]]:
    file = checkout.top / job["artifacts"]["reports"]["codequality"]
    read: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))
    return read


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory, specwright: Run) -> Repository:
    """The branch `main`, in which two projects have begun with `init`."""
    repository = Repository(tmp_path_factory.mktemp("upstream"))
    repository.write("shared/Money.json", json.dumps({"type": "object"}))
    for project in ("apis/orders", "."):
        repository.write(f"{project}/openapi.json", of(project))
        for command in (("init", "--ci", "gitlab"), ("generate",)):
            done = specwright(*command, cwd=repository.top / project)
            assert (done.returncode, done.stderr) == (0, "")
    repository.commit()
    return repository


@pytest.fixture
def checkout(upstream: Repository, tmp_path: Path) -> Repository:
    """A clone on the branch of a merge request."""
    clone = Repository(upstream.clone(tmp_path / "checkout"))
    clone.git("checkout", "-qb", "change", "origin/main")
    return clone


def base(checkout: Repository) -> dict[str, str]:
    commit = checkout.git("merge-base", "origin/main", "HEAD").strip()
    return {"CI_MERGE_REQUEST_DIFF_BASE_SHA": commit}


def test_there_is_one_pipeline_for_merge_requests(upstream: Repository) -> None:
    jobs = jobs_of(upstream.top)
    assert not (upstream.top / ".github").exists()
    assert list(jobs) == [
        "contract-review-apis-orders",
        "contract-comment-apis-orders",
        "contract-test-apis-orders",
        *("contract-review", "contract-comment", "contract-test"),
    ]
    rules = [rule["if"] for job in jobs.values() for rule in job["rules"]]
    assert rules == [
        *(MERGE_REQUEST, DEFAULT_BRANCH, COMMENT, f"{MERGE_REQUEST} && $CONTRACT_URL_APIS_ORDERS"),
        *(MERGE_REQUEST, DEFAULT_BRANCH, COMMENT, f"{MERGE_REQUEST} && $CONTRACT_URL"),
    ]


def test_the_review_reports_also_if_other_jobs_fail(upstream: Repository) -> None:
    jobs = jobs_of(upstream.top)
    assert jobs["contract-review"]["needs"] == []
    assert jobs["contract-review"]["artifacts"]["when"] == "always"
    comment = jobs["contract-comment-apis-orders"]
    assert comment["needs"] == ["contract-review-apis-orders"]
    assert [rule["when"] for rule in comment["rules"]] == ["always"]


def test_the_form_is_that_of_gitlab(upstream: Repository) -> None:
    pytest.importorskip("check_jsonschema", reason="check-jsonschema is not installed")
    check = Path(sys.executable).with_name("check-jsonschema")
    command = [check, "--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci"]
    done = subprocess.run(
        [*command, upstream.top / PIPELINE], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("project", "name"), [("apis/orders", "contract-review-apis-orders"), (".", "contract-review")]
)
def test_a_breaking_change_is_an_issue_at_its_line(
    specwright: Run, checkout: Repository, project: str, name: str
) -> None:
    job = jobs_of(checkout.top)[name]
    assert run(job, checkout.top, base(checkout)).code == 0
    assert issues(checkout, job) == []
    file = checkout.write(f"{project}/openapi.json", of(project, limit=50))
    assert specwright("generate", cwd=checkout.top / project).returncode == 0
    checkout.commit()
    done = run(job, checkout.top, base(checkout))
    assert done.code == 1, done.output
    [issue] = [issue for issue in issues(checkout, job) if issue["severity"] == "major"]
    assert issue["location"]["path"] == file.relative_to(checkout.top).as_posix()
    assert "50" in file.read_text("utf-8").splitlines()[issue["location"]["lines"]["begin"] - 1]


def test_the_default_branch_has_a_report_to_compare_with(checkout: Repository) -> None:
    job = jobs_of(checkout.top)["contract-review"]
    assert run(job, checkout.top, {}).code == 0
    assert issues(checkout, job) == []


def test_merged_results_are_compared_with_the_target_branch(
    upstream: Repository, checkout: Repository
) -> None:
    """What others have merged since the branch began is no change of the merge request."""
    job = jobs_of(checkout.top)["contract-review"]
    variables = base(checkout)
    checkout.write("openapi.json", of(".", limit=50))
    checkout.write("generated/api/mine.txt", "")
    target = checkout.commit("What another merge request did")
    assert run(job, checkout.top, variables).code == 1
    checkout.git("rm", "-q", "generated/api/mine.txt")
    variables["CI_MERGE_REQUEST_TARGET_BRANCH_SHA"] = target
    assert "no breaking changes" in run(job, checkout.top, variables).output


class Notes(BaseHTTPRequestHandler):
    """The notes of a merge request, as far as a job needs the API of GitLab."""

    PATH = "/api/v4/projects/7/merge_requests/3/notes"

    def do_GET(self) -> None:
        self.answer(200, [{"id": key, "body": text} for key, text in self.notes.items()])

    def do_POST(self) -> None:
        key = len(self.notes) + 1
        self.notes[key] = self.sent()
        self.answer(201, {"id": key})

    def do_PUT(self) -> None:
        self.notes[int(self.path.rpartition("/")[2])] = self.sent()
        self.answer(200, {})

    @property
    def notes(self) -> dict[int, str]:
        assert self.headers["PRIVATE-TOKEN"] == "a token"
        assert self.path.startswith(self.PATH)
        kept: dict[int, str] = self.server.notes  # type: ignore[attr-defined]
        return kept

    def sent(self) -> str:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        return parse_qs(body)["body"][0]

    def answer(self, status: int, data: object) -> None:
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(data).encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def notes() -> Iterator[HTTPServer]:
    with HTTPServer(("127.0.0.1", 0), Notes) as server:
        server.notes = {1: "A note of a person"}  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_each_project_has_one_comment_which_is_replaced(
    checkout: Repository, notes: Any, tmp_path: Path
) -> None:
    variables = {
        "CI_API_V4_URL": f"http://127.0.0.1:{notes.server_port}/api/v4",
        "CI_PROJECT_ID": "7",
        "CI_MERGE_REQUEST_IID": "3",
        "COMMENT_TOKEN": "a token",
    }
    place = tmp_path / "job"
    for name, text in (
        ("contract-comment", "one & 1"),
        ("contract-comment-apis-orders", "other"),
        ("contract-comment", "two % 2"),
    ):
        Repository(place).write("reports/report.md", f"{text}\nof the review\n")
        done = run(jobs_of(checkout.top)[name], place, {**variables, "CI_JOB_NAME": name})
        assert (done.code, done.output) == (0, "")
    assert [text.split("\n", 1)[-1] for text in notes.notes.values()] == [
        "A note of a person",
        "two % 2\nof the review\n",
        "other\nof the review\n",
    ]


def test_a_sandbox_is_tested_where_there_is_one(checkout: Repository) -> None:
    job = jobs_of(checkout.top)["contract-test-apis-orders"]
    with running(checkout.top, "mock", "apis/orders/openapi.json") as mock:
        url = mock.line().partition(" ")[0]
        suffix = "_APIS_ORDERS"
        variables = {f"CONTRACT_URL{suffix}": url, f"CONTRACT_HOST{suffix}": "127.0.0.1"}
        done = run(job, checkout.top, variables)
    # The mock checks no requests.
    assert "invalid-accepted" in done.output or done.code == 0, done.output
    assert (checkout.top / job["artifacts"]["reports"]["junit"]).is_file()


def test_a_key_is_a_variable_of_the_project(specwright: Run, tmp_path: Path) -> None:
    data = json.loads(of("."))
    data["components"] = {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}}
    data["security"] = [{"key": []}]
    data["paths"]["/things"]["get"]["responses"]["200"].pop("content")
    (tmp_path / "openapi.json").write_text(json.dumps(data), "utf-8")
    assert specwright("init", "--ci", "gitlab", cwd=tmp_path).returncode == 0
    *_, test = jobs_of(tmp_path)["contract-test"]["script"]
    assert test.endswith("--report-dir reports --api-key-env CONTRACT_KEY")
    assert "The masked variable CONTRACT_KEY is" in (tmp_path / PIPELINE).read_text("utf-8")


def begun(tmp_path: Path, pipeline: str) -> Repository:
    repository = Repository(tmp_path)
    repository.write("apis/a/openapi.json", of("apis/a"))
    repository.write("shared/Money.json", json.dumps({"type": "object"}))
    repository.write(PIPELINE, pipeline)
    return repository


THEIRS = "stages: [build, test]\nbuild:\n  stage: build\n  script: [make]\n"


def test_a_pipeline_of_others_gets_the_jobs_without_being_asked_for(
    specwright: Run, tmp_path: Path
) -> None:
    begun(tmp_path, THEIRS)
    done = specwright("init", cwd=tmp_path / "apis/a")
    assert (done.returncode, done.stderr) == (0, "")
    names = [f"contract-{kind}-apis-a" for kind in ("review", "comment", "test")]
    assert f"wrote ../../.gitlab-ci.yml: the jobs {', '.join(names)}" in done.stdout
    text = (tmp_path / PIPELINE).read_text("utf-8")
    assert text.startswith(f"{THEIRS}\ncontract-review-apis-a:\n")
    assert list(jobs_of(tmp_path)) == ["stages", "build", *names]


NO_STAGE = "its stages do not include `test`, the stage of jobs that name none"
NO_END = "jobs cannot be added at its end"


@pytest.mark.parametrize(
    ("theirs", "why"),
    [
        (
            "contract-test-apis-a: {script: [x]}\n",
            "it has other jobs with the names contract-test-apis-a",
        ),
        ("stages: [build]\n", NO_STAGE),
        ("a: !reference [b, script]\n", NO_END),
        ("include: [\n", NO_END),
        ("- a\n", NO_END),
        ("...\n", NO_END),
    ],
)
def test_a_pipeline_that_cannot_be_added_to_is_kept_with_what_to_add(
    specwright: Run, tmp_path: Path, theirs: str, why: str
) -> None:
    begun(tmp_path, theirs)
    done = specwright("init", cwd=tmp_path / "apis/a")
    assert done.returncode == 0
    kept = f"kept ../../.gitlab-ci.yml: {why}; add these for apis/a/openapi.json yourself:\n"
    assert kept in done.stdout
    assert (tmp_path / PIPELINE).read_text("utf-8") == theirs
    missing = done.stdout.partition(kept)[2].partition("\nnext:")[0]
    (tmp_path / PIPELINE).unlink()
    (tmp_path / "apis/a/pyproject.toml").unlink()
    specwright("init", "--ci", "gitlab", cwd=tmp_path / "apis/a")
    assert yaml.safe_load(missing) == jobs_of(tmp_path)


@pytest.mark.parametrize(
    ("options", "files"),
    [
        ((), {".github/workflows/contract.yml"}),
        (("--ci", "github"), {".github/workflows/contract.yml"}),
        (("--ci", "gitlab"), {PIPELINE}),
        (("--ci", "none"), set[str]()),
    ],
)
def test_the_service_is_chosen(
    specwright: Run, tmp_path: Path, options: tuple[str, ...], files: set[str]
) -> None:
    (tmp_path / "openapi.json").write_text(of("apis/none").replace("../../shared/", ""), "utf-8")
    (tmp_path / "Money.json").write_text("{}", "utf-8")
    assert specwright("init", *options, cwd=tmp_path).returncode == 0
    usual = {".gitattributes", ".gitignore", "pyproject.toml", "openapi.json", "Money.json"}
    found = {
        path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()
    }
    assert found - usual == files


def test_files_of_both_services_mean_github(specwright: Run, tmp_path: Path) -> None:
    begun(tmp_path, THEIRS).write(".github/CODEOWNERS", "* @us\n")
    assert specwright("init", cwd=tmp_path / "apis/a").returncode == 0
    assert (tmp_path / PIPELINE).read_text("utf-8") == THEIRS
    assert (tmp_path / SERVICES["github"].file).is_file()


def test_a_project_with_settings_gets_the_jobs_only(specwright: Run, tmp_path: Path) -> None:
    place = tmp_path / "apis/a"
    begun(tmp_path, THEIRS)
    assert specwright("init", "--ci", "none", cwd=place).returncode == 0
    settings = (place / "pyproject.toml").read_bytes()
    done = specwright("init", "--ci", "gitlab", cwd=place)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("wrote ../../.gitlab-ci.yml: the jobs")
    assert (place / "pyproject.toml").read_bytes() == settings
    again = specwright("init", "--ci", "gitlab", cwd=place)
    assert again.stdout == "kept ../../.gitlab-ci.yml: it has the jobs of this document\n"


@pytest.mark.parametrize("name", ["ünï", "a b", "$(touch x)", "$CI_JOB_TOKEN", '"', "a: #b"])
def test_names_of_directories_stay_names(specwright: Run, tmp_path: Path, name: str) -> None:
    data = of(".").replace("shared/Money.json", "Money.json")
    Repository(tmp_path).write(f"{name}/openapi.json", data)
    (tmp_path / name / "Money.json").write_text("{}", "utf-8")
    assert specwright("init", "--ci", "gitlab", cwd=tmp_path / name).returncode == 0
    jobs = jobs_of(tmp_path)
    for job in (job for job in jobs.values() if "DOCUMENT" in job["variables"]):
        document = job["variables"]["DOCUMENT"]
        assert document.replace("$$", "") == document.replace("$", "")
        assert document.replace("$$", "$") == f"{name}/openapi.json"
        assert all(
            '"$DOCUMENT"' in line for line in job["script"] if line.startswith("specwright ")
        )


@pytest.mark.parametrize("service", ["github", "gitlab"])
def test_a_team_without_a_package_gets_the_review_only(
    specwright: Run, tmp_path: Path, service: str
) -> None:
    repository = begun(tmp_path, "") if service == "gitlab" else Repository(tmp_path)
    repository.write("shared/Money.json", json.dumps({"type": "object"}))
    repository.write("apis/things.json", of("apis/a").replace("../../", "../"))
    done = specwright("init", "apis/things.json", "--ci", service, "--only-review", cwd=tmp_path)
    file = SERVICES[service].file
    assert (done.stdout, done.stderr) == (f"wrote {file}: review on pull requests\n", "")
    others = (".gitignore", ".gitattributes", "pyproject.toml")
    assert not [name for name in others if (tmp_path / name).exists()]
    again = specwright("init", "apis/things.json", "--ci", service, "--only-review", cwd=tmp_path)
    assert again.stdout == f"kept {file}: it has the jobs of this document\n"
    first = repository.commit()
    if service == "github":
        [(name, job)] = actions.jobs_of(tmp_path / file).items()
        repository.git("update-ref", "refs/remotes/origin/main", first)
        (tmp_path / "specwright").symlink_to(actions.ROOT)
        steps = [*actions.steps(job, tmp_path, {"github.base_ref": "main"})]
        assert (name, [step.code for step in steps]) == ("review", [0, 0]), steps
        return
    job, _ = jobs_of(tmp_path).values()
    assert run(job, tmp_path, {}).code == 0
    changed = of("apis/a", limit=50).replace("../../", "../")
    repository.write("apis/things.json", changed)
    repository.commit()
    done = run(job, tmp_path, {"CI_MERGE_REQUEST_DIFF_BASE_SHA": first})
    assert done.code == 1 and "range-narrowed" in done.output


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--publish",), "--only-review writes nothing but"),
        (("--names",), "--only-review writes nothing but"),
        (("--ci", "none"), "--only-review writes nothing but"),
        (("https://a.example/openapi.json",), "name a copy of it in the repository"),
    ],
)
def test_only_a_review_is_nothing_else(
    specwright: Run, tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    (tmp_path / "openapi.json").write_text(of("."), "utf-8")
    done = specwright("init", "--only-review", *options, cwd=tmp_path)
    assert done.returncode == 2 and words in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["openapi.json"]


def test_a_project_with_settings_gets_the_review_of_its_document(
    specwright: Run, tmp_path: Path
) -> None:
    begun(tmp_path, "").write("apis/a/pyproject.toml", '[tool.specwright]\ndocument="openapi.json"')
    done = specwright("init", "--ci", "gitlab", "--only-review", cwd=tmp_path / "apis/a")
    assert (done.returncode, done.stderr) == (0, "")
    assert list(jobs_of(tmp_path)) == ["contract-review-apis-a", "contract-comment-apis-a"]
