"""The hand-written document."""

from pathlib import Path
from typing import Any

import yaml

FILE = Path(__file__).with_name("openapi.yaml")
DOCUMENT: Any = yaml.safe_load(FILE.read_text("utf-8"))
