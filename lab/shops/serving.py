"""The shops as applications, with their documents."""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

ENVIRONMENT = "SHOP_BUG"


def fastapi_shop(bug: str) -> tuple[Any, Any]:
    """Return the application with a bug, and the document that it makes of itself."""
    os.environ[ENVIRONMENT] = bug
    from lab.shops import fastapi_models, fastapi_shop

    # A definition keeps the bug that there was when it was executed.
    importlib.reload(fastapi_models)
    app = importlib.reload(fastapi_shop).app
    return app, app.openapi()


def django_shop(bug: str) -> tuple[Any, Any]:
    """Return the application with a bug and an empty database, and its document."""
    os.environ[ENVIRONMENT] = bug
    os.environ["DJANGO_SETTINGS_MODULE"] = "lab.shops.django_shop.settings"
    import django

    django.setup()
    from django.contrib.auth.models import Group, User
    from django.core.asgi import get_asgi_application
    from django.core.management import call_command
    from drf_spectacular.generators import SchemaGenerator

    call_command("migrate", run_syncdb=True, verbosity=0)
    call_command("flush", interactive=False, verbosity=0)
    suspended, _ = Group.objects.get_or_create(name="suspended")
    for name in ("alice", "bob", "carol", "dave"):
        user = User.objects.create_user(name, password=f"test-{name}", is_staff=name in MANAGERS)
        if name == "dave":
            user.groups.add(suspended)
    document = SchemaGenerator().get_schema(request=None, public=True)
    return get_asgi_application(), json.loads(json.dumps(document))


MANAGERS = ("alice", "bob")
SHOPS: Mapping[str, Callable[[str], tuple[Any, Any]]] = {
    "fastapi": fastapi_shop,
    "django": django_shop,
}


def main() -> None:
    """Serve a shop with a bug, or with `none`; print its document and its address."""
    shop, bug = sys.argv[1:]
    from tests.serving import Server

    app, document = SHOPS[shop](bug)
    print(json.dumps(document), flush=True)
    with Server(app) as server:
        print(server.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
