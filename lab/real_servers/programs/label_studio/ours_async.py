"""The program of `ours.py`, asynchronously: `ours_async.py URL NAME`."""

import asyncio
import json
import os
import sys

from label_studio_sdk import AsyncLabelStudioSdkClient
from seen import see

CONFIG = """\
<View>
  <Text name="text" value="$text"/>
  <Choices name="mood" toName="text"><Choice value="good"/><Choice value="bad"/></Choices>
</View>
"""


def choice(word: str) -> dict[str, object]:
    value = {"choices": [word]}
    return {"from_name": "mood", "to_name": "text", "type": "choices", "value": value}


async def main(url: str, name: str) -> None:
    async with AsyncLabelStudioSdkClient(f"Token {os.environ['TOKEN']}", base_url=url) as checked:
        client = checked.with_options(check_responses=False)
        see("user", (await client.users.api_current_user_whoami_retrieve()).email)
        project = await client.projects.api_projects_create(
            body={"title": name, "label_config": CONFIG}
        )
        see("project", project)
        see("project id", project.id)
        changed = await client.projects.api_projects_partial_update(
            project.id, body={"description": "Lamps."}
        )
        see("description", changed.description)
        see("title", (await client.projects.api_projects_retrieve(project.id)).title)
        projects = client.projects.api_projects_list(page_size=2)
        see("projects", [item.title async for item in projects])
        imported = await client.import_.api_projects_import_create(
            project.id, body=[{"data": {"text": text}} for text in ("green?", "grey?")]
        )
        see("imported", imported.task_count)
        task = await client.tasks.api_tasks_create(
            body={"data": {"text": "blue?"}, "project": project.id}
        )
        see("task", task.data)
        see("task created", task.created_at)
        see("text", (await client.tasks.api_tasks_retrieve(str(task.id))).data)
        updated = await client.tasks.api_tasks_partial_update(
            str(task.id), body={"data": {"text": "red?"}}
        )
        see("changed task", updated.data)
        listed = await client.projects.api_projects_tasks_list(project.id)
        see("project tasks", [item.id for item in listed])
        annotation = await client.annotations.api_tasks_annotations_create(
            task.id, body={"result": [choice("good")], "lead_time": 7.5}
        )
        see("annotation", annotation)
        see("lead time", annotation.lead_time)
        annotation = await client.annotations.api_annotations_partial_update(
            annotation.id, body={"result": [choice("bad")]}
        )
        see("result", annotation.result)
        annotations = await client.annotations.api_tasks_annotations_list(task.id)
        see("annotations", [item.id for item in annotations])
        prediction = await client.predictions.api_predictions_create(
            body={"task": task.id, "result": [choice("bad")], "score": 0.25}
        )
        see("score", prediction.score)
        predictions = await client.predictions.api_predictions_list(task=task.id)
        see("predictions", [item.id for item in predictions])
        view = await client.data_manager.api_dm_views_create(
            body={
                "project": project.id,
                "data": {"filters": {"conjunction": "and", "items": []}},
            }
        )
        see("view", view.id)
        see("formats", await client.export.api_projects_export_formats_retrieve(project.id))
        exported = await client.with_raw_response(
            client.export.api_projects_export_retrieve, project.id, export_type="JSON"
        )
        see("exported", [item["id"] for item in json.loads(exported.content)])
        await client.projects.api_projects_destroy(project.id)


asyncio.run(main(*sys.argv[1:]))
