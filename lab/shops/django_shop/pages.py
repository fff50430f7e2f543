"""Lists in pages: with a cursor, with a number, and with links in a header."""

from typing import Any

from rest_framework import pagination, serializers
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from lab.shops.bug import has
from lab.shops.django_shop.serializers import NumberQuery, PageQuery


class ByCursor(pagination.CursorPagination):
    """Pages as `{next, previous, results}`; products."""

    ordering = ("created_at", "id")

    def get_page_size(self, request: Any) -> int:
        if has("limit-is-ignored"):
            return 100
        query = PageQuery(data=request.query_params.dict())
        query.is_valid(raise_exception=True)
        size: int = query.validated_data["page_size"]
        return size

    def get_ordering(self, request: Any, queryset: Any, view: Any) -> Any:
        chosen = request.query_params.get("ordering")
        return (chosen, "id") if chosen and not has("sort-is-ignored") else self.ordering

    def decode_cursor(self, request: Any) -> Any:
        return None if has("pages-repeat") else super().decode_cursor(request)

    def get_schema_operation_parameters(self, view: Any) -> list[Any]:
        return []


class ByNumber(pagination.BasePagination):
    """Pages as `{count, results}`; reviews."""

    query: type[serializers.Serializer] = NumberQuery

    def paginate_queryset(self, queryset: Any, request: Any, view: Any = None) -> Any:
        query = self.query(data=request.query_params.dict())
        query.is_valid(raise_exception=True)
        self.request, self.count = request, queryset.count()
        self.number, size = query.validated_data["page"], query.validated_data["page_size"]
        start = (self.number - 1) * size
        self.end = start + size
        if has("page-skips-one") and start:
            start += 1
        return list(queryset[start : self.end])

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"count": self.count, "results": data})

    def get_paginated_response_schema(self, schema: Any) -> Any:
        count = {"type": "integer"}
        results = {"type": "object", "required": ["count", "results"]}
        return {**results, "properties": {"count": count, "results": schema}}


class ByLink(ByNumber):
    """Pages as arrays, with the address of the next one in `Link`; orders."""

    def get_paginated_response(self, data: Any) -> Response:
        if self.end >= self.count:
            return Response(data)
        following = replace_query_param(self.request.build_absolute_uri(), "page", self.number + 1)
        return Response(data, headers={"Link": f'<{following}>; rel="next"'})

    def get_paginated_response_schema(self, schema: Any) -> Any:
        return schema
