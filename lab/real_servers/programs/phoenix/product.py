"""Datasets, one of them an upload, and an experiment with Phoenix's SDK: `product.py URL NAME`."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from phoenix.client import Client
from seen import see

CSV = b"question,answer\nred?,no\nblue?,yes\n"


def main(url: str, name: str) -> None:
    client = Client(base_url=url)
    project = client.projects.create(name=name, description="Lamps.")
    see("project id", project["id"])
    changed = client.projects.update(project_id=project["id"], description="Lamps and bulbs.")
    see("description", changed.get("description"))
    see("project name", client.projects.get(project_name=name)["name"])
    projects = client.projects.list()
    see("projects", [item["name"] for item in projects])
    dataset = client.datasets.create_dataset(
        name=name,
        inputs=[{"question": "green?"}, {"question": "grey?"}],
        outputs=[{"answer": "yes"}, {"answer": "no"}],
        metadata=[{"watt": 3}, {"watt": 7.5}],
    )
    with TemporaryDirectory() as place:
        table = Path(place, "lamps.csv")
        table.write_bytes(CSV)
        client.datasets.add_examples_to_dataset(
            dataset=dataset.id,
            csv_file_path=table,
            input_keys=["question"],
            output_keys=["answer"],
        )
    dataset = client.datasets.get_dataset(dataset=dataset.id)
    see("dataset created", dataset.created_at)
    see("datasets", [item["name"] for item in client.datasets.list()])
    versions = client.datasets.get_dataset_versions(dataset=dataset.id, limit=2)
    see("versions", [version["version_id"] for version in versions])
    examples = dataset.examples
    see("questions", [example["input"]["question"] for example in examples])
    see("watt", examples[1]["metadata"]["watt"])
    experiment = client.experiments.create(dataset_id=dataset.id, experiment_name="first")
    see("experiment project", experiment["project_name"])
    now = datetime.now(UTC)
    run = client.experiments.log_run(
        experiment_id=experiment["id"],
        dataset_example_id=examples[0]["id"],
        output={"answer": "yes"},
        start_time=now,
        end_time=now,
    )
    evaluation = client.experiments.log_evaluation(
        experiment_run_id=run["id"],
        name="exact",
        annotator_kind="CODE",
        start_time=now,
        end_time=now,
        score=1.0,
        label="right",
    )
    see("evaluation", evaluation["id"])
    client.experiments.delete(experiment_id=experiment["id"])
    client.projects.delete(project_id=project["id"])


main(*sys.argv[1:])
