"""Flows, their runs, logs and variables with openapi-python-client: `peer.py URL NAME`."""

import json
import sys
from datetime import UTC, datetime
from uuid import UUID

from prefect_peer import Client, models
from prefect_peer.api.admin import read_version_admin_version_get as read_version
from prefect_peer.api.artifacts import create_artifact_artifacts_post as create_artifact
from prefect_peer.api.deployments import (
    create_deployment_deployments_post as create_deployment,
)
from prefect_peer.api.deployments import (
    create_flow_run_from_deployment_deployments_id_create_flow_run_post as create_flow_run,
)
from prefect_peer.api.deployments import (
    read_deployment_deployments_id_get as read_deployment,
)
from prefect_peer.api.flow_runs import (
    delete_flow_run_flow_runs_id_delete as delete_flow_run,
)
from prefect_peer.api.flow_runs import (
    read_flow_run_flow_runs_id_get as read_flow_run,
)
from prefect_peer.api.flow_runs import (
    read_flow_runs_flow_runs_filter_post as read_flow_runs,
)
from prefect_peer.api.flow_runs import (
    set_flow_run_state_flow_runs_id_set_state_post as set_flow_run_state,
)
from prefect_peer.api.flows import (
    create_flow_flows_post as create_flow,
)
from prefect_peer.api.flows import (
    delete_flow_flows_id_delete as delete_flow,
)
from prefect_peer.api.flows import (
    read_flow_flows_id_get as read_flow,
)
from prefect_peer.api.flows import (
    read_flows_flows_filter_post as read_flows,
)
from prefect_peer.api.logs import create_logs_logs_post as create_logs
from prefect_peer.api.variables import (
    create_variable_variables_post as create_variable,
)
from prefect_peer.api.variables import (
    read_variable_by_name_variables_name_name_get as read_variable_by_name,
)
from prefect_peer.api.variables import (
    update_variable_by_name_variables_name_name_patch as update_variable_by_name,
)
from prefect_peer.api.work_pools import (
    create_work_pool_work_pools_post as create_work_pool,
)
from prefect_peer.api.work_pools import (
    read_work_pool_work_pools_name_get as read_work_pool,
)
from seen import see


def main(url: str, name: str) -> None:
    with Client(url) as client:
        variable_name = name.replace("-", "_")
        see("version", read_version.sync(client=client))
        # The server responds with 201 here, which its document does not declare.
        response = create_flow.sync_detailed(client=client, body=models.FlowCreate(name=name))
        made = models.Flow.from_dict(json.loads(response.content))
        flow_id = made.id
        assert isinstance(flow_id, UUID)
        see("flow id", flow_id)
        flow = read_flow.sync(flow_id, client=client)
        assert isinstance(flow, models.Flow)
        see("flow", flow)
        see("flow name", flow.name)
        see("flow created", flow.created)
        named = models.FlowFilter(name=models.FlowFilterName(any_=[name]))
        flows = read_flows.sync(
            client=client, body=models.BodyReadFlowsFlowsFilterPost(flows=named)
        )
        assert isinstance(flows, list)
        see("flow names", [item.name for item in flows])
        pool = create_work_pool.sync(
            client=client, body=models.WorkPoolCreate(name=name, type_="process")
        )
        assert isinstance(pool, models.WorkPoolResponse)
        see("pool", pool)
        see("pool type", pool.type_)
        read_pool = read_work_pool.sync(name, client=client)
        assert isinstance(read_pool, models.WorkPoolResponse)
        see("pool paused", read_pool.is_paused)
        # The generator leaves out the responses with deployments.
        created = create_deployment.sync_detailed(
            client=client,
            body=models.DeploymentCreate(
                flow_id=flow_id,
                name="nightly",
                work_pool_name=name,
                tags=["lamps"],
                parameters=models.DeploymentCreateParameters.from_dict({"n": 3}),
            ),
        )
        deployment_id = UUID(json.loads(created.content)["id"])
        deployment = json.loads(read_deployment.sync_detailed(deployment_id, client=client).content)
        see("deployment", deployment)
        see("deployment tags", deployment["tags"])
        see("deployment parameters", deployment["parameters"])
        started = create_flow_run.sync_detailed(
            deployment_id,
            client=client,
            body=models.DeploymentFlowRunCreate(name=f"{name}-run"),
        )
        run = models.FlowRunResponse.from_dict(json.loads(started.content))
        see("run", run)
        see("run name", run.name)
        assert isinstance(run.state, models.State) and isinstance(run.id, UUID)
        see("run state", run.state.type_)
        done = models.StateCreate(type_=models.StateType.COMPLETED, message="Done.")
        answer = set_flow_run_state.sync_detailed(
            run.id,
            client=client,
            body=models.BodySetFlowRunStateFlowRunsIdSetStatePost(state=done, force=True),
        )
        result = models.OrchestrationResult.from_dict(json.loads(answer.content))
        see("result", result)
        see("status", result.status)
        again = read_flow_run.sync(run.id, client=client)
        assert isinstance(again, models.FlowRunResponse)
        see("state name", again.state_name)
        see("run time", again.total_run_time)
        runs = read_flow_runs.sync(
            client=client,
            body=models.BodyReadFlowRunsFlowRunsFilterPost(
                sort=models.FlowRunSort.EXPECTED_START_TIME_DESC, limit=1
            ),
        )
        assert isinstance(runs, list)
        see("first run", runs[0].name)
        log = models.LogCreate(
            name="lamps", level=20, message="Lit.", timestamp=datetime.now(UTC), flow_run_id=run.id
        )
        create_logs.sync(client=client, body=[log])
        value = models.VariableCreateValueType4.from_dict({"a": 1})
        variable = create_variable.sync(
            client=client, body=models.VariableCreate(name=variable_name, value=value)
        )
        assert isinstance(variable, models.Variable)
        see("variable", variable.value)
        update_variable_by_name.sync(
            variable.name, client=client, body=models.VariableUpdate(value=[1, 2.5, None])
        )
        changed = read_variable_by_name.sync(variable.name, client=client)
        assert isinstance(changed, models.Variable)
        see("changed variable", changed.value)
        stored = create_artifact.sync_detailed(
            client=client,
            body=models.ArtifactCreate(key=name, type_="markdown", data="# Lamps"),
        )
        artifact = models.Artifact.from_dict(json.loads(stored.content))
        see("artifact", artifact.data)
        delete_flow_run.sync(run.id, client=client)
        delete_flow.sync(flow_id, client=client)


main(*sys.argv[1:])
