"""The error responses that Litestar has no names for."""

from litestar.exceptions import ClientException


class ConflictException(ClientException):
    """The request contradicts the state of a resource."""

    status_code = 409


class ChangedException(ClientException):
    """The resource has another ETag by now."""

    status_code = 412


class MediaTypeException(ClientException):
    """The body has a media type that is not supported."""

    status_code = 415


class UnconditionalException(ClientException):
    """The request needs If-Match."""

    status_code = 428
