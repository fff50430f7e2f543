"""The generated client: a POST of many models, next to the same POST by httpx2."""

import sys
from pathlib import Path

import httpx2
from harness import in_turns
from pydantic import TypeAdapter

base, package, items, rounds = sys.argv[1:]
sys.path.insert(0, package)

from catalogue._runtime.shared.codec import Codecs  # noqa: E402

from catalogue import CatalogueClient, models  # noqa: E402

content = Path(items).read_bytes()
adapter = TypeAdapter(list[models.Item])
things = adapter.validate_json(content)
sdk = CatalogueClient(base_url=base)
raw = httpx2.Client()
# With all constraints of the document.
checked = Codecs(models.__name__)["Items"].validator


def post(body: bytes) -> httpx2.Response:
    return raw.post(f"{base}/items", content=body, headers={"content-type": "application/json"})


def written() -> bytes:
    body = adapter.dump_json(things, by_alias=True)
    checked.validate_json(body, by_alias=True, by_name=False)
    return body


in_turns(
    {
        "ready": lambda: post(content),
        "adapter": lambda: post(written()),
        "sdk": lambda: sdk.items.create_items(body=things),
    },
    rounds=int(rounds),
    repeat=20,
)
