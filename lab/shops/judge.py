"""Find out which bugs of the shops are found: `python -m lab.shops.judge`."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from lab.faults.judge import OPTIONS, ROOT, SPECWRIGHT, VARIABLES, failures
from lab.measured import records
from lab.shops.bugs import BUGS
from lab.shops.declarations import declared
from lab.shops.serving import SHOPS
from lab.shops.verdicts import Runs, Verdict, load, save

# The first one is that of all runs with a bug; what is random in a shop without one needs more.
SEEDS = ("1", "2", "3")
# Only what hangs takes so long, on any machine.
PATIENCE_SECONDS = 900
ALONE_SECONDS = 20
# A run waits more than it works.
AT_A_TIME = 2
# Users by the option of their key: two managers, one who may do nothing, and a customer.
USERS = {0: "alice", 1: "bob", 3: "dave", 5: "carol"}
# A finding, as far as it is the same one in two runs.
Found = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Served:
    """A shop on this machine, with the document that it makes of itself."""

    shop: str
    base_url: str
    document: Any

    def keys(self) -> dict[int, str]:
        """Return the credentials by the number of their option."""
        spelled = "{0}:test-{0}" if self.shop == "django" else "test-{0}"
        return {number: spelled.format(user) for number, user in USERS.items()}


@contextlib.contextmanager
def serving(shop: str, bug: str) -> Iterator[Served]:
    """Serve a shop with a bug, or with `none`, in a process of its own."""
    command = [sys.executable, "-m", "lab.shops.serving", shop, bug]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            document, url = (process.stdout.readline().strip() for _ in range(2))
            yield Served(shop, url, json.loads(document))
        finally:
            process.kill()


def tested(shop: str, bug: str, document: Any, seed: str) -> frozenset[Found]:
    """Return rule, place and message of the findings of `specwright test` above the level info."""
    with serving(shop, bug) as served, tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "openapi.json")
        file.write_text(json.dumps(document), "utf-8")
        keys = served.keys()
        options, variables = (*OPTIONS, "--unscoped-api-key-env"), (*VARIABLES, "UNSCOPED_KEY")
        named = [part for number in keys for part in (options[number], variables[number])]
        # As users begin: what is plain in the document becomes settings, such as pagination.
        subprocess.run(
            [SPECWRIGHT, "init", file.name], cwd=directory, check=True, capture_output=True
        )
        command = [SPECWRIGHT, "test", served.base_url, "--document", file, *named]
        with contextlib.suppress(subprocess.TimeoutExpired):
            done = subprocess.run(
                [*command, "--seed", seed, "--format", "json"],
                cwd=directory,
                env={**os.environ, **{variables[number]: key for number, key in keys.items()}},
                capture_output=True,
                text=True,
                check=False,
                timeout=PATIENCE_SECONDS,
            )
            if not done.stdout:
                return frozenset({("not-tested", done.stderr.strip().partition("\n")[0])})
            findings = json.loads(done.stdout)["findings"]
            return frozenset(
                (finding["rule"], occurrence["pointer"], occurrence["message"])
                for finding in findings
                if finding["level"] != "info"
                for occurrence in finding.get("occurrences") or [finding]
            )
    return frozenset({("not-tested", "it did not end")})


def alone(shop: str, bug: str, document: Any, program: str, seed: str) -> frozenset[Found]:
    """Return the checks of schemathesis that fail, by operation."""
    with serving(shop, bug) as served, tempfile.TemporaryDirectory() as directory:
        file, report = Path(directory, "openapi.json"), Path(directory, "report.ndjson")
        file.write_text(json.dumps(document), "utf-8")
        main = served.keys()[0]
        way = ["--auth", main] if ":" in main else ["--header", f"Authorization: Bearer {main}"]
        command = [program, "run", file, "--url", served.base_url, "--seed", seed, *way]
        limits = ["--max-time", str(ALONE_SECONDS), "--request-timeout", "5"]
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(
                [*command, *limits, "--report", "ndjson", "--report-ndjson-path", report],
                cwd=directory,
                capture_output=True,
                check=False,
                timeout=PATIENCE_SECONDS,
            )
        return failures(report)


class Judge:
    """Runs against one shop, each compared with that of the shop without a bug."""

    def __init__(self, shop: str, program: str | None) -> None:
        self.shop = shop
        self.program = program
        with serving(shop, "none") as right:
            self.documents = {
                "plain": right.document,
                "declared": declared(right.document, shop),
            }
        self.clean = {
            kind: frozenset[Found]().union(*(tested(shop, "none", each, seed) for seed in SEEDS))
            for kind, each in self.documents.items()
        }
        self.noise = frozenset[Found]().union(
            *(alone(shop, "none", right.document, program, seed) for seed in SEEDS if program)
        )

    def rules(self, bug: str, kind: str) -> tuple[str, ...]:
        """Return the rules with findings that the shop without a bug does not have."""
        look = partial(tested, self.shop, bug, self.documents[kind])
        return _confirmed(look, self.clean[kind], 0)

    def checks(self, bug: str, program: str) -> tuple[str, ...]:
        """Return the checks of schemathesis that fail only with a bug."""
        look = partial(alone, self.shop, bug, self.documents["plain"], program)
        return _confirmed(look, self.noise, 1)

    def verdict(self, bug: str) -> Verdict:
        """Judge a bug without declarations, and with them where that has found nothing."""
        plain = self.rules(bug, "plain")
        with_ = None if plain else self.rules(bug, "declared")
        if self.program is None:
            return Verdict(plain, with_, None)
        return Verdict(plain, with_, self.checks(bug, self.program))


def _confirmed(
    look: Callable[[str], frozenset[Found]], noise: frozenset[Found], place: int
) -> tuple[str, ...]:
    """Return the names in the findings that are not noise.

    What finds something without a bug, too, must find the same with another seed.

    Args:
        place: of the name in a finding.
    """
    noisy = {finding[place] for finding in noise}
    found = look(SEEDS[0]) - noise
    if found and all(finding[place] in noisy for finding in found):
        found &= look(SEEDS[1])
    return tuple(sorted({finding[place] for finding in found} - {"not-tested"}))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.shops.judge", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="shops and bugs; all by default")
    parser.add_argument(
        "--schemathesis", action="store_true", help="judge it again, too; else its verdicts stay"
    )
    options = parser.parse_args()
    given = options.names
    if unknown := set(given) - SHOPS.keys() - BUGS.keys():
        parser.error(f"there is no shop or bug {', '.join(sorted(unknown))}")
    record = records.current("shops")
    program = str(SPECWRIGHT.with_name("schemathesis")) if options.schemathesis else None
    clean = True
    for shop in [shop for shop in SHOPS if shop in given] or SHOPS:
        judge = Judge(shop, program)
        runs = load(shop)
        found = {kind: sorted({rule for rule, *_ in each}) for kind, each in judge.clean.items()}
        runs = Runs(found, runs.first, runs.last)
        clean &= not any(found.values())
        print(f"{shop} without a bug: {found}", flush=True)
        names = [bug for bug in BUGS if bug in given] or list(BUGS)
        with ThreadPoolExecutor(AT_A_TIME) as pool:
            for name, verdict in zip(names, pool.map(judge.verdict, names), strict=True):
                if program is None and name in runs.last:
                    verdict = replace(verdict, alone=runs.last[name].alone)
                # The first verdict stays; later runs only replace the last one.
                runs.first.setdefault(name, verdict)
                runs.last[name] = verdict
                save(shop, runs)
                print(f"{shop:8} {name:28} {verdict}", flush=True)
    if not given:
        records.keep("shops", record)
    sys.exit(0 if clean else 1)


if __name__ == "__main__":
    main()
