"""The ids of rules for responses, which clients and `specwright check-traffic` report."""

UNDECLARED_STATUS = "undeclared-status"
UNDECLARED_REFUSAL = "undeclared-refusal"
UNDECLARED_MEDIA_TYPE = "undeclared-media-type"
RESPONSE_SCHEMA = "response-schema"
SERVER_ERROR = "server-error"
