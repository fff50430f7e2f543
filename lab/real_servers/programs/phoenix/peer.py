"""Datasets, one of them an upload, and an experiment: `peer.py URL NAME`."""

import sys
from datetime import UTC, datetime
from io import BytesIO

from phoenix_peer import Client, models
from phoenix_peer.api.datasets import (
    delete_dataset_by_id,
    get_dataset,
    get_dataset_csv,
    get_dataset_examples,
    list_dataset_versions_by_dataset_id,
    list_datasets,
    upload_dataset,
)
from phoenix_peer.api.experiments import (
    create_experiment,
    create_experiment_run,
    delete_experiment,
    list_experiment_runs,
    upsert_experiment_evaluation,
)
from phoenix_peer.api.projects import (
    create_project,
    delete_project,
    get_project,
    get_projects,
    update_project,
)
from phoenix_peer.types import File
from seen import see

CSV = b"question,answer\nred?,no\nblue?,yes\n"


def main(url: str, name: str) -> None:
    with Client(url) as client:
        created = create_project.sync(
            client=client,
            body=models.CreateProjectRequestBody(name=name, description="Lamps."),
        )
        assert isinstance(created, models.CreateProjectResponseBody)
        project = created.data
        see("project", project)
        see("project id", project.id)
        changed = update_project.sync(
            project.id,
            client=client,
            body=models.UpdateProjectRequestBody(description="Lamps and bulbs."),
        )
        assert isinstance(changed, models.UpdateProjectResponseBody)
        see("description", changed.data.description)
        read = get_project.sync(name, client=client)
        assert isinstance(read, models.GetProjectResponseBody)
        see("project name", read.data.name)
        page = get_projects.sync(client=client, name_contains=name)
        assert isinstance(page, models.GetProjectsResponseBody)
        see("projects", [item.name for item in page.data])
        made = upload_dataset.sync(
            client=client,
            sync=True,
            body=models.UploadDatasetJsonBody(
                action=models.UploadDatasetJsonBodyAction.CREATE,
                name=name,
                inputs=[
                    models.UploadDatasetJsonBodyInputsItem.from_dict({"question": question})
                    for question in ("green?", "grey?")
                ],
                outputs=[
                    models.UploadDatasetJsonBodyOutputsItem.from_dict({"answer": answer})
                    for answer in ("yes", "no")
                ],
                metadata=[
                    models.UploadDatasetJsonBodyMetadataItem.from_dict({"watt": watt})
                    for watt in (3, 7.5)
                ],
            ),
        )
        assert isinstance(made, models.UploadDatasetResponseBody)
        dataset_id = made.data.dataset_id
        see("created", made.data.num_created_examples)
        added = upload_dataset.sync(
            client=client,
            sync=True,
            body=models.UploadDatasetFilesBody(
                action=models.UploadDatasetFilesBodyAction.APPEND,
                name=name,
                input_keys=["question"],
                output_keys=["answer"],
                file=File(BytesIO(CSV), "lamps.csv", "text/csv"),
            ),
        )
        assert isinstance(added, models.UploadDatasetResponseBody)
        see("added", added.data.num_created_examples)
        dataset = get_dataset.sync(dataset_id, client=client)
        assert isinstance(dataset, models.GetDatasetResponseBody)
        see("dataset", dataset.data)
        see("dataset created", dataset.data.created_at)
        listed = list_datasets.sync(client=client, name=name)
        assert isinstance(listed, models.ListDatasetsResponseBody)
        see("datasets", [item.name for item in listed.data])
        versions = list_dataset_versions_by_dataset_id.sync(dataset_id, client=client, limit=2)
        assert isinstance(versions, models.ListDatasetVersionsResponseBody)
        see("versions", [version.version_id for version in versions.data])
        found = get_dataset_examples.sync(dataset_id, client=client)
        assert isinstance(found, models.ListDatasetExamplesResponseBody)
        examples = found.data.examples
        see("questions", [example.input_["question"] for example in examples])
        see("watt", examples[1].metadata["watt"])
        see("table", get_dataset_csv.sync(dataset_id, client=client))
        started = create_experiment.sync(
            dataset_id,
            client=client,
            body=models.CreateExperimentRequestBody(name="first"),
        )
        assert isinstance(started, models.CreateExperimentResponseBody)
        experiment = started.data
        see("experiment", experiment)
        see("experiment project", experiment.project_name)
        now = datetime.now(UTC)
        run = create_experiment_run.sync(
            experiment.id,
            client=client,
            body=models.CreateExperimentRunRequestBody(
                dataset_example_id=examples[0].id,
                output={"answer": "yes"},
                repetition_number=1,
                start_time=now,
                end_time=now,
            ),
        )
        assert isinstance(run, models.CreateExperimentRunResponseBody)
        evaluation = upsert_experiment_evaluation.sync(
            client=client,
            body=models.UpsertExperimentEvaluationRequestBody(
                experiment_run_id=run.data.id,
                name="exact",
                annotator_kind=models.UpsertExperimentEvaluationRequestBodyAnnotatorKind.CODE,
                start_time=now,
                end_time=now,
                result=models.ExperimentEvaluationResult(score=1.0, label="right"),
            ),
        )
        assert isinstance(evaluation, models.UpsertExperimentEvaluationResponseBody)
        see("evaluation", evaluation.data.id)
        runs = list_experiment_runs.sync(experiment.id, client=client)
        assert isinstance(runs, models.ListExperimentRunsResponseBody)
        see("outputs", [item.output for item in runs.data])
        delete_experiment.sync_detailed(experiment.id, client=client)
        delete_dataset_by_id.sync_detailed(dataset_id, client=client)
        delete_project.sync_detailed(project.id, client=client)


main(*sys.argv[1:])
