"""Runs of a graph, one as a stream, with the SDK by specwright: `ours.py URL NAME`."""

import json
import sys

from langgraph_sdk import LanggraphSdkClient
from seen import see


def main(url: str, name: str) -> None:
    with LanggraphSdkClient(base_url=url) as client:
        see("ok", client.system.health_check().ok)
        unchecked = client.with_options(check_responses=False)
        see("version", unchecked.system.server_info().version)
        assistant = client.assistants.create_assistant(
            graph_id="agent", name=name, metadata={"team": "lamps"}
        )
        see("assistant", assistant)
        see("assistant id", assistant.assistant_id)
        see("assistant created", assistant.created_at)
        see("graph", client.assistants.get_assistant(assistant.assistant_id).graph_id)
        changed = client.assistants.patch_assistant(assistant.assistant_id, name=f"{name}-2")
        see("changed name", changed.name)
        listed = client.assistants.search_assistants(
            graph_id="agent", metadata={"team": "lamps"}, limit=5
        )
        see("names", [item.name for item in listed])
        see("count", client.assistants.count_assistants(graph_id="agent"))
        schemas = client.assistants.get_assistant_schemas(assistant.assistant_id)
        see("input schema", schemas.input_schema)

        thread = client.threads.create_thread(metadata={"desk": 3})
        thread_id = thread.thread_id
        see("thread", thread)
        see("thread status", thread.status)
        see("thread metadata", thread.metadata)
        result = client.thread_runs.wait_run(
            thread_id,
            assistant_id=assistant.assistant_id,
            input={"words": ["lamp"]},
            metadata={"first": True},
        )
        see("result", result)
        with client.thread_runs.stream_run(
            thread_id,
            assistant_id=assistant.assistant_id,
            input={"words": ["sea"]},
            stream_mode=["values"],
        ) as events:
            values = [json.loads(event.data) for event in events if event.event == "values"]
        see("streamed", [value["words"] for value in values])
        state = client.threads.get_latest_thread_state(thread_id)
        see("values", state.values)
        see("checkpoint", state.checkpoint.checkpoint_id)
        history = client.threads.get_thread_history(thread_id, limit=3)
        see("steps", [step.checkpoint.checkpoint_id for step in history])
        runs = client.thread_runs.list_runs_http(thread_id, limit=10).items
        see("runs", runs)
        see("run states", [run.status for run in runs])
        run = client.thread_runs.get_run_http(thread_id, runs[-1].run_id)
        see("run metadata", run.metadata["first"])

        client.store.put_item(namespace=["lamps", name], key="colour", value={"rgb": [255, 0, 0]})
        item = client.store.get_item(namespace=[f"lamps.{name}"], key="colour")
        see("item", item.value)
        found = client.store.search_items(namespace_prefix=["lamps", name], limit=2)
        see("items", [entry.key for entry in found.items])
        client.store.delete_item(namespace=["lamps", name], key="colour")
        client.threads.delete_thread(thread_id)
        client.assistants.delete_assistant(assistant.assistant_id)


main(*sys.argv[1:])
