"""The servers, the SDKs of their makers, and the settings of their programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lab.foreign_servers.servers import SERVERS, Server

PROGRAMS = Path(__file__).with_name("programs")
# Of a user that exists only while the programs run.
LABEL_STUDIO_TOKEN = "0123456789abcdef0123456789abcdef01234567"
_BY_NAME = {server.name: server for server in SERVERS}


@dataclass(frozen=True, slots=True, kw_only=True)
class RealServer:
    """A server with a document of its own, and programs that call it.

    Attributes:
        key: the name of its directory in `programs/`, and of the generated packages.
        server: its packages, and the commands that start it.
        label: the name and the version.
        product: requirements of the SDK of its makers; the first one names it. None if there is
            none for Python.
        variables: of the programs; `{url}` is the base URL.
    """

    key: str
    server: Server
    label: str
    product: tuple[str, ...] | None = None
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def programs(self) -> Path:
        """The directory of its programs."""
        return PROGRAMS / self.key


REAL_SERVERS = (
    RealServer(
        key="prefect",
        server=_BY_NAME["Prefect"],
        label="Prefect 3.8.8",
        product=("prefect==3.8.8", "fastapi==0.139.0"),
        variables={"PREFECT_API_URL": "{url}", "PREFECT_SERVER_ANALYTICS_ENABLED": "false"},
    ),
    RealServer(
        key="chroma",
        server=_BY_NAME["Chroma"],
        label="Chroma 1.5.9",
        product=("chromadb==1.5.9",),
    ),
    RealServer(
        key="phoenix",
        server=Server(
            name="Arize Phoenix",
            packages=("arize-phoenix==20.26.1",),
            command=("{bin}/phoenix", "serve"),
            environment={
                "PHOENIX_HOST": "127.0.0.1",
                "PHOENIX_PORT": "{port}",
                "PHOENIX_GRPC_PORT": "0",
                "PHOENIX_WORKING_DIR": "{data}",
                "PHOENIX_TELEMETRY_ENABLED": "false",
            },
        ),
        label="Arize Phoenix 20.26.1",
        product=("arize-phoenix-client==3.5.0",),
    ),
    RealServer(
        key="langgraph",
        server=Server(
            name="LangGraph",
            packages=("langgraph-cli[inmem]==0.4.40",),
            command=(
                *("sh", "-c"),
                f"cp {PROGRAMS}/langgraph/service/* . && exec {{bin}}/langgraph dev"
                " --no-browser --no-reload --port {port}",
            ),
            environment={"LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGSMITH_TRACING": "false"},
        ),
        label="LangGraph API 0.16.7",
        product=("langgraph-sdk==0.4.14",),
    ),
    RealServer(
        key="label_studio",
        server=Server(
            name="Label Studio",
            packages=("label-studio==1.23.2",),
            command=(
                *("{bin}/label-studio", "start", "--no-browser"),
                *("--port", "{port}", "--data-dir", "{data}", "--enable-legacy-api-token"),
                *("--username", "lamps@example.com", "--password", "s3cr3t-words"),
                *("--user-token", LABEL_STUDIO_TOKEN),
            ),
            document="/docs/api/schema/json/",
            environment={
                "COLLECT_ANALYTICS": "false",
                "LATEST_VERSION_CHECK": "false",
                "SENTRY_DSN": "",
                "FRONTEND_SENTRY_DSN": "",
            },
        ),
        label="Label Studio 1.23.2",
        product=("label-studio-sdk==2.1.2",),
        variables={"TOKEN": LABEL_STUDIO_TOKEN},
    ),
    RealServer(
        key="kinto",
        server=Server(
            name="Kinto",
            packages=("kinto==26.5.0",),
            command=(
                *("sh", "-c"),
                "{bin}/kinto init --ini kinto.ini --backend memory --cache-backend memory"
                " && exec {bin}/kinto start --ini kinto.ini --port {port}",
            ),
            document="/v1/__api__",
            base="/v1",
            environment={"KINTO_BUCKET_CREATE_PRINCIPALS": "system.Authenticated"},
        ),
        label="Kinto 26.5.0",
        product=("kinto-http==11.11.0",),
    ),
)
