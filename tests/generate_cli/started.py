"""The command as a process of its own, with the workers for models of tests/model_workers.py.

A command that watches generates again and again, and would load the generator each time.
"""

import sys
from pathlib import Path

# The directory of the project that is watched must not be imported from.
sys.path.append(str(Path(__file__).parents[2]))

if __name__ == "__main__":
    from specwright.cli import main
    from tests import model_workers

    with model_workers.copied():
        main()
