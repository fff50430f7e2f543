"""Data sets that are searched by forms: an OpenAPI 3.0 document, no credentials, no JSON bodies."""

from __future__ import annotations

from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

DOCUMENT = "oas-uspto-3.0.yaml"
DATA_SETS = {("oa_citations", "v1"): "patentNumber", ("cancer_moonshot", "v1"): "familyId"}


class DataSets:
    """Two data sets of ten records."""

    def application(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/", self.list),
                Route("/{dataset}/{version}/fields", self.fields),
                Route("/{dataset}/{version}/records", self.search, methods=["POST"]),
            ]
        )

    async def list(self, request: Request) -> Response:
        apis = [
            {
                "apiKey": name,
                "apiVersionNumber": version,
                "apiUrl": f"/{name}/{version}/fields",
                "apiDocumentationUrl": f"/docs#{name}",
            }
            for name, version in DATA_SETS
        ]
        return JSONResponse({"total": len(apis), "apis": apis})

    async def fields(self, request: Request) -> Response:
        field = self.field(request)
        if field is None:
            return JSONResponse("There is no such data set.", 404)
        return JSONResponse(f"Searchable: {field}")

    async def search(self, request: Request) -> Response:
        field = self.field(request)
        form = parse_qs((await request.body()).decode("utf-8", "replace"))
        if field is None or "criteria" not in form:
            return Response(status_code=404)
        start, rows = (form.get(name, ["10"])[0] for name in ("start", "rows"))
        if not (start.isdecimal() and rows.isdecimal()):
            return Response(status_code=404)
        return JSONResponse([{field: {"value": number}} for number in range(10)])

    def field(self, request: Request) -> str | None:
        place = request.path_params
        return DATA_SETS.get((place["dataset"], place["version"]))
