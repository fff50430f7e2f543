"""Any text in any place."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from urllib.parse import quote

from hypothesis import given, settings
from hypothesis import strategies as st

from .raw import PLAN, Connection, references

# Lone surrogates travel as escapes.
TEXTS = st.text(st.characters(exclude_categories=()), max_size=30) | st.text(
    st.characters(categories=("Cc", "Cs", "Cf", "Zl", "Zp")), max_size=6
)
POSITIONS: list[Callable[[str], tuple[str, str, object]]] = [
    lambda text: ("POST", "/orders", {"plan_id": text, "reference": "r"}),
    lambda text: ("POST", "/orders", {"plan_id": PLAN, "reference": text}),
    lambda text: ("POST", "/orders", _ordered(end_user={"label": text})),
    lambda text: ("POST", "/orders", _ordered(metadata={text: text})),
    lambda text: ("POST", "/orders", _ordered(metadata={"sandbox_scenario": text})),
    lambda text: ("POST", "/orders", _ordered(**{text: text})),
    lambda text: ("POST", "/esims/x/topups", {"topup_plan_id": text, "reference": "r"}),
    lambda text: ("POST", "/esims/x/topups", {"topup_plan_id": "t", "reference": text}),
    lambda text: ("POST", "/webhook-endpoints", {"url": f"https://{text}"}),
    lambda text: ("POST", "/webhook-endpoints", {"url": f"https://hooks.example.com/{text}"}),
    lambda text: (
        "POST",
        "/webhook-endpoints",
        {"url": "https://a.example", "event_types": [text]},
    ),
    *(
        lambda text, path=path: ("GET", path + quote(text, safe="", errors="surrogatepass"), None)
        for path in (
            *("/", "/plans/", "/orders/", "/esims/", "/plans?country=", "/plans?coverage="),
            *(
                "/plans?country=FR&cursor=",
                "/orders?reference=",
                "/orders?cursor=",
                "/orders?limit=",
            ),
            *("/esims?order_id=", "/events?type=", "/events?cursor=", "/events?"),
        )
    ),
]


def _ordered(**more: object) -> dict[str, object]:
    return {"plan_id": PLAN, "reference": next(references), **more}


@settings(max_examples=150)
@given(position=st.sampled_from(POSITIONS), text=TEXTS)
def test_no_text_in_any_place_is_too_much(
    connect: Callable[[], Connection],
    position: Callable[[str], tuple[str, str, object]],
    text: str,
) -> None:
    method, target, body = position(text)
    data = None if body is None else json.dumps(body).encode()
    # A service hangs up on a client that has not asked for five seconds, as a busy machine may.
    with closing(connect()) as connection:
        answer = connection.send(method, target, data)
        assert answer.status < 500
        if answer.status >= 400:
            assert answer.refusal[0] in (400, 402, 404, 409, 422)
        assert connection.send("GET", "/balance").status == 200
