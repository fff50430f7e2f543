"""A graph for the server: it writes words in capitals, and counts them."""

from __future__ import annotations

import operator
from typing import Annotated, TypedDict

from langgraph.graph import END, START, StateGraph


class State(TypedDict, total=False):
    words: Annotated[list[str], operator.add]
    count: int


def shout(state: State) -> State:
    return {"words": [word.upper() for word in state["words"]]}


def count(state: State) -> State:
    return {"count": len(state["words"])}


builder = StateGraph(State)
builder.add_node("shout", shout)
builder.add_node("count", count)
builder.add_edge(START, "shout")
builder.add_edge("shout", "count")
builder.add_edge("count", END)
graph = builder.compile()
