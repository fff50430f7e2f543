"""A project with tasks, labels and predictions: `peer.py URL NAME`."""

import json
import os
import sys

from label_studio_peer import AuthenticatedClient, models
from label_studio_peer.api.annotations import (
    api_annotations_partial_update,
    api_tasks_annotations_create,
    api_tasks_annotations_list,
)
from label_studio_peer.api.data_manager import api_dm_views_create
from label_studio_peer.api.export import (
    api_projects_export_formats_retrieve,
    api_projects_export_retrieve,
)
from label_studio_peer.api.predictions import api_predictions_create, api_predictions_list
from label_studio_peer.api.projects import (
    api_projects_create,
    api_projects_destroy,
    api_projects_list,
    api_projects_partial_update,
    api_projects_retrieve,
    api_projects_tasks_list,
)
from label_studio_peer.api.tasks import (
    api_tasks_create,
    api_tasks_partial_update,
    api_tasks_retrieve,
)
from label_studio_peer.api.users import api_current_user_whoami_retrieve
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
    with AuthenticatedClient(url, os.environ["TOKEN"], prefix="Token") as client:
        user = api_current_user_whoami_retrieve.sync(client=client)
        assert user is not None
        see("user", user.email)
        project = api_projects_create.sync(
            client=client, body=models.ProjectRequest(title=name, label_config=CONFIG)
        )
        assert project is not None
        see("project", project)
        see("project id", project.id)
        changed = api_projects_partial_update.sync(
            project.id, client=client, body=models.PatchedProjectRequest(description="Lamps.")
        )
        assert changed is not None
        see("description", changed.description)
        read = api_projects_retrieve.sync(project.id, client=client)
        assert read is not None
        see("title", read.title)
        page = api_projects_list.sync(client=client, page_size=2)
        assert page is not None
        see("projects", [item.title for item in page.results])
        # Its function fails on a body that is a list.
        imported = client.get_httpx_client().post(
            f"/api/projects/{project.id}/import",
            json=[{"data": {"text": text}} for text in ("green?", "grey?")],
        )
        see("imported", imported.json()["task_count"])
        task = api_tasks_create.sync(
            client=client,
            body=models.ApiTasksCreateBody(
                data=models.ApiTasksCreateBodyTaskData.from_dict({"text": "blue?"}),
                project=project.id,
            ),
        )
        assert task is not None
        see("task", task.data)
        see("task created", task.created_at)
        stored = api_tasks_retrieve.sync(str(task.id), client=client)
        assert stored is not None
        see("text", stored.data)
        updated = api_tasks_partial_update.sync(
            str(task.id),
            client=client,
            body=models.ApiTasksPartialUpdateBody(
                data=models.ApiTasksPartialUpdateBodyTaskData.from_dict({"text": "red?"})
            ),
        )
        assert updated is not None
        see("changed task", updated.data)
        listed = api_projects_tasks_list.sync(project.id, client=client)
        assert listed is not None
        see("project tasks", [item.id for item in listed])
        annotation = api_tasks_annotations_create.sync(
            task.id,
            client=client,
            body=models.ApiTasksAnnotationsCreateBody(
                result=[models.ApiTasksAnnotationsCreateBodyResultItem.from_dict(choice("good"))],
                lead_time=7.5,
            ),
        )
        assert annotation is not None
        see("annotation", annotation)
        see("lead time", annotation.lead_time)
        annotation = api_annotations_partial_update.sync(
            annotation.id,
            client=client,
            body=models.ApiAnnotationsPartialUpdateBody(
                result=[models.ApiAnnotationsPartialUpdateBodyResultItem.from_dict(choice("bad"))]
            ),
        )
        assert annotation is not None
        see("result", annotation.result)
        annotations = api_tasks_annotations_list.sync(task.id, client=client)
        assert annotations is not None
        see("annotations", [item.id for item in annotations])
        prediction = api_predictions_create.sync(
            client=client,
            body=models.ApiPredictionsCreateBody(
                task=task.id,
                result=[models.ApiPredictionsCreateBodyResultItem.from_dict(choice("bad"))],
                score=0.25,
            ),
        )
        assert prediction is not None
        see("score", prediction.score)
        predictions = api_predictions_list.sync(client=client, task=task.id)
        assert predictions is not None
        see("predictions", [item.id for item in predictions])
        view = api_dm_views_create.sync(
            client=client,
            body=models.ApiDmViewsCreateBody(
                project=project.id,
                data=models.ApiDmViewsCreateBodyData(
                    filters=models.ApiDmViewsCreateBodyDataFilters(
                        conjunction=models.ApiDmViewsCreateBodyDataFiltersConjunction.AND,
                        items=[],
                    )
                ),
            ),
        )
        assert view is not None
        see("view", view.id)
        see("formats", api_projects_export_formats_retrieve.sync(project.id, client=client))
        exported = api_projects_export_retrieve.sync_detailed(
            project.id, client=client, export_type="JSON"
        )
        see("exported", [item["id"] for item in json.loads(exported.content)])
        api_projects_destroy.sync_detailed(project.id, client=client)


main(*sys.argv[1:])
