"""Settings of the demonstration project of drf-yasg, with a document in OpenAPI 3.1.

The project writes Swagger 2.0 by itself; drf-spectacular documents the same views in OpenAPI 3.
Its database is in the working directory, so that each run begins with an empty one.
"""

from testproj.settings.base import *  # type: ignore[import-not-found]  # noqa: F403
from testproj.settings.base import INSTALLED_APPS, REST_FRAMEWORK

SECRET_KEY = "for-tests-only"
ALLOWED_HOSTS = ["*"]
INSTALLED_APPS = [*INSTALLED_APPS, "drf_spectacular"]
REST_FRAMEWORK = {
    **REST_FRAMEWORK,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
}
SPECTACULAR_SETTINGS = {"TITLE": "Snippets", "VERSION": "1.0", "OAS_VERSION": "3.1.0"}
# As Django's documentation advises for tests: each request has a password.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "db.sqlite3"}}
