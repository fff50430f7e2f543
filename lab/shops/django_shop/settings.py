"""Settings of the Django shop: a database in memory, an API that speaks JSON."""

SECRET_KEY = "of-a-test"
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "lab.shops.django_shop.urls"
USE_TZ = True
INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "rest_framework",
    "drf_spectacular",
    "lab.shops.django_shop",
]
MIDDLEWARE = ["lab.shops.django_shop.middleware.one_at_a_time"]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": "file:shop?mode=memory&cache=shared",
        "OPTIONS": {"uri": True},
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# The stretching of passwords is what a test would wait for.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.BasicAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["lab.shops.django_shop.parsers.Json"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Shop",
    "VERSION": "1.0.0",
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "lab.shops.django_shop.serializers.bound_lines",
    ],
    "ENUM_NAME_OVERRIDES": {"OrderStatus": "lab.shops.django_shop.models.Status"},
}
