"""The page that lists all rules, made from their descriptions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import dedent

from specwright.findings import RuleDescription
from specwright.report.rule_texts import by_category, examples, paragraphs

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

`where` is a glob for JSON pointers, or for operations such as `GET /legacy/*`; `*` matches slashes,
too. A waiver may have a last day, `expires = 2027-01-31`. A table such as
`[levels."GET /legacy/*"]` has levels for the places that its glob matches. With
`extends = "../lint.toml"`,
[several documents share a file](../how-to/check-in-ci.md#several-apis-in-one-repository).
`specwright explain RULE` shows one of the rules below on the terminal.

The chapters whose names start with *Changes* are those of `specwright diff`, which knows no
profiles ([reviewing changes](review.md)). Their examples are two documents each: the older one,
`---`, the newer one. Those whose names start with *Behaviour* are of `specwright test`, and look at
a running implementation ([testing a deployment](../how-to/test-a-deployment.md)), with the levels
and waivers of the same file; those about
deliveries are of `specwright test-receiver`.
"""


def render(rules: Iterable[RuleDescription]) -> str:
    """The whole page in Markdown."""
    parts = [_HEAD]
    for category, members in by_category(rules).items():
        parts.append(f"\n## {category}\n")
        parts.extend(part for rule in members for part in _rule(rule))
    return "".join(parts)


def _rule(rule: RuleDescription) -> Iterator[str]:
    yield f"\n### `{rule.id}`\n"
    yield from (f"\n{paragraph}\n" for paragraph in paragraphs(rule))
    for label, example in examples(rule):
        yield f"\n{label}\n"
        if example:
            yield f"\n```yaml\n{dedent(example).strip()}\n```\n"
