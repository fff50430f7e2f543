"""The names that a generated package exports, by the module that defines them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from specwright.ir.model.api import Api


def modules(api: Api) -> list[str]:
    """Return the public modules, without the server stub, which needs an extra."""
    optional = {"params": api.has_params, "webhooks": api.has_webhooks}
    return sorted(["errors", "models", "testing", *(name for name in optional if optional[name])])


def exports(api: Api, errors: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Return the names by module; each module has at least one.

    Args:
        errors: the names of all exceptions.
    """
    streams = any(medium.is_stream for medium in api.media)
    files = any(medium.has_files for medium in api.media)
    names_by_module: dict[str, Sequence[str]] = {
        "client": (api.names.client,),
        "async_client": (f"Async{api.names.client}",),
        "_runtime.client.clients": ("RawResponse",),
        "_runtime.client.calls.streams": ("AsyncStream", "Stream") if streams else (),
        "_runtime.shared.responses": ("Redirect",) if api.redirects else (),
        "_runtime.shared.files": ("File", "FileTypes") if files else (),
        "_runtime.client.traffic_report": ("TrafficReport",),
        "_runtime.client.options": ("OMIT", "Omit", "RequestOptions"),
        "_runtime.client.calls.pagination": ("AsyncPage", "AsyncPages", "Batch", "Page"),
        "_runtime.client.wire.rate_limits": ("RateLimit",),
        "_runtime.client.transport.base": (
            "AsyncTransport",
            "Request",
            "Response",
            "Timeout",
            "Transport",
            "TransportError",
        ),
        "errors": errors,
        **{f"_runtime.shared.media.{module}": names for module, names in api.media_exports.items()},
        **{f"_runtime.shared.auth.{module}": names for module, names in api.grants.items()},
    }
    return {module: names for module, names in names_by_module.items() if names}
