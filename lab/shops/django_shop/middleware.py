"""One request at a time: an SQLite database in memory refuses a second writer at once."""

from collections.abc import Callable
from threading import Lock

from django.http import HttpRequest, HttpResponse

_LOCK = Lock()


def one_at_a_time(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Return a handler of requests that lets each one wait for those before it."""

    def handle(request: HttpRequest) -> HttpResponse:
        with _LOCK:
            return get_response(request)

    return handle
