"""Flows, their runs, logs and variables with the SDK by specwright: `ours.py URL NAME`."""

import sys
from datetime import UTC, datetime

from prefect_sdk import PrefectSdkClient, models
from seen import see


def main(url: str, name: str) -> None:
    with PrefectSdkClient(base_url=url) as client:
        variable_name = name.replace("-", "_")
        see("version", client.admin.read_version())
        flow_id = client.flows.create_flow(name=name).id
        see("flow id", flow_id)
        flow = client.flows.read_flow(flow_id)
        see("flow", flow)
        see("flow name", flow.name)
        see("flow created", flow.created)
        flows = client.flows.read_flows(
            body=models.BodyReadFlowsFlowsFilterPost(
                flows=models.FlowFilter(name=models.FlowFilterName(any_=[name]))
            )
        )
        see("flow names", [item.name for item in flows])
        pool = client.work_pools.create_work_pool(name=name, type="process")
        see("pool", pool)
        see("pool type", pool.type)
        see("pool paused", client.work_pools.read_work_pool(name).is_paused)
        deployment_id = client.deployments.create_deployment(
            flow_id=flow_id,
            name="nightly",
            work_pool_name=name,
            tags=["lamps"],
            parameters={"n": 3},
        ).id
        deployment = client.deployments.read_deployment(deployment_id)
        see("deployment", deployment)
        see("deployment tags", deployment.tags)
        see("deployment parameters", deployment.parameters)
        run = client.deployments.create_flow_run_from_deployment(deployment_id, name=f"{name}-run")
        see("run", run)
        see("run name", run.name)
        assert run.state is not None
        see("run state", run.state.type)
        result = client.flow_runs.set_flow_run_state(
            run.id, state=models.StateCreate(type="COMPLETED", message="Done."), force=True
        )
        see("result", result)
        see("status", result.status)
        again = client.flow_runs.read_flow_run(run.id)
        see("state name", again.state_name)
        see("run time", again.total_run_time)
        runs = client.flow_runs.read_flow_runs(
            body=models.BodyReadFlowRunsFlowRunsFilterPost(sort="EXPECTED_START_TIME_DESC", limit=1)
        )
        see("first run", runs.items[0].name)
        log = models.LogCreate(
            name="lamps", level=20, message="Lit.", timestamp=datetime.now(UTC), flow_run_id=run.id
        )
        client.logs.create_logs(body=[log])
        variable = client.variables.create_variable(name=variable_name, value={"a": 1})
        see("variable", variable.value)
        client.variables.update_variable_by_name(variable.name, value=[1, 2.5, None])
        changed = client.variables.read_variable_by_name(variable.name)
        see("changed variable", changed.value)
        artifact = client.artifacts.create_artifact(key=name, type="markdown", data="# Lamps")
        see("artifact", artifact.data)
        client.flow_runs.delete_flow_run(run.id)
        client.flows.delete_flow(flow_id)


main(*sys.argv[1:])
