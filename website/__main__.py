"""Build the site in build/website/site with warnings as errors, then check its links."""

import shutil
import subprocess
import sys
from pathlib import Path

from website.check import problems
from website.stage import SETTINGS, stage

ROOT = Path(__file__).parents[1]
PLACE = ROOT / "build" / "website"

shutil.rmtree(PLACE, ignore_errors=True)
stage(ROOT, PLACE)
build = ("zensical", "build", "--strict", "--config-file", str(PLACE / SETTINGS))
if subprocess.run(build, check=False).returncode:
    sys.exit(1)
# Its links begin at the top of a host, which is seldom where the site is.
(PLACE / "site" / "404.html").unlink()
found = list(problems(PLACE / "site"))
print(*found or [f"the links of {PLACE / 'site'} are correct"], sep="\n")
sys.exit(bool(found))
