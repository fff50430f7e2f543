"""A pull request from its first push to its merge, reviewed by the steps of action.yml."""

import json
import re
from pathlib import Path

import pytest

from specwright.report.formats import FILES
from tests.conftest import Run
from tests.repository import Repository
from tests.review.action import COMMENT, REVIEW, SUMMARY, Runner, pull_request, push
from tests.review.projects import ACCEPTED, SETTINGS, edited, project, write

LOCK = "generated/specwright.lock.json"
NARROWER = ("maximum: 20", "maximum: 10")


def test_a_breaking_change_is_refused_then_accepted_until_a_day(
    tmp_path: Path, specwright: Run
) -> None:
    repository = project(tmp_path / "repository")
    repository.write(LOCK, '{"options": {"package": "shop"}, "files": {}}')
    repository.commit("A package")
    runner = Runner(tmp_path / "runner", repository.top)

    # The change, which loses the package and renames the client.
    repository.git("switch", "-qc", "narrower")
    repository.write("pyproject.toml", f'{SETTINGS}client-name = "Market"\n')
    write(repository, edited(NARROWER))
    repository.git("rm", "-q", LOCK)
    repository.commit("Fewer things")
    reviewed = runner.run(REVIEW)
    assert reviewed.returncode == 1
    annotated = [line.partition("title=")[2] for line in reviewed.stdout.splitlines()]
    assert "range-narrowed::Order.count: maximum 20 -> 10" in "\n".join(annotated)
    assert any(re.match(r"generated-drift::(\d+) of \1 files ", line) for line in annotated)
    assert any(line.startswith("version-too-low::") for line in annotated)
    assert {path.suffix for path in runner.reports.iterdir()} == {
        *(".json", ".html", ".xml", ".sarif", ".md")
    }
    report = json.loads((runner.reports / "report.json").read_text("utf-8"))
    [found] = [finding for finding in report["findings"] if finding["rule"] == "range-narrowed"]
    assert found["counterexample"] == 11
    assert found["related"]["file"] == "git:HEAD^1:openapi.json"
    names = [row[:2] for row in report["tables"][0]["rows"]]
    assert ["changed", "shop.models.Order.count"] in names
    assert ["removed", "shop.client.ShopClient"] in names
    assert ["added", "shop.client.Market"] in names

    # What people read of it.
    assert runner.run(SUMMARY).returncode == runner.run(COMMENT).returncode == 0
    assert runner.summary == runner.comments[0]
    assert runner.summary.startswith(
        "### specwright review failed: 1 breaking change in 1 of 1 operation, "
        "1 broken name in the generated package <!--"
    )

    # Another command's comment, which is not to be touched; the change with all that it needs.
    (runner.temporary / "comments" / "0-of-tests").write_text("<!-- specwright test -->")
    write(repository, edited(NARROWER, ("version: 1.2.3", "version: 2.0.0")))
    repository.write("pyproject.toml", SETTINGS)
    repository.write("review.toml", ACCEPTED.format(day="2999-01-31"))
    assert specwright("generate", cwd=repository.top).returncode == 0
    repository.git("add", "--all")
    repository.git("commit", "-q", "--amend", "-m", "Fewer things")
    reviewed = runner.run(REVIEW)
    assert reviewed.returncode == 0, reviewed.stdout
    assert "generated-drift" not in reviewed.stdout
    assert runner.run(COMMENT).returncode == 0
    [updated, other] = runner.comments
    assert other == "<!-- specwright test -->"
    assert updated.startswith(
        "### specwright review passed: 1 breaking change in 1 of 1 operation (1 accepted) <!--"
    )
    assert "Nobody orders as many." in updated

    # Its day comes.
    repository.write("review.toml", ACCEPTED.format(day="2020-01-31"))
    reviewed = runner.run(REVIEW)
    assert reviewed.returncode == 1
    assert "title=acceptance-expired::" in reviewed.stdout


def test_a_checkout_without_the_base_says_what_fetches_it(tmp_path: Path) -> None:
    repository = project(tmp_path / "repository")
    repository.git("switch", "-qc", "change")
    write(repository, edited(NARROWER))
    repository.commit()
    clone = repository.clone(tmp_path / "clone", "--depth=1", "--branch=change")
    runner = Runner(tmp_path / "runner", clone, {"base": "origin/main"}, starts_python=True)
    reviewed = runner.run(REVIEW)
    assert reviewed.returncode == 2
    assert "`git fetch --depth=1 origin main:refs/remotes/origin/main`" in reviewed.stderr
    [annotation] = (line for line in reviewed.stdout.splitlines() if line.startswith("::error"))
    assert "title=unusable-input::unknown commit" in annotation
    # A comment of an earlier run would still say that all is well.
    assert runner.run(SUMMARY).returncode == runner.run(COMMENT).returncode == 0
    [comment] = runner.comments
    assert comment.startswith("### specwright review could not run <!-- specwright review -->")
    assert "git fetch --depth=1" in comment
    fetch = "fetch --depth=1 origin main:refs/remotes/origin/main"
    repository.git("-C", str(clone), *fetch.split())
    assert runner.run(REVIEW).returncode == 1


def branch(repository: Repository) -> tuple[str, str]:
    """A branch of two commits, of which the first one breaks; where it began, and its head."""
    began = repository.git("rev-parse", "HEAD").strip()
    repository.git("switch", "-qc", "change")
    write(repository, edited(NARROWER))
    repository.commit("Fewer things")
    repository.write("notes.txt", "Nothing.")
    repository.commit("Notes")
    return began, repository.git("rev-parse", "HEAD").strip()


def test_a_checkout_of_the_head_is_compared_with_where_the_branch_began(tmp_path: Path) -> None:
    repository = project(tmp_path / "repository")
    began, head = branch(repository)
    runner = Runner(tmp_path / "runner", repository.top, event=pull_request(began, head))
    assert "title=range-narrowed::" in runner.run(REVIEW).stdout


def test_so_is_a_push_of_several_commits(tmp_path: Path) -> None:
    repository = project(tmp_path / "repository")
    began, _ = branch(repository)
    assert (
        "range-narrowed"
        in Runner(tmp_path / "a", repository.top, event=push(began)).run(REVIEW).stdout
    )
    # A new branch: its starting point is unknown.
    new = Runner(tmp_path / "b", repository.top, event=push("0" * 40)).run(REVIEW)
    assert (new.returncode, "range-narrowed" in new.stdout) == (0, False)


def test_a_trial_merge_is_compared_with_the_target_branch_of_today(tmp_path: Path) -> None:
    repository = project(tmp_path / "repository")
    began, head = branch(repository)
    repository.git("switch", "-q", "main")
    write(repository, edited(("title: Shop", "title: The shop")))
    repository.commit("Meanwhile")
    repository.git("merge", "-q", "--no-edit", "-s", "ours", "change")
    runner = Runner(tmp_path / "runner", repository.top, event=pull_request(began, head))
    reviewed = runner.run(REVIEW)
    assert (reviewed.returncode, "range-narrowed" in reviewed.stdout) == (0, False)


def test_the_author_of_a_change_does_not_accept_it(tmp_path: Path) -> None:
    repository = project(tmp_path / "repository")
    repository.git("switch", "-qc", "change")
    write(repository, edited(NARROWER, ("version: 1.2.3", "version: 2.0.0")))
    repository.write("review.toml", ACCEPTED.format(day="2999-01-31"))
    repository.commit("Fewer things, and nobody minds")
    inputs = {"base": "main", "accepted-in-base": "true"}
    reviewed = Runner(tmp_path / "runner", repository.top, inputs).run(REVIEW)
    assert reviewed.returncode == 1
    assert "title=acceptance-pending::" in reviewed.stdout
    repository.git("branch", "-qf", "main", "HEAD")
    assert Runner(tmp_path / "other", repository.top, inputs).run(REVIEW).returncode == 0


OFF = '[levels]\nrange-narrowed = "off"\n'
WAIVED = '[[waivers]]\nrule = "operation-tag"\nwhere = "*"\nreason = "We have none."\n'


def test_the_author_of_a_change_does_not_turn_its_rule_off(tmp_path: Path, specwright: Run) -> None:
    repository = project(tmp_path)
    repository.git("switch", "-qc", "change")
    write(repository, edited(NARROWER, ("version: 1.2.3", "version: 2.0.0")))
    repository.write("lint.toml", OFF)
    repository.commit()

    def rules(*options: str) -> list[str]:
        reviewed = specwright(
            *("review", "--base", "main", "--format", "json", *options), cwd=tmp_path
        )
        report = json.loads(reviewed.stdout)
        pending = [each for each in report["findings"] if each["rule"] == "levels-pending"]
        assert [(each["level"], each["file"]) for each in pending] in (
            [],
            [("warning", "lint.toml")],
        )
        about = ("range-narrowed", "levels-pending")
        return [each["rule"] for each in report["findings"] if each["rule"] in about]

    assert rules() == []
    assert rules("--accepted-in-base") == ["range-narrowed", "levels-pending"]
    # It counts once it is merged, also with a document that is moved or new.
    repository.git("switch", "-q", "main")
    repository.write("lint.toml", OFF + WAIVED)
    repository.commit()
    repository.git("switch", "-q", "change")
    repository.write("lint.toml", f"{OFF}\n{WAIVED}")
    assert rules("--accepted-in-base") == []
    repository.write("lint.toml", f"{OFF}\n{WAIVED.replace('none', 'one')}")
    assert rules("--accepted-in-base") == ["levels-pending"]
    repository.write("lint.toml", "")
    assert rules("--accepted-in-base") == ["levels-pending"]


TRAP = '"; touch ran; "$(touch ran)'


@pytest.mark.parametrize(
    "inputs",
    [
        {"base": TRAP},
        {"base": "main --format text"},
        {"base": "main", "document": TRAP},
        {"base": "main", "document": "openapi.json --format text"},
    ],
)
def test_an_input_is_one_word_and_no_script(inputs: dict[str, str], tmp_path: Path) -> None:
    repository = project(tmp_path / "repository")
    runner = Runner(tmp_path / "runner", repository.top, inputs)
    assert runner.run(REVIEW).returncode == 2
    assert not (repository.top / "ran").exists()


def test_a_pull_request_gets_a_comment_that_its_next_push_updates(tmp_path: Path) -> None:
    repository = project(tmp_path / "repository")
    began, head = branch(repository)
    runner = Runner(
        tmp_path / "runner", repository.top, {"comment": "true"}, pull_request(began, head)
    )
    assert runner.follow() == [REVIEW, SUMMARY, COMMENT]
    [comment] = runner.comments
    assert "1 breaking change in 1 of 1 operation" in comment
    assert runner.outputs == {
        "report-dir": str(runner.reports),
        "breaking": "1",
        "version": "2.0.0",
    }
    assert {path.name for path in runner.reports.iterdir()} == FILES.keys()
    # A mistake takes the place of the old verdict, and the outputs with it.
    repository.write("openapi.json", "{")
    assert runner.follow() == [REVIEW, SUMMARY, COMMENT]
    [comment] = runner.comments
    assert comment.startswith("### specwright review could not run")
    assert runner.outputs["breaking"] == runner.outputs["version"] == ""
    write(repository, edited())
    assert runner.follow() == [REVIEW, SUMMARY, COMMENT]
    [comment] = runner.comments
    assert comment.startswith("### specwright review passed: no breaking changes in 1 operation")
    assert runner.outputs["breaking"] == "0"


@pytest.mark.parametrize("wanted", ["true", "false"])
def test_a_fork_and_a_push_get_a_summary_only(wanted: str, tmp_path: Path) -> None:
    repository = project(tmp_path / "repository")
    began, head = branch(repository)
    events = {
        "fork": pull_request(began, head, "stranger/shop"),
        "push": push(began),
    }
    for name, event in events.items():
        runner = Runner(tmp_path / name, repository.top, {"comment": wanted}, event)
        assert runner.follow() == [REVIEW, SUMMARY]
        assert "1 breaking change in 1 of 1 operation" in runner.summary
        assert runner.comments == []
        assert runner.outputs["breaking"] == "1"


def test_nobody_gets_a_comment_who_did_not_ask(tmp_path: Path) -> None:
    repository = project(tmp_path / "repository")
    event = pull_request(*branch(repository))
    runner = Runner(tmp_path / "runner", repository.top, event=event, starts_python=True)
    assert runner.follow() == [REVIEW, SUMMARY]


def test_a_project_in_a_directory_has_several_documents(tmp_path: Path) -> None:
    repository = project(tmp_path / "repository")
    below = repository.top / "services" / "pay"
    below.mkdir(parents=True)
    for name in ("openapi.json", "pyproject.toml"):
        (repository.top / name).rename(below / name)
    (below / "more").mkdir()
    (below / "more" / "second.json").write_bytes((below / "openapi.json").read_bytes())
    repository.commit()
    (below / "openapi.json").write_text(json.dumps(edited(NARROWER), indent=2), "utf-8")
    inputs = {
        "base": "HEAD",
        "working-directory": "services/pay",
        "document": "openapi.json\nmore\n",
    }
    runner = Runner(tmp_path / "runner", repository.top, inputs)
    reviewed = runner.run(REVIEW)
    assert reviewed.returncode == 1, reviewed.stderr
    assert "::error file=services/pay/openapi.json,line=" in reviewed.stdout
    assert "more/second.json" in (runner.reports / "report.json").read_text("utf-8")


@pytest.mark.parametrize(("level", "code"), [("error", 0), ("warning", 1)])
def test_a_project_says_what_fails_the_step(level: str, code: int, tmp_path: Path) -> None:
    repository = project(tmp_path / "repository")
    write(repository, edited(("description: How many.", "description: The count.")))
    inputs = {"base": "HEAD", "fail-on": level}
    assert Runner(tmp_path / "runner", repository.top, inputs).run(REVIEW).returncode == code


def test_an_old_name_that_is_kept_breaks_nothing(tmp_path: Path, specwright: Run) -> None:
    repository = project(tmp_path / "repository")
    repository.write(LOCK, '{"options": {"package": "shop"}, "files": {}}')
    repository.commit("A package")
    write(repository, edited(("createOrder", "placeOrder")))

    def broken() -> list[str]:
        done = specwright("review", "--base", "HEAD", "--format", "json", cwd=repository.top)
        findings = json.loads(done.stdout)["findings"]
        return [each["message"] for each in findings if each["rule"] == "sdk-broken"]

    assert broken() == ["shop.client.Orders.create_order: removed, perhaps place_order now"]
    kept = '[tool.specwright.deprecated]\n"client.Orders.create_order" = {use = "place_order", '
    repository.write("pyproject.toml", f"{SETTINGS}{kept}removal = 2999-12-31}}\n")
    assert broken() == []
