"""One process that reads a list of ten megabytes item by item, and its peak memory."""

import json
import sys

from harness import peak_memory

base, package, way = sys.argv[1:]


def with_sdk() -> int:
    sys.path.insert(0, package)
    from catalogue import CatalogueClient

    with CatalogueClient(base_url=base) as client, client.items.list_items() as stream:
        return sum(1 for item in stream if item.quantity >= 0)


def by_lines() -> int:
    import httpx2

    with httpx2.Client() as client, client.stream("GET", f"{base}/items") as response:
        return sum(1 for line in response.iter_lines() if json.loads(line)["quantity"] >= 0)


def whole() -> int:
    import httpx2

    with httpx2.Client() as client:
        items = [json.loads(line) for line in client.get(f"{base}/items").text.splitlines()]
        return sum(1 for item in items if item["quantity"] >= 0)


count = {"sdk": with_sdk, "lines": by_lines, "whole": whole}[way]()
assert count > 30_000, count
print(json.dumps({"memory": [peak_memory()]}))
