"""Print the size in MB of a distribution and its requirements, without bytecode files."""

import json
import re
import sys
from importlib.metadata import PackageNotFoundError, distribution

NAME = re.compile("[A-Za-z0-9._-]+")


def closure(name: str, seen: set[str]) -> set[str]:
    """Return the names of a distribution and its installed requirements, without extras."""
    key = name.lower().replace("_", "-")
    if key in seen:
        return seen
    try:
        found = distribution(name)
    except PackageNotFoundError:
        # Required on other platforms only.
        return seen
    seen.add(key)
    for requirement in found.requires or ():
        if "extra ==" not in requirement:
            match = NAME.match(requirement)
            assert match is not None
            closure(match.group(), seen)
    return seen


def size(name: str) -> int:
    files = distribution(name).files or ()
    paths = [file.locate() for file in files if file.suffix != ".pyc"]
    return sum(path.stat().st_size for path in paths if path.is_file())


print(json.dumps({"size": [sum(map(size, closure(sys.argv[1], set()))) / 1e6]}))
