"""Datasets, one of them an upload, and an experiment by specwright: `ours.py URL NAME`."""

import sys
from datetime import UTC, datetime

from phoenix_sdk import File, PhoenixSdkClient, models
from seen import see

CSV = b"question,answer\nred?,no\nblue?,yes\n"


def main(url: str, name: str) -> None:
    with PhoenixSdkClient(base_url=url) as client:
        project = client.projects.create_project(name=name, description="Lamps.").data
        see("project", project)
        see("project id", project.id)
        changed = client.projects.update_project(project.id, description="Lamps and bulbs.").data
        see("description", changed.description)
        see("project name", client.projects.get_project(name).data.name)
        projects = client.projects.get_projects(name_contains=name)
        see("projects", [item.name for item in projects])
        made = client.datasets.upload_dataset(
            sync=True,
            body=models.UploadDataset_Request(
                action="create",
                name=name,
                inputs=[{"question": "green?"}, {"question": "grey?"}],
                outputs=[{"answer": "yes"}, {"answer": "no"}],
                metadata=[{"watt": 3}, {"watt": 7.5}],
            ),
        )
        assert made is not None
        dataset_id = made.data.dataset_id
        see("created", made.data.num_created_examples)
        added = client.datasets.upload_dataset(
            sync=True,
            content_type="multipart/form-data",
            body=models.UploadDataset_RequestMultipartFormData(
                action="append",
                name=name,
                input_keys=["question"],
                output_keys=["answer"],
                file=File(CSV, "lamps.csv", "text/csv"),
            ),
        )
        assert added is not None
        see("added", added.data.num_created_examples)
        dataset = client.datasets.get_dataset(dataset_id).data
        see("dataset", dataset)
        see("dataset created", dataset.created_at)
        see("datasets", [item.name for item in client.datasets.list_datasets(name=name)])
        versions = client.datasets.list_dataset_versions_by_dataset_id(dataset_id, limit=2)
        see("versions", [version.version_id for version in versions])
        examples = client.datasets.get_dataset_examples(dataset_id).data.examples
        see("questions", [example.input["question"] for example in examples])
        see("watt", examples[1].metadata["watt"])
        see("table", client.datasets.get_dataset_csv(dataset_id))
        experiment = client.experiments.create_experiment(dataset_id, name="first").data
        see("experiment", experiment)
        see("experiment project", experiment.project_name)
        now = datetime.now(UTC)
        run = client.experiments.create_experiment_run(
            experiment.id,
            dataset_example_id=examples[0].id,
            output={"answer": "yes"},
            repetition_number=1,
            start_time=now,
            end_time=now,
        ).data
        evaluation = client.experiments.upsert_experiment_evaluation(
            experiment_run_id=run.id,
            name="exact",
            annotator_kind="CODE",
            start_time=now,
            end_time=now,
            result=models.ExperimentEvaluationResult(score=1.0, label="right"),
        ).data
        see("evaluation", evaluation.id)
        runs = list(client.experiments.list_experiment_runs(experiment.id))
        see("outputs", [item.output for item in runs])
        client.experiments.delete_experiment(experiment.id)
        client.datasets.delete_dataset_by_id(dataset_id)
        client.projects.delete_project(project.id)


main(*sys.argv[1:])
