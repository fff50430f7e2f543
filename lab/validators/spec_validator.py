"""Print the errors of openapi-spec-validator about documents, each as a list in JSON.

In a process of its own, as it may take any time.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

from openapi_spec_validator.readers import read_from_filename
from openapi_spec_validator.shortcuts import get_validator_cls

from specwright.pointer import join


def main() -> None:
    for file in sys.argv[1:]:
        for error in _errors(file):
            place = join(*getattr(error, "absolute_path", ()))
            text = str(getattr(error, "message", error))
            print(json.dumps((file, type(error).__name__, place, text)), flush=True)


def _errors(file: str) -> Iterator[Exception]:
    try:
        document, base = read_from_filename(file)
        yield from get_validator_cls(document)(document, base_uri=base).iter_errors()
    # Its own command ends with an exception of any kind; a traceback is not a finding.
    except Exception as error:
        if type(error).__module__ != "builtins":
            yield error


if __name__ == "__main__":
    main()
