"""The servers: their packages, how each is started, and the location of its document."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

# For servers that accept any credential.
_TOKEN = "a-test-token"
_DJANGO = (
    "{bin}/python -m django migrate --verbosity 0"
    " && {bin}/python -m django spectacular --file openapi.yaml"
    " && exec {bin}/gunicorn testproj.wsgi --bind 127.0.0.1:{port} --threads 8"
)
# The supervisor may start it again: what is there stays.
_KINTO = (
    "test -f kinto.ini || {bin}/kinto init --backend memory --cache-backend memory"
    " --host 127.0.0.1 --ini kinto.ini; exec {bin}/kinto start --ini kinto.ini --port {port}"
)
# Its examples are in the database; what would run them is not started.
_AIRFLOW = (
    "test -f airflow.db || {{ {bin}/airflow db migrate && {bin}/airflow dags reserialize; }}"
    " && exec {bin}/airflow api-server --host 127.0.0.1 --port {port} --workers 1"
)
_NINJA = (
    "test -f manage.py || cp -r {place}/tests/demo_project/. ."
    " && {bin}/python manage.py migrate --run-syncdb --verbosity 0"
    " && exec {bin}/python manage.py runserver --noreload 127.0.0.1:{port}"
)
_UNLEASH_TOKEN = "*:*.an-admin-token"


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Software with an API and its document.

    In texts, `{bin}` is the directory of its commands, `{data}` its working directory, `{place}`
    its source or else that directory, `{port}` its port, `{here}` the directory of this file, and
    `{corpus}` the directory of published documents.

    Attributes:
        packages: requirements for pip, or for npm.
        source: the package whose source distribution contains the application, if any.
        command: starts it.
        document: its path on the server, or a file path.
        base: the prefix on the server of the paths in the document.
        environment: variables of the server.
        key: user and password, or a token, for the tools; empty if the server is open.
        has_user: the key is a user and a password.
        token: the path that returns a token for the tools, if there is no key.
        excluded: paths that no tool calls, as the server would refuse what follows.
    """

    name: str
    packages: tuple[str, ...]
    command: tuple[str, ...]
    source: str = ""
    is_npm: bool = False
    document: str = "/openapi.json"
    base: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    key: str = ""
    has_user: bool = False
    token: str = ""
    excluded: tuple[str, ...] = ()


def _fastapi(name: str, module: str, *more: str, key: str = "") -> Server:
    """Return an application from FastAPI's documentation."""
    command = (
        "{bin}/uvicorn",
        f"docs_src.{module}:app",
        "--port",
        "{port}",
        "--app-dir",
        "{place}",
    )
    packages = ("fastapi==0.139.0", "uvicorn", "python-multipart", *more)
    source = "fastapi==0.139.0"
    return Server(
        name=name,
        packages=packages,
        source=source,
        command=command,
        key=key,
        has_user=bool(key),
    )


def _ninja(name: str, document: str) -> Server:
    """Return an API of the demonstration project of Django Ninja."""
    return Server(
        name=f"Django Ninja, {name}",
        packages=("django-ninja==1.6.2", "django==5.2.19"),
        source="django-ninja==1.6.2",
        command=("sh", "-c", _NINJA),
        document=document,
    )


def _prism(document: str, key: str = "") -> Server:
    """Return a mock of a published document by Prism."""
    path = f"{{corpus}}/specs/{document}"
    return Server(
        name=f"Prism, {document}",
        packages=("@stoplight/prism-cli@5",),
        is_npm=True,
        command=("{bin}/prism", "mock", "--port", "{port}", path),
        document=path,
        key=key,
    )


def _connexion(document: str, base: str = "") -> Server:
    """Return a mock of a published document by connexion, whose answers are the examples."""
    path = f"{{corpus}}/specs/{document}"
    return Server(
        name=f"connexion, {document}",
        packages=("connexion[flask,uvicorn]==3.3.0",),
        command=("{bin}/connexion", "run", "--mock", "all", "--port", "{port}", path),
        document=path,
        base=base,
    )


SERVERS = (
    Server(
        name="Prefect",
        # The newest FastAPI lacks names that this version of Prefect uses.
        packages=("prefect==3.8.8", "fastapi==0.139.0"),
        command=("{bin}/prefect", "server", "start", "--host", "127.0.0.1", "--port", "{port}"),
        base="/api",
        environment={"PREFECT_HOME": "{place}", "PREFECT_SERVER_ANALYTICS_ENABLED": "false"},
    ),
    Server(
        name="Chroma",
        packages=("chromadb",),
        command=("{bin}/chroma", "run", "--path", "{place}", "--port", "{port}"),
        # It requires a token and accepts any.
        key=_TOKEN,
    ),
    Server(
        name="LiteLLM proxy",
        packages=("litellm[proxy]",),
        command=("{bin}/litellm", "--host", "127.0.0.1", "--port", "{port}"),
        environment={"LITELLM_MASTER_KEY": "sk-test-1234"},
        key="sk-test-1234",
    ),
    Server(
        name="Jupyter Server",
        packages=("jupyter_server==2.21.1", "ipykernel"),
        command=(
            *("{bin}/jupyter", "server", "--allow-root", "--no-browser", "--ip", "127.0.0.1"),
            *("--port", "{port}", "--ServerApp.root_dir={data}", "--IdentityProvider.token="),
            "--ServerApp.disable_check_xsrf=True",
        ),
        document="/api/spec.yaml",
    ),
    Server(
        name="Kinto",
        packages=("kinto==26.5.0", "setuptools<81"),
        command=("sh", "-c", _KINTO),
        document="/v1/__api__",
        base="/v1",
        # Its document has no credentials.
        environment={"KINTO_BUCKET_CREATE_PRINCIPALS": "system.Everyone"},
    ),
    Server(
        name="LoopBack (Express), todos",
        packages=("@loopback/example-todo@6.0.0",),
        is_npm=True,
        command=("sh", "-c", "mkdir -p data; exec node {bin}/../@loopback/example-todo"),
        environment={"HOST": "127.0.0.1", "PORT": "{port}"},
    ),
    Server(
        name="Glances",
        packages=("glances[web]==4.5.8",),
        command=(
            *("{bin}/glances", "--webserver", "--bind", "127.0.0.1", "--port", "{port}"),
            "--disable-webui",
        ),
    ),
    Server(
        name="Django REST framework, snippets",
        packages=(
            *("drf-yasg==1.21.18", "drf-spectacular==0.30.0", "django==5.2.19", "gunicorn"),
            *("djangorestframework==3.18.3", "djangorestframework-camel-case", "dj-database-url"),
            *("djangorestframework-recursive", "django-oauth-toolkit", "django-cors-headers"),
            *("django-filter", "user-agents", "pillow==13.0.0", "pygments"),
        ),
        source="drf-yasg==1.21.18",
        command=("sh", "-c", _DJANGO),
        document="{data}/openapi.yaml",
        environment={
            "DJANGO_SETTINGS_MODULE": "drf_settings",
            "PYTHONPATH": "{place}/testproj:{here}",
        },
        # Its migrations create this user.
        key="admin:passwordadmin",
        has_user=True,
    ),
    Server(
        name="Airflow",
        packages=("apache-airflow-core==3.3.2",),
        command=("sh", "-c", _AIRFLOW),
        environment={
            "AIRFLOW_HOME": "{data}",
            "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": "True",
        },
        token="/auth/token",
    ),
    Server(
        name="Unleash (Express)",
        packages=("unleash-server@7.5.1",),
        is_npm=True,
        command=(sys.executable, "{here}/unleash.py", "{bin}/../unleash-server/dist/server.js"),
        document="/docs/openapi.json",
        environment={
            "PORT": "{port}",
            "INIT_ADMIN_API_TOKENS": _UNLEASH_TOKEN,
            "CHECK_VERSION": "false",
            "SEND_TELEMETRY": "false",
        },
        key=_UNLEASH_TOKEN,
        # Each write is answered 503 while maintenance is on.
        excluded=("/api/admin/maintenance",),
    ),
    Server(
        name="Litestar, authors",
        packages=(
            *("advanced-alchemy==1.12.0", "litestar==2.25.0", "pydantic"),
            *("aiosqlite", "uvicorn"),
        ),
        source="advanced-alchemy==1.12.0",
        command=(
            *("{bin}/uvicorn", "litestar_service:app", "--port", "{port}"),
            *("--app-dir", "{place}/examples/litestar"),
        ),
        document="/schema/openapi.json",
    ),
    _ninja("events", "/api/openapi.json"),
    _ninja("parameters", "/api/mp/openapi.json"),
    _fastapi("FastAPI docs, SQL heroes", "sql_databases.tutorial001_an_py310", "sqlmodel"),
    _fastapi("FastAPI docs, forms and files", "request_forms_and_files.tutorial001_an_py310"),
    _fastapi("FastAPI docs, server-sent events", "server_sent_events.tutorial001_py310"),
    _fastapi(
        "FastAPI docs, OAuth2 with tokens",
        "security.tutorial005_an_py310",
        "pyjwt",
        "pwdlib[argon2]",
        key="johndoe:secret",
    ),
    _connexion("cloud-hypervisor.yaml", "/api/v1"),
    _connexion("oas-uspto-3.0.yaml", "/ds-api"),
    _connexion("oas-link-example-3.0.yaml"),
    _prism("adyen-capital.json", _TOKEN),
    _prism("cafe.yaml", _TOKEN),
    _prism("oas-tictactoe-3.1.yaml", _TOKEN),
    _prism("ollama.yaml", _TOKEN),
    _prism("readme-petstore-3.1.yaml", _TOKEN),
    _prism("svix-server.json", _TOKEN),
    _prism("telegram-bot.json"),
)
