"""Runs of a graph, one as a stream, with openapi-python-client: `peer.py URL NAME`."""

import json
import sys

from langgraph_peer import Client, models
from langgraph_peer.api.assistants import (
    count_assistants_assistants_count_post as count_assistants,
)
from langgraph_peer.api.assistants import (
    create_assistant_assistants_post as create_assistant,
)
from langgraph_peer.api.assistants import (
    delete_assistant_assistants_assistant_id_delete as delete_assistant,
)
from langgraph_peer.api.assistants import (
    get_assistant_assistants_assistant_id_get as get_assistant,
)
from langgraph_peer.api.assistants import (
    get_assistant_schemas_assistants_assistant_id_schemas_get as get_assistant_schemas,
)
from langgraph_peer.api.assistants import (
    patch_assistant_assistants_assistant_id_patch as patch_assistant,
)
from langgraph_peer.api.assistants import (
    search_assistants_assistants_search_post as search_assistants,
)
from langgraph_peer.api.store import delete_item, get_item, put_item, search_items
from langgraph_peer.api.system import health_check_ok_get
from langgraph_peer.api.thread_runs import (
    get_run_http_threads_thread_id_runs_run_id_get as get_run,
)
from langgraph_peer.api.thread_runs import (
    list_runs_http_threads_thread_id_runs_get as list_runs,
)
from langgraph_peer.api.threads import (
    create_thread_threads_post as create_thread,
)
from langgraph_peer.api.threads import (
    delete_thread_threads_thread_id_delete as delete_thread,
)
from langgraph_peer.api.threads import (
    get_latest_thread_state_threads_thread_id_state_get as get_latest_thread_state,
)
from langgraph_peer.api.threads import (
    get_thread_history_threads_thread_id_history_get as get_thread_history,
)
from seen import see


def main(url: str, name: str) -> None:
    with Client(url) as client:
        health = health_check_ok_get.sync(client=client)
        assert isinstance(health, models.HealthCheckOkGetHealthResponse)
        see("ok", health.ok)
        http = client.get_httpx_client()
        # The server leaves out a member that its document requires.
        see("version", http.get("/info").json()["version"])
        assistant = create_assistant.sync(
            client=client,
            body=models.AssistantCreate(
                graph_id=models.AssistantCreateGraphId.AGENT,
                name=name,
                metadata=models.AssistantCreateMetadata.from_dict({"team": "lamps"}),
            ),
        )
        assert isinstance(assistant, models.Assistant)
        see("assistant", assistant)
        see("assistant id", assistant.assistant_id)
        see("assistant created", assistant.created_at)
        read = get_assistant.sync(assistant.assistant_id, client=client)
        assert isinstance(read, models.Assistant)
        see("graph", read.graph_id)
        changed = patch_assistant.sync(
            assistant.assistant_id,
            client=client,
            body=models.AssistantPatch(name=f"{name}-2"),
        )
        assert isinstance(changed, models.Assistant)
        see("changed name", changed.name)
        listed = search_assistants.sync(
            client=client,
            body=models.AssistantSearchRequest(
                graph_id=models.AssistantSearchRequestGraphId.AGENT,
                metadata=models.AssistantSearchRequestMetadata.from_dict({"team": "lamps"}),
                limit=5,
            ),
        )
        assert isinstance(listed, list)
        see("names", [item.name for item in listed])
        count = count_assistants.sync(
            client=client, body=models.AssistantCountRequest(graph_id="agent")
        )
        see("count", count)
        schemas = get_assistant_schemas.sync(assistant.assistant_id, client=client)
        assert isinstance(schemas, models.GraphSchema)
        see("input schema", schemas.input_schema)

        thread = create_thread.sync(
            client=client,
            body=models.ThreadCreate(metadata=models.ThreadCreateMetadata.from_dict({"desk": 3})),
        )
        assert isinstance(thread, models.Thread)
        thread_id = thread.thread_id
        see("thread", thread)
        see("thread status", thread.status)
        see("thread metadata", thread.metadata)
        # The generator leaves out the operations that start runs.
        run = {"assistant_id": str(assistant.assistant_id), "input": {"words": ["lamp"]}}
        result = http.post(
            f"/threads/{thread_id}/runs/wait", json={**run, "metadata": {"first": True}}
        ).json()
        see("result", result)
        run = {**run, "input": {"words": ["sea"]}, "stream_mode": ["values"]}
        streamed, event = [], ""
        with http.stream("POST", f"/threads/{thread_id}/runs/stream", json=run) as response:
            for line in response.iter_lines():
                field, _, value = line.partition(": ")
                if field == "event":
                    event = value
                elif field == "data" and event == "values":
                    streamed.append(json.loads(value)["words"])
        see("streamed", streamed)
        state = get_latest_thread_state.sync(thread_id, client=client)
        assert isinstance(state, models.ThreadState)
        see("values", state.values)
        see("checkpoint", state.checkpoint.checkpoint_id)
        history = get_thread_history.sync(thread_id, client=client, limit=3)
        assert isinstance(history, list)
        see("steps", [step.checkpoint.checkpoint_id for step in history])
        runs = list_runs.sync(thread_id, client=client, limit=10)
        assert isinstance(runs, list)
        see("runs", runs)
        see("run states", [item.status for item in runs])
        first = get_run.sync(thread_id, runs[-1].run_id, client=client)
        assert isinstance(first, models.Run)
        see("run metadata", first.metadata["first"])

        value = models.StorePutRequestValue.from_dict({"rgb": [255, 0, 0]})
        put_item.sync_detailed(
            client=client,
            body=models.StorePutRequest(namespace=["lamps", name], key="colour", value=value),
        )
        item = get_item.sync(client=client, namespace=[f"lamps.{name}"], key="colour")
        assert isinstance(item, models.Item)
        see("item", item.value)
        found = search_items.sync(
            client=client,
            body=models.StoreSearchRequest(namespace_prefix=["lamps", name], limit=2),
        )
        assert isinstance(found, models.SearchItemsResponse)
        see("items", [entry.key for entry in found.items])
        delete_item.sync_detailed(
            client=client,
            body=models.StoreDeleteRequest(namespace=["lamps", name], key="colour"),
        )
        delete_thread.sync(thread_id, client=client)
        delete_assistant.sync(assistant.assistant_id, client=client)


main(*sys.argv[1:])
