"""Run the validators on broken and on published documents; write docs/validators.md."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from lab.measured import records
from lab.validators import page, published, tools
from lab.validators.faults import faults
from lab.validators.judge import found
from lab.validators.tools import OURS, ROOT, TOOLS

PAGE = ROOT / "docs" / "validators.md"


def main() -> int:
    corpus = Path(os.environ.get("SPECWRIGHT_CORPUS", ""))
    if not (corpus / "specs").is_dir():
        print("set SPECWRIGHT_CORPUS to the directory of the corpus")
        return 2
    record = records.current("validators")
    tools.install()
    all_faults = faults()
    by_tool = {tool: found(all_faults, tool) for tool in TOOLS}
    messages = published.messages(corpus)
    shared = [entry for name in messages for entry in published.shared(name, messages[name])]
    records.keep("validators", record)
    text = page.page(all_faults, by_tool, messages, shared, published.opinions())
    PAGE.write_text(text, "utf-8")
    wrong = [
        fault.name
        for fault in all_faults
        if not by_tool[OURS][fault.name]
        and sum(bool(by_tool[tool][fault.name]) for tool in TOOLS) > 1
    ]
    print("\n".join(f"{name}: two others find it" for name in wrong) or PAGE)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
