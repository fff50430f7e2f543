"""Put one library into situations and print the outcomes as JSON: `perform.py SUBJECT NAME…`.

Each situation has its own process, so that a hang or a crash is an outcome, too.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import select
import signal
import sys
import traceback
from typing import Any

from origin import Origin
from outcome import SITUATIONS, NotOfferedError, Outcome

# Importing these modules fills the table.
ROOMS = ("reading", "sending", "keys", "processes", "deliveries")
SECONDS = 60


def performed(sdk: Any, name: str) -> Outcome:
    """Run a situation in a child process."""
    reading_end, writing_end = os.pipe()
    child = os.fork()
    if not child:
        os.setpgid(0, 0)
        os.close(reading_end)
        os.write(writing_end, json.dumps(_outcome(sdk, name)).encode())
        os._exit(0)
    os.close(writing_end)
    with os.fdopen(reading_end) as stream:
        is_ready, _, _ = select.select([stream], [], [], SECONDS)
        # Together with its own children, which hold the pipe open, too.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        said = stream.read()
    os.waitpid(child, 0)
    return Outcome(*json.loads(said)) if said else Outcome("hangs" if not is_ready else "crashes")


def _outcome(sdk: Any, name: str) -> Outcome:
    try:
        return SITUATIONS[name](sdk, Origin())
    except (NotOfferedError, NotImplementedError) as error:
        return Outcome("not offered", str(error))
    except Exception:
        # A mistake of the stage, not of the library: no rule knows this word.
        return Outcome("the stage broke", traceback.format_exc()[-2000:])


def main() -> None:
    subject, *names = sys.argv[1:]
    for room in ROOMS:
        importlib.import_module(room)
    sdk = importlib.import_module(f"subjects.{subject}")
    print(json.dumps({name: performed(sdk, name) for name in names or SITUATIONS}))


if __name__ == "__main__":
    main()
