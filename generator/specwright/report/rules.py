"""The page that lists all rules, made from their table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import dedent

from specwright.check.lint.rule import Category, Rule

_HEAD = """\
# Rules

`specwright validate` applies these rules. The levels depend on the profile: *recommended* is for
any document, and reports as errors only what makes it or a declaration in it invalid; *strict* is
for documents that code is generated from. A file `lint.toml` beside it chooses the profile, changes
single levels (`error`, `warning`, `info`, `off`) and waives findings where a project accepts them:

```toml
profile = "strict"

[levels]
operation-text = "warning"

[[waivers]]
rule = "schema-inline"
where = "/paths/~1legacy/*"
reason = "The old paths go in version 2."
```

`where` is a glob for JSON pointers, in which `*` matches slashes, too. A waiver that no finding
needs any more is reported as `waiver-unused`. `check-incomplete` says that a rule could not be
applied to the end; on a document that the official schema accepts, that is a bug of ours.
"""


def render(rules: Iterable[Rule]) -> str:
    """The whole page in Markdown."""
    listed = list(rules)
    parts = [_HEAD]
    for category in Category:
        members = [rule for rule in listed if rule.category is category]
        parts.append(f"\n## {category}\n")
        parts.extend(part for rule in members for part in _rule(rule))
    return "".join(parts)


def _rule(rule: Rule) -> Iterator[str]:
    yield f"\n### `{rule.id}`\n\n{rule.why}\n\n"
    yield f"Recommended: {rule.recommended}. Strict: {rule.strict}.\n\n"
    yield f"Found:\n\n```yaml\n{dedent(rule.bad).strip()}\n```\n\n"
    yield f"Better:\n\n```yaml\n{dedent(rule.good).strip()}\n```\n"
