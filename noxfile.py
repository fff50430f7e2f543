"""The tasks of this repository, one session each.

For a change (`nox` alone runs those with a star):
  tests, lint, typecheck, derive, generate, docs
  tests_service, tests_conformance, tests_lab, hostile, contract, measured
To try something:
  serve, site
At night, or for a doubt:
  oldest, new_examples, exhaustive, published, compositions, seeds, mutants, second_opinion,
  slow_tests
For a release:
  lock, images, action, newcomer, build, release
Measurements; most write a page of docs/:
  generation: compatibility, agreement, wire_proof, validators, costs, docs_pages
  clients and stubs: bench, situations, real_servers
  reviews: polarity, histories
  contract tests: faults, faults_by_others, shops, tickets, loads, foreign_servers,
    adoption
  the service: bench_service, kills, outages, neighbours, restarts
"""

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

import nox

nox.needs_version = ">=2025.5.1"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_venv = "yes"
# As pip does: a process that a test kills, or leaves without disk space, would write half a file.
os.environ.setdefault("UV_COMPILE_BYTECODE", "1")
nox.options.sessions = [
    "generate",
    "derive",
    "lint",
    "typecheck",
    "tests",
    "docs",
    "tests_service",
    "tests_conformance",
    "tests_lab",
    "hostile",
]

PROJECT = nox.project.load_toml("pyproject.toml")
DOCUMENT = PROJECT["tool"]["specwright"]["document"]
# What documents promise: their code, the examples, the steps of CONTRIBUTING.md, and types.
DOCS_TESTS = (
    "tests/docs",
    "tests/examples",
    "tests/functional/test_added_medium.py",
    "tests/functional/test_type_checkers.py",
)
SERVICE_TESTS = "tests/service"
CONFORMANCE_TESTS = ("tests/conformance", "tests/testing")
LAB_TESTS = "tests/lab"
HOSTILE_TESTS = (
    "tests/hostile_repositories",
    "tests/mutated_documents",
    "tests/names",
    "tests/compare/test_mutations.py",
    "tests/models/test_names_of_parts.py",
    "tests/functional/test_hostile.py",
    "tests/functional/test_hostile_unchecked.py",
)
# More processes than cores: many tests wait. The last long tests are distributed among workers.
WORKERS = ("-n", str(2 * (os.cpu_count() or 1)), "--dist", "worksteal")
# A minute becomes two seconds, so that no attempt is early even on a clock of whole seconds.
RETRY_SCALE = "0.034"


def install_group(session: nox.Session, name: str) -> None:
    """Install one of the dependency groups of pyproject.toml."""
    session.install(*nox.project.dependency_groups(PROJECT, name))


def install_workspace(session: nox.Session) -> None:
    """Install the toolkit, the generated package and the reference service from this checkout."""
    session.install(
        "-e", ".[test]", "-e", "./generated[server]", "-e", "./service[encryption,postgres]"
    )


def run_pytest(session: nox.Session, *arguments: str) -> None:
    """Run pytest with bytecode caching: the tests start hundreds of processes."""
    session.run("pytest", *arguments, env={"PYTHONDONTWRITEBYTECODE": ""})


@nox.session
def generate(session: nox.Session) -> None:
    """Validate the document, then regenerate generated/ (`-- --check` only compares)."""
    session.install("-e", ".")
    session.run("specwright", "validate", DOCUMENT)
    session.run("specwright", "generate", *session.posargs)


@nox.session
def derive(session: nox.Session) -> None:
    """Generate every derived file: package, pages, golden trees (`-- --check` only compares)."""
    install_workspace(session)
    session.run("specwright", "validate", DOCUMENT)
    session.run("python", "-m", "tests.derived", *session.posargs)


@nox.session
def images(session: nox.Session) -> None:
    """Take the picture of the report in README.md (needs Chromium; `derive` makes the other)."""
    install_workspace(session)
    install_group(session, "test")
    session.run("python", "-m", "tests.derived.pictures")


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests of toolkit and package (three minutes), or pytest with arguments after `--`."""
    install_workspace(session)
    install_group(session, "test")
    install_group(session, "typecheck")
    elsewhere = (*DOCS_TESTS, SERVICE_TESTS, *CONFORMANCE_TESTS, LAB_TESTS, *HOSTILE_TESTS)
    others = [f"--ignore={path}" for path in elsewhere]
    few = ("--hypothesis-profile", "few")
    run_pytest(session, *(session.posargs or [*WORKERS, *few, *others]))


@nox.session
def oldest(session: nox.Session) -> None:
    """Run the tests of generated packages with the oldest Pydantic that they accept."""
    install_workspace(session)
    install_group(session, "test")
    install_group(session, "typecheck")
    # The toolkit itself requires a newer version, but works with this one for these tests.
    requirements = nox.project.load_toml("generated/pyproject.toml")["project"]["dependencies"]
    (pydantic,) = (
        requirement for requirement in requirements if requirement.startswith("pydantic>=")
    )
    session.install(pydantic.partition(",")[0].replace(">=", "=="))
    run_pytest(session, *(session.posargs or [*WORKERS, "tests/functional"]))


@nox.session
def tests_service(session: nox.Session) -> None:
    """Run the tests of the reference service, on SQLite and PostgreSQL."""
    install_workspace(session)
    install_group(session, "test")
    run_pytest(session, *(session.posargs or [*WORKERS, SERVICE_TESTS]))


@nox.session
def tests_conformance(session: nox.Session) -> None:
    """Run the tests of `specwright test` and of its plugin, against correct and faulty servers."""
    install_workspace(session)
    install_group(session, "test")
    run_pytest(session, *(session.posargs or [*WORKERS, *CONFORMANCE_TESTS]))


@nox.session
def tests_lab(session: nox.Session) -> None:
    """Run the tests of lab/, which measures."""
    install_workspace(session)
    install_group(session, "test")
    session.run("python", "-m", "lab.archive.environment")
    run_pytest(session, *(session.posargs or [*WORKERS, LAB_TESTS]))


@nox.session
def hostile(session: nox.Session) -> None:
    """Run the commands in hostile repositories, on hostile names and a sample of mutants."""
    install_workspace(session)
    install_group(session, "test")
    run_pytest(session, *(session.posargs or [*WORKERS, *HOSTILE_TESTS]))


@nox.session
def new_examples(session: nox.Session) -> None:
    """Run the property tests on new examples, ten times as many, like the nightly run."""
    install_workspace(session)
    install_group(session, "test")
    chosen = ("-m", "hypothesis", "--hypothesis-profile", "new")
    run_pytest(session, *chosen, *(session.posargs or WORKERS))


@nox.session
def published(session: nox.Session) -> None:
    """Validate and generate the documents of the corpus in SPECWRIGHT_CORPUS."""
    install_workspace(session)
    install_group(session, "test")
    run_pytest(session, "-m", "published and not exhaustive", *(session.posargs or WORKERS))


@nox.session
def exhaustive(session: nox.Session) -> None:
    """Run the exhaustive tests, and those that are too slow for CI (hours)."""
    install_workspace(session)
    install_group(session, "test")
    install_group(session, "typecheck")
    session.run("python", "-m", "lab.archive.environment")
    run_pytest(session, "-m", "exhaustive or slow", *(session.posargs or WORKERS))


@nox.session
def slow_tests(session: nox.Session) -> None:
    """Measure the tests, and list those that CI leaves to the night (half an hour)."""
    install_workspace(session)
    install_group(session, "test")
    install_group(session, "typecheck")
    report = str(Path(session.create_tmp(), "calls.xml"))
    written = ("-o", "junit_duration_report=call", f"--junitxml={report}")
    run_pytest(session, "-m", "not exhaustive", *WORKERS, *written, *session.posargs)
    session.run("python", "-m", "tests.slow", report)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and formatting with ruff (`-- --fix` applies fixes)."""
    install_group(session, "lint")
    fix = "--fix" in session.posargs
    session.run("ruff", "check", *(["--fix"] if fix else []), ".")
    session.run("ruff", "format", *([] if fix else ["--check"]), ".")


@nox.session
def lock(session: nox.Session) -> None:
    """Write the lock file of the action: each dependency with its hashes (needs the network)."""
    session.install("uv")
    file = Path("action", "requirements.txt")
    session.run(
        *("uv", "pip", "compile", "pyproject.toml", "--quiet", "--upgrade", "--universal"),
        *("--generate-hashes", "--python-version", "3.11", "--no-header", "--no-annotate"),
        *("--output-file", str(file)),
    )


@nox.session
def action(session: nox.Session) -> None:
    """Install like the action and pre-commit, from the index, and review with the result."""
    install_workspace(session)
    install_group(session, "test")
    tests = ("tests/review/test_installation.py", "tests/review/test_pre_commit.py")
    session.run("pytest", *tests, env={"SPECWRIGHT_NETWORK": "1"})


@nox.session
def newcomer(session: nox.Session) -> None:
    """Follow README.md in a bare environment, with an installation from the index."""
    install_workspace(session)
    install_group(session, "test")
    session.run("pytest", "tests/docs/test_installation.py", env={"SPECWRIGHT_NETWORK": "1"})


@nox.session
def typecheck(session: nox.Session) -> None:
    """Check types: mypy strict on all code, pyright strict on the generated package."""
    install_workspace(session)
    install_group(session, "typecheck")
    session.run("mypy")
    session.run("mypy", "--package", "partner_esim")
    session.run("pyright", "--project", "pyproject.toml")


@nox.session
def docs(session: nox.Session) -> None:
    """Run and type-check the code of README.md, docs/ and examples/, and check the references."""
    install_workspace(session)
    install_group(session, "test")
    install_group(session, "typecheck")
    run_pytest(session, *DOCS_TESTS, *(session.posargs or WORKERS))


@nox.session
def site(session: nox.Session) -> None:
    """Build the documentation site in build/website/site, and check its links."""
    install_group(session, "site")
    session.run("python", "-m", "website")


@nox.session
def build(session: nox.Session) -> None:
    """Build wheel and sdist of the three distributions; try the toolkit's wheel on its own."""
    install_group(session, "build")
    out = Path("dist").resolve()
    session.run("python", "-m", "release.artefacts", str(out))
    place = Path(session.create_tmp()).resolve()
    bare = place / "bare"
    session.run("python", "-m", "venv", "--clear", str(bare))
    wheel = max(out.glob("specwright-*.whl"), key=lambda path: path.stat().st_mtime)
    python, command = (str(bare / "bin" / name) for name in ("python", "specwright"))
    session.run(python, "-m", "pip", "install", "--quiet", str(wheel), external=True)
    document = str(Path(DOCUMENT).resolve())
    with session.chdir(place):
        session.run(command, "generate", "--document", document, "--output", "out", external=True)


@nox.session
def release(session: nox.Session) -> None:
    """Cut the changelog entry and build a release (`-- --tag TAG` builds a tagged one again)."""
    install_group(session, "build")
    session.run("python", "-m", "release", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Benchmark generation, SDK and stub against their peers; write docs/benchmarks.md."""
    install_workspace(session)
    install_group(session, "bench")
    session.run("python", "-m", "lab.benchmarks", *session.posargs)


@nox.session
def costs(session: nox.Session) -> None:
    """Measure time and memory of the commands on large documents; write docs/costs.md."""
    install_workspace(session)
    install_group(session, "bench")
    install_group(session, "test")
    session.run("python", "-m", "lab.costs", *session.posargs)


@nox.session
def compatibility(session: nox.Session) -> None:
    """Generate from third-party documents; write docs/compatibility.md (`-- times`)."""
    install_workspace(session)
    install_group(session, "typecheck")
    session.run("python", "-m", "lab.compatibility", *session.posargs)


@nox.session
def measured(session: nox.Session) -> None:
    """List pages of measurements that are older than their code, and count operations again."""
    install_workspace(session)
    install_group(session, "test")
    session.run("python", "-m", "lab.measured")


@nox.session
def wire_proof(session: nox.Session) -> None:
    """Check clients against servers of their documents with independent parsers; write the page."""
    install_workspace(session)
    install_group(session, "test")
    session.run("python", "-m", "lab.wire", *session.posargs)


@nox.session
def agreement(session: nox.Session) -> None:
    """Run all commands on the same documents, and fail where they contradict; write the page."""
    install_workspace(session)
    install_group(session, "test")
    run = ("python", "-m", "lab.agreement", *session.posargs)
    # Each document has processes of its own: cached bytecode saves them from compiling again.
    session.run(*run, env={"PYTHONDONTWRITEBYTECODE": ""})


@nox.session
def compositions(session: nox.Session) -> None:
    """Generate from random documents for a minute (`-- --seconds 3600 --seed N --values 10`)."""
    install_workspace(session)
    session.run("python", "-m", "lab.compositions", *session.posargs)


@nox.session
def validators(session: nox.Session) -> None:
    """Check broken and published documents with four validators (needs npm); write the page."""
    install_workspace(session)
    install_group(session, "test")
    run = ("python", "-m", "lab.validators")
    session.run(*run, env={"PYTHONDONTWRITEBYTECODE": ""})


@nox.session
def docs_pages(session: nox.Session) -> None:
    """Measure the page of `docs` next to others (needs npm and Chromium); write the page."""
    install_workspace(session)
    install_group(session, "test")
    session.run("python", "-m", "lab.docs_pages", *session.posargs)


@nox.session
def situations(session: nox.Session) -> None:
    """Put SDK and peers into situations that go wrong; write docs/sdk-situations.md."""
    install_workspace(session)
    install_group(session, "bench")
    install_group(session, "typecheck")
    session.run("python", "-m", "lab.situations", *session.posargs)


@nox.session
def real_servers(session: nox.Session) -> None:
    """Run programs of SDKs against servers of others; write docs/sdk-real-servers.md."""
    install_workspace(session)
    install_group(session, "bench")
    install_group(session, "typecheck")
    session.run("python", "-m", "lab.real_servers", *session.posargs)


@nox.session
def bench_service(session: nox.Session) -> None:
    """Benchmark the service against a hand-written one; write docs/benchmarks-service.md."""
    install_workspace(session)
    install_group(session, "bench")
    session.run("python", "-m", "lab.benchmarks.service", *session.posargs)


@nox.session
def kills(session: nox.Session) -> None:
    """Kill processes 200 times, send 100,000 duplicates, watch memory; write the page."""
    install_workspace(session)
    install_group(session, "test")
    session.run("python", "-m", "lab.kills", *session.posargs)


@nox.session
def outages(session: nox.Session) -> None:
    """Stop processes, cut networks, fill disks; write the page of the effects (ten minutes)."""
    install_workspace(session)
    install_group(session, "test")
    session.run("python", "-m", "lab.outages", *session.posargs)


@nox.session
def neighbours(session: nox.Session) -> None:
    """Measure the waits beside a large partner in its limits; write the page (twenty minutes)."""
    install_workspace(session)
    install_group(session, "test")
    session.run("python", "-m", "lab.neighbours", *session.posargs)


@nox.session
def restarts(session: nox.Session) -> None:
    """Restart processes while clients use them (needs Caddy); write the page (six minutes)."""
    install_workspace(session)
    install_group(session, "test")
    session.run("python", "-m", "lab.restarts", *session.posargs)


@nox.session
def faults(session: nox.Session) -> None:
    """Inject faults into the service and count those found (an hour; `-- NAME` for one)."""
    install_workspace(session)
    install_group(session, "test")
    # Hundreds of processes: cached bytecode saves each from compiling again.
    run = ("python", "-m", "lab.faults.judge", *session.posargs)
    session.run(*run, env={"PYTHONDONTWRITEBYTECODE": ""})


@nox.session
def second_opinion(session: nox.Session) -> None:
    """Check contract-test traffic with openapi-core: both must reject the same responses."""
    install_workspace(session)
    install_group(session, "test")
    # It installs an openapi-spec-validator older than ours, which these tests do not need.
    session.install("openapi-core>=0.23,<1")
    session.run("pytest", "tests/lab/test_second_opinion.py", *session.posargs)


@nox.session
def faults_by_others(session: nox.Session) -> None:
    """Prove and judge faults written without knowledge of the checks (an hour; `-- NAME`)."""
    install_workspace(session)
    install_group(session, "test")
    for step in ("prove", "judge"):
        run = ("python", "-m", f"lab.faults_by_others.{step}", *session.posargs)
        session.run(*run, env={"PYTHONDONTWRITEBYTECODE": ""})


@nox.session
def shops(session: nox.Session) -> None:
    """Judge the bugs of two shops, in FastAPI and in Django (an hour; `-- django NAME`)."""
    install_workspace(session)
    install_group(session, "test")
    run = ("python", "-m", "lab.shops.judge", *session.posargs)
    session.run(*run, env={"PYTHONDONTWRITEBYTECODE": ""})


@nox.session
def tickets(session: nox.Session) -> None:
    """Judge the bugs of a ticket system and an archive (hours; `-- archive NAME`)."""
    install_workspace(session)
    install_group(session, "test")
    run = ("python", "-m", "lab.tickets.judge", *session.posargs)
    session.run(*run, env={"PYTHONDONTWRITEBYTECODE": ""})


@nox.session
def loads(session: nox.Session) -> None:
    """Test one server ten times at each of three loads of the machine (half an hour)."""
    install_workspace(session)
    install_group(session, "test")
    run = ("python", "-m", "lab.tickets.loads", *session.posargs)
    session.run(*run, env={"PYTHONDONTWRITEBYTECODE": ""})


@nox.session
def mutants(session: nox.Session) -> None:
    """Mutate the code and count undetected mutants (an hour; `-- ROOM`, `-- --changed A..B`)."""
    install_workspace(session)
    install_group(session, "test")
    session.run("python", "-m", "lab.mutants", *session.posargs)


@nox.session
def polarity(session: nox.Session) -> None:
    """Change published documents with known effects; count wrong verdicts of the review."""
    install_workspace(session)
    install_group(session, "test")
    session.install("jsonschema[format]")
    session.run("python", "-m", "lab.polarity", *session.posargs)


@nox.session
def histories(session: nox.Session) -> None:
    """Review third-party documents version by version; write docs/review-histories.md."""
    install_workspace(session)
    install_group(session, "bench")
    session.run("python", "-m", "lab.histories", *session.posargs)


@nox.session
def foreign_servers(session: nox.Session) -> None:
    """Test third-party servers, next to schemathesis; save the results (`-- NAME`; two hours)."""
    install_workspace(session)
    # It has a PostgreSQL.
    install_group(session, "test")
    session.run("python", "-m", "lab.foreign_servers", *session.posargs)


@nox.session
def adoption(session: nox.Session) -> None:
    """Test three of these servers again and again, as a team does (20 minutes)."""
    install_workspace(session)
    install_group(session, "test")
    session.run("python", "-m", "lab.foreign_servers.adoption", *session.posargs)


@nox.session
def seeds(session: nox.Session) -> None:
    """Test correct implementations with 20 seeds (an hour; `-- NAME` for one)."""
    install_workspace(session)
    install_group(session, "test")
    install_group(session, "bench")
    run = ("python", "-m", "lab.seeds", *session.posargs)
    session.run(*run, env={"PYTHONDONTWRITEBYTECODE": ""})


@nox.session
def contract(session: nox.Session) -> None:
    """Test the reference service against the contract; the reports go to reports/."""
    install_workspace(session)
    # .ci/run has this session use the environment of another one.
    scripts = "import sysconfig; print(sysconfig.get_path('scripts'))"
    directory_of_scripts = str(session.run("python", "-c", scripts, silent=True)).strip()
    command = str(Path(directory_of_scripts, "esim-service"))
    with tempfile.TemporaryDirectory() as directory:
        place = ("--database", str(Path(directory, "esim.sqlite3")))
        generous = ("--read-limit", "100000", "--write-limit", "100000")
        partners = {"KEY": generous, "OTHER_KEY": generous, "LIMITED_KEY": (), "SUSPENDED_KEY": ()}
        create = ("esim-service", "keys", "create", *place, "--plain", "--mode", "test")
        keys = {
            name: str(session.run(*create, "--partner", name, *limits, silent=True)).strip()
            for name, limits in partners.items()
        }
        session.run("esim-service", "partners", "suspend", "SUSPENDED_KEY", *place)
        # The service trusts the receiver's CA, may reach this machine, and retries soon.
        certificate = session.run("specwright", "authority", directory, silent=True)
        receiving = {
            "ESIM_WEBHOOK_ALLOW_CIDR": "127.0.0.0/8",
            "ESIM_WEBHOOK_CA_FILE": str(certificate).strip(),
            "ESIM_WEBHOOK_RETRY_SCALE": RETRY_SCALE,
            # A query that a name server drops costs one second instead of five (resolv.conf(5)).
            "RES_OPTIONS": "timeout:1 attempts:1",
        }
        with Path(directory, "serve.log").open("w") as log:
            server = subprocess.Popen(
                [command, "serve", *place, "--port", "0", "--metrics-port", "0"],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env={**os.environ, **receiving},
            )
        try:
            assert server.stdout is not None
            # The first line is printed once the service responds: `API`, and its base URL.
            _, base_url = server.stdout.readline().split()
            session.run(
                *("specwright", "test", base_url, "--report-dir", "reports"),
                *("--api-key-env", "KEY", "--other-tenant-api-key-env", "OTHER_KEY"),
                *("--limited-api-key-env", "LIMITED_KEY"),
                *("--suspended-api-key-env", "SUSPENDED_KEY"),
                *("--receiver-authority", directory, "--retry-scale", RETRY_SCALE),
                *session.posargs,
                env=keys,
            )
        finally:
            server.terminate()
            server.wait()


@nox.session
def serve(session: nox.Session) -> None:
    """Run the reference service with instructions to try it; arguments after `--` go to `serve`."""
    session.install("-e", ".[test]", "-e", "./generated[server]", "-e", "./service[postgres]")
    parser = argparse.ArgumentParser()
    parser.add_argument("--database", default=str(Path(session.create_tmp(), "esim.sqlite3")))
    options, others = parser.parse_known_args(session.posargs)
    place = ("--database", options.database)
    # After Ctrl-C it finishes its pending work.
    session.run("esim-service", "serve", "--demo", *place, *others, interrupt_timeout=30)
