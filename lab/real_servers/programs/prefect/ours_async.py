"""The program of `ours.py`, asynchronously: `ours_async.py URL NAME`."""

import asyncio
import sys
from datetime import UTC, datetime

from prefect_sdk import AsyncPrefectSdkClient, models
from seen import see


async def main(url: str, name: str) -> None:
    async with AsyncPrefectSdkClient(base_url=url) as client:
        variable_name = name.replace("-", "_")
        see("version", await client.admin.read_version())
        flow_id = (await client.flows.create_flow(name=name)).id
        see("flow id", flow_id)
        flow = await client.flows.read_flow(flow_id)
        see("flow", flow)
        see("flow name", flow.name)
        see("flow created", flow.created)
        flows = client.flows.read_flows(
            body=models.BodyReadFlowsFlowsFilterPost(
                flows=models.FlowFilter(name=models.FlowFilterName(any_=[name]))
            )
        )
        see("flow names", [item.name async for item in flows])
        pool = await client.work_pools.create_work_pool(name=name, type="process")
        see("pool", pool)
        see("pool type", pool.type)
        see("pool paused", (await client.work_pools.read_work_pool(name)).is_paused)
        deployment_id = (
            await client.deployments.create_deployment(
                flow_id=flow_id,
                name="nightly",
                work_pool_name=name,
                tags=["lamps"],
                parameters={"n": 3},
            )
        ).id
        deployment = await client.deployments.read_deployment(deployment_id)
        see("deployment", deployment)
        see("deployment tags", deployment.tags)
        see("deployment parameters", deployment.parameters)
        run = await client.deployments.create_flow_run_from_deployment(
            deployment_id, name=f"{name}-run"
        )
        see("run", run)
        see("run name", run.name)
        assert run.state is not None
        see("run state", run.state.type)
        result = await client.flow_runs.set_flow_run_state(
            run.id, state=models.StateCreate(type="COMPLETED", message="Done."), force=True
        )
        see("result", result)
        see("status", result.status)
        again = await client.flow_runs.read_flow_run(run.id)
        see("state name", again.state_name)
        see("run time", again.total_run_time)
        runs = await client.flow_runs.read_flow_runs(
            body=models.BodyReadFlowRunsFlowRunsFilterPost(sort="EXPECTED_START_TIME_DESC", limit=1)
        )
        see("first run", runs.items[0].name)
        log = models.LogCreate(
            name="lamps", level=20, message="Lit.", timestamp=datetime.now(UTC), flow_run_id=run.id
        )
        await client.logs.create_logs(body=[log])
        variable = await client.variables.create_variable(name=variable_name, value={"a": 1})
        see("variable", variable.value)
        await client.variables.update_variable_by_name(variable.name, value=[1, 2.5, None])
        changed = await client.variables.read_variable_by_name(variable.name)
        see("changed variable", changed.value)
        artifact = await client.artifacts.create_artifact(key=name, type="markdown", data="# Lamps")
        see("artifact", artifact.data)
        await client.flow_runs.delete_flow_run(run.id)
        await client.flows.delete_flow(flow_id)


asyncio.run(main(*sys.argv[1:]))
