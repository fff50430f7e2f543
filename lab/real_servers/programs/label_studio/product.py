"""A project with tasks, labels and predictions by Label Studio's SDK: `product.py URL NAME`."""

import json
import os
import sys

from label_studio_sdk import (
    ImportApiRequest,
    LabelStudio,
    PrepareParamsFiltersRequest,
    ViewDataRequestRequest,
)
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


def main(url: str, name: str) -> None:
    client = LabelStudio(base_url=url, api_key=os.environ["TOKEN"])
    see("user", client.users.whoami().email)
    project = client.projects.create(title=name, label_config=CONFIG)
    see("project id", project.id)
    changed = client.projects.update(project.id, description="Lamps.")
    see("description", changed.description)
    see("title", client.projects.get(project.id).title)
    see("projects", [item.title for item in client.projects.list(page_size=2)])
    imported = client.projects.import_tasks(
        project.id,
        request=[ImportApiRequest(data={"text": text}) for text in ("green?", "grey?")],
    )
    see("imported", imported.task_count)
    task = client.tasks.create(data={"text": "blue?"}, project=project.id)
    see("task", task.data)
    see("task created", task.created_at)
    see("text", client.tasks.get(str(task.id)).data)
    see("changed task", client.tasks.update(str(task.id), data={"text": "red?"}).data)
    listed = client.tasks.list(project=project.id)
    see("tasks", [item.data["text"] for item in listed])
    annotation = client.annotations.create(task.id, result=[choice("good")], lead_time=7.5)
    see("lead time", annotation.lead_time)
    annotation = client.annotations.update(annotation.id, result=[choice("bad")])
    see("result", annotation.result)
    see("annotations", [item.id for item in client.annotations.list(task.id)])
    prediction = client.predictions.create(task=task.id, result=[choice("bad")], score=0.25)
    see("score", prediction.score)
    see("predictions", [item.id for item in client.predictions.list(task=task.id)])
    view = client.views.create(
        project=project.id,
        data=ViewDataRequestRequest(
            filters=PrepareParamsFiltersRequest(conjunction="and", items=[])
        ),
    )
    see("view", view.id)
    see("formats", client.projects.exports.list_formats(project.id))
    exported = b"".join(client.projects.exports.download_sync(project.id, export_type="JSON"))
    see("exported", [item["id"] for item in json.loads(exported)])
    client.projects.delete(project.id)


main(*sys.argv[1:])
