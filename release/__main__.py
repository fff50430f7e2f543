"""`python -m release`: prepare a release; with `--tag TAG`, build the tagged one again."""

from __future__ import annotations

import argparse
import datetime
import sys
from pathlib import Path

from release.errors import ReleaseError
from release.steps import prepare, rebuild


def main() -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(prog="nox -s release --", description=__doc__)
    parser.add_argument("--tag", help="the tag of this commit, whose version is built")
    tag = parser.parse_args().tag
    try:
        if tag:
            print(f"dist/ has version {rebuild(Path.cwd(), tag)}")
            return 0
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        version = prepare(Path.cwd(), today)
    except ReleaseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(
        f"CHANGELOG.md has the entry of {version}, and dist/ its artefacts. Publish it with:\n"
        f"  git commit --all --message 'Release {version}'\n"
        f"  git tag --sign v{version} --message 'Release {version}'\n"
        "  git push --follow-tags"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
