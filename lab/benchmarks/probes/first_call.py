"""A process that makes one call with a large package, and its peak memory."""

import json
import sys

from harness import peak_memory

base, package = sys.argv[1:]
sys.path.insert(0, package)

from github_api import GithubApiClient  # noqa: E402

with GithubApiClient(base_url=base) as client:
    assert client.rate_limit.rate_limit_get().resources.core.limit == 5000
print(json.dumps({"memory": [peak_memory()]}))
