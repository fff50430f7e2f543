"""The program of `ours.py`, asynchronously: `ours_async.py URL NAME`."""

import asyncio
import json
import sys

from langgraph_sdk import AsyncLanggraphSdkClient
from seen import see


async def main(url: str, name: str) -> None:
    async with AsyncLanggraphSdkClient(base_url=url) as client:
        see("ok", (await client.system.health_check()).ok)
        unchecked = client.with_options(check_responses=False)
        see("version", (await unchecked.system.server_info()).version)
        assistant = await client.assistants.create_assistant(
            graph_id="agent", name=name, metadata={"team": "lamps"}
        )
        see("assistant", assistant)
        see("assistant id", assistant.assistant_id)
        see("assistant created", assistant.created_at)
        see("graph", (await client.assistants.get_assistant(assistant.assistant_id)).graph_id)
        changed = await client.assistants.patch_assistant(assistant.assistant_id, name=f"{name}-2")
        see("changed name", changed.name)
        listed = await client.assistants.search_assistants(
            graph_id="agent", metadata={"team": "lamps"}, limit=5
        )
        see("names", [item.name for item in listed])
        see("count", await client.assistants.count_assistants(graph_id="agent"))
        schemas = await client.assistants.get_assistant_schemas(assistant.assistant_id)
        see("input schema", schemas.input_schema)

        thread = await client.threads.create_thread(metadata={"desk": 3})
        thread_id = thread.thread_id
        see("thread", thread)
        see("thread status", thread.status)
        see("thread metadata", thread.metadata)
        result = await client.thread_runs.wait_run(
            thread_id,
            assistant_id=assistant.assistant_id,
            input={"words": ["lamp"]},
            metadata={"first": True},
        )
        see("result", result)
        async with await client.thread_runs.stream_run(
            thread_id,
            assistant_id=assistant.assistant_id,
            input={"words": ["sea"]},
            stream_mode=["values"],
        ) as events:
            values = [json.loads(event.data) async for event in events if event.event == "values"]
        see("streamed", [value["words"] for value in values])
        state = await client.threads.get_latest_thread_state(thread_id)
        see("values", state.values)
        see("checkpoint", state.checkpoint.checkpoint_id)
        history = await client.threads.get_thread_history(thread_id, limit=3)
        see("steps", [step.checkpoint.checkpoint_id for step in history])
        runs = (await client.thread_runs.list_runs_http(thread_id, limit=10)).items
        see("runs", runs)
        see("run states", [run.status for run in runs])
        run = await client.thread_runs.get_run_http(thread_id, runs[-1].run_id)
        see("run metadata", run.metadata["first"])

        await client.store.put_item(
            namespace=["lamps", name], key="colour", value={"rgb": [255, 0, 0]}
        )
        item = await client.store.get_item(namespace=[f"lamps.{name}"], key="colour")
        see("item", item.value)
        found = await client.store.search_items(namespace_prefix=["lamps", name], limit=2)
        see("items", [entry.key for entry in found.items])
        await client.store.delete_item(namespace=["lamps", name], key="colour")
        await client.threads.delete_thread(thread_id)
        await client.assistants.delete_assistant(assistant.assistant_id)


asyncio.run(main(*sys.argv[1:]))
