"""Runs of a graph, one of them as a stream, with the SDK of LangGraph: `product.py URL NAME`."""

import sys

from langgraph_sdk import get_sync_client
from seen import see


def main(url: str, name: str) -> None:
    with get_sync_client(url=url) as client:
        see("ok", client.http.get("/ok")["ok"])
        see("version", client.http.get("/info")["version"])
        assistant = client.assistants.create("agent", name=name, metadata={"team": "lamps"})
        see("assistant id", assistant["assistant_id"])
        see("assistant created", assistant["created_at"])
        see("graph", client.assistants.get(assistant["assistant_id"])["graph_id"])
        changed = client.assistants.update(assistant["assistant_id"], name=f"{name}-2")
        see("changed name", changed["name"])
        listed = client.assistants.search(graph_id="agent", metadata={"team": "lamps"}, limit=5)
        see("names", [item["name"] for item in listed])
        see("count", client.assistants.count(graph_id="agent"))
        schemas = client.assistants.get_schemas(assistant["assistant_id"])
        see("input schema", schemas["input_schema"])

        thread = client.threads.create(metadata={"desk": 3})
        thread_id = thread["thread_id"]
        see("thread status", thread["status"])
        see("thread metadata", thread["metadata"])
        result = client.runs.wait(
            thread_id,
            assistant["assistant_id"],
            input={"words": ["lamp"]},
            metadata={"first": True},
        )
        see("result", result)
        events = client.runs.stream(
            thread_id, assistant["assistant_id"], input={"words": ["sea"]}, stream_mode="values"
        )
        see("streamed", [event.data["words"] for event in events if event.event == "values"])
        state = client.threads.get_state(thread_id)
        see("values", state["values"])
        see("checkpoint", state["checkpoint"]["checkpoint_id"])
        history = client.threads.get_history(thread_id, limit=3)
        see("steps", [step["checkpoint"]["checkpoint_id"] for step in history])
        runs = client.runs.list(thread_id, limit=10)
        see("run states", [run["status"] for run in runs])
        run = client.runs.get(thread_id, runs[-1]["run_id"])
        see("run metadata", run["metadata"]["first"])

        client.store.put_item(["lamps", name], key="colour", value={"rgb": [255, 0, 0]})
        item = client.store.get_item(["lamps", name], key="colour")
        see("item", item["value"])
        found = client.store.search_items(["lamps", name], limit=2)
        see("items", [entry["key"] for entry in found["items"]])
        client.store.delete_item(["lamps", name], key="colour")
        client.threads.delete(thread_id)
        client.assistants.delete(assistant["assistant_id"])


main(*sys.argv[1:])
