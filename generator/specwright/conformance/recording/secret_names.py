"""Well-known names of secrets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

# The names by their sources; case, hyphens, underscores and dots make no difference.
_SOURCES: Mapping[str, tuple[str, ...]] = {
    "HTTP (RFC 9110, 11.6.2 and 11.7.2)": ("Authorization", "Proxy-Authorization"),
    "cookies (RFC 6265, 4)": ("Cookie", "Set-Cookie"),
    "OAuth 2.0 (RFC 6749, 2.3.1, 4.3.2 and 5.1)": (
        *("access_token", "refresh_token", "client_secret", "password"),
    ),
    "OAuth 2.0, assertions and devices (RFC 7521, RFC 8628)": (
        *("assertion", "client_assertion", "device_code"),
    ),
    "OpenID Connect Core 1.0, 3.1.3.3": ("id_token", "id_token_hint"),
    "OpenStack Identity": ("X-Auth-Token", "X-Subject-Token"),
    "Amazon": (
        *("X-Amz-Security-Token", "X-Amz-Signature", "aws_secret_access_key", "secret_access_key"),
    ),
    "Google": ("X-Goog-Api-Key", "private_key"),
    "GitLab and Vault": ("Private-Token", "X-Vault-Token"),
    "web frameworks": (
        *("csrf_token", "X-CSRF-Token", "X-CSRFToken", "X-XSRF-Token", "csrfmiddlewaretoken"),
        *("session_id", "session_token", "PHPSESSID", "JSESSIONID"),
    ),
    "common use": (
        *("api_key", "X-Api-Key", "X-Access-Token", "api_secret", "api_token", "auth_token"),
        *("bearer_token", "secret", "secret_key", "token", "jwt"),
        *("passwd", "pwd", "passphrase", "old_password", "new_password", "current_password"),
        *("password_confirmation", "confirm_password"),
    ),
}


def _plain(name: str) -> str:
    return re.sub(r"[-_.]", "", name).lower()


_NAMES = frozenset(_plain(name) for names in _SOURCES.values() for name in names)


# A run asks for the same names in thousands of bodies.
@lru_cache(maxsize=1024)
def is_secret(name: str) -> bool:
    """Return whether a header, a parameter or a member with this name holds a secret."""
    return _plain(name) in _NAMES
