"""Flows, their runs, logs and variables with the SDK of Prefect: `product.py URL NAME`."""

import sys
from datetime import UTC, datetime

from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import (
    ArtifactCreate,
    LogCreate,
    VariableCreate,
    VariableUpdate,
    WorkPoolCreate,
)
from prefect.client.schemas.filters import FlowFilter, FlowFilterName
from prefect.client.schemas.sorting import FlowRunSort
from prefect.states import Completed
from seen import see


def main(url: str, name: str) -> None:
    with get_client(sync_client=True) as client:
        variable_name = name.replace("-", "_")
        see("version", client.api_version())
        flow_id = client.create_flow_from_name(name)
        see("flow id", str(flow_id))
        flow = client.read_flow(flow_id)
        see("flow name", flow.name)
        see("flow created", flow.created)
        flows = client.read_flows(flow_filter=FlowFilter(name=FlowFilterName(any_=[name])))
        see("flow names", [item.name for item in flows])
        pool = client.create_work_pool(WorkPoolCreate(name=name, type="process"))
        see("pool type", pool.type)
        see("pool paused", client.read_work_pool(name).is_paused)
        deployment_id = client.create_deployment(
            flow_id, "nightly", work_pool_name=name, tags=["lamps"], parameters={"n": 3}
        )
        deployment = client.read_deployment(deployment_id)
        see("deployment tags", deployment.tags)
        see("deployment parameters", deployment.parameters)
        run = client.create_flow_run_from_deployment(deployment_id, name=f"{name}-run")
        see("run name", run.name)
        assert run.state is not None
        see("run state", run.state.type)
        result = client.set_flow_run_state(run.id, Completed(message="Done."), force=True)
        see("status", result.status)
        again = client.read_flow_run(run.id)
        see("state name", again.state_name)
        see("run time", again.total_run_time.total_seconds())
        runs = client.read_flow_runs(sort=FlowRunSort.EXPECTED_START_TIME_DESC, limit=1)
        see("first run", runs[0].name)
        log = LogCreate(
            name="lamps", level=20, message="Lit.", timestamp=datetime.now(UTC), flow_run_id=run.id
        )
        client.create_logs([log])
        variable = client.create_variable(VariableCreate(name=variable_name, value={"a": 1}))
        see("variable", variable.value)
        client.update_variable(VariableUpdate(name=variable.name, value=[1, 2.5, None]))
        changed = client.read_variable_by_name(variable.name)
        assert changed is not None
        see("changed variable", changed.value)
        artifact = client.create_artifact(ArtifactCreate(key=name, type="markdown", data="# Lamps"))
        see("artifact", artifact.data)
        client.delete_flow_run(run.id)
        client.delete_flow(flow_id)


main(*sys.argv[1:])
