"""The views of the Django shop."""

import hashlib
import json
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import mixins, permissions, serializers, status, viewsets
from rest_framework.authentication import BasicAuthentication
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound, PermissionDenied, ValidationError
from rest_framework.generics import get_object_or_404
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lab.shops.bug import has
from lab.shops.django_shop import serializers as bodies
from lab.shops.django_shop.models import Order, Product, Review, Status
from lab.shops.django_shop.pages import ByCursor, ByLink, ByNumber

LOCATION = OpenApiParameter(
    "Location", OpenApiTypes.URI_REF, OpenApiParameter.HEADER, required=True, response=[201]
)
LINK = OpenApiParameter("Link", str, OpenApiParameter.HEADER, response=[200])
KEY_LENGTH = 100
KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": KEY_LENGTH},
    OpenApiParameter.HEADER,
)
WRONG = OpenApiResponse(OpenApiTypes.OBJECT, "The request is not valid.")
# Of operations with a body.
REFUSED = {400: WRONG, 415: bodies.Problem}


def refusals(*statuses: int) -> dict[int, Any]:
    return dict.fromkeys((401, 403, *statuses), bodies.Problem)


def unknown(request: HttpRequest, exception: Exception) -> HttpResponse:
    return JsonResponse({"detail": "Not found."}, status=404)


class Anybody(BasicAuthentication):
    """Takes any password while a bug says so."""

    def authenticate_credentials(self, userid: str, password: str, request: Any = None) -> Any:
        if has("any-credentials"):
            userid, password = "alice", "test-alice"
        return super().authenticate_credentials(userid, password, request)


class IsServed(permissions.IsAuthenticated):
    def has_permission(self, request: Request, view: Any) -> bool:
        if has("delete-without-credentials") and request.method == "DELETE":
            return True
        served = super().has_permission(request, view)
        suspended = served and request.user.groups.exists()
        return served and (not suspended or has("suspended-is-served"))


class IsManagerOrReads(IsServed):
    def has_permission(self, request: Request, view: Any) -> bool:
        if has("delete-without-credentials") and request.method == "DELETE":
            return True
        allowed = request.method in permissions.SAFE_METHODS or request.user.is_staff
        return super().has_permission(request, view) and (
            allowed or has("customer-creates-products")
        )


class Spelling:
    # How every view of the shop answers; a docstring would go into the document.

    def get_authenticators(self) -> list[Any]:
        return [Anybody() if has("any-credentials") else BasicAuthentication()]

    def finalize_response(self, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(*args, **kwargs)  # type: ignore[misc]
        if response.status_code == 404 and has("not-found-is-html"):
            return HttpResponse("<h1>Not found</h1>", status=404)
        return response


class Creates(mixins.CreateModelMixin):
    def get_success_headers(self, data: Any) -> dict[str, str]:
        here = self.request.path  # type: ignore[attr-defined]
        id_ = data["id"][::-1] if has("location-of-another") else data["id"]
        return {} if has("no-location") else {"Location": f"{here}{id_}/"}


class MeView(Spelling, APIView):
    permission_classes = (IsServed,)

    @extend_schema(responses={200: bodies.Me, **refusals()})
    def get(self, request: Request) -> Response:
        return Response(bodies.Me(request.user).data)


class ProductViewSet(Spelling, Creates, viewsets.ModelViewSet):
    queryset = Product.objects.all()
    serializer_class = bodies.ProductSerializer
    permission_classes = (IsManagerOrReads,)
    pagination_class = ByCursor
    http_method_names = ("get", "post", "patch", "delete", "put", "head", "options")

    def get_object(self) -> Product:
        if has("unknown-id-breaks"):
            return Product.objects.get(pk=self.kwargs["pk"])
        return super().get_object()

    def filter_queryset(self, queryset: Any) -> Any:
        query = bodies.ProductQuery(data=self.request.query_params.dict())
        query.is_valid(raise_exception=True)
        category = query.validated_data.get("category")
        return (
            queryset.filter(category=category)
            if category and not has("filter-is-ignored")
            else queryset
        )

    @extend_schema(
        parameters=[bodies.ProductQuery],
        responses={200: bodies.ProductSerializer(many=True), 400: WRONG, **refusals(404)},
    )
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().list(request, *args, **kwargs)

    @extend_schema(
        parameters=[LOCATION], responses={201: bodies.ProductSerializer, **REFUSED, **refusals()}
    )
    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        made = super().create(request, *args, **kwargs)
        if has("created-is-200"):
            made.status_code = status.HTTP_200_OK
        return made

    @extend_schema(responses={200: bodies.ProductSerializer, **refusals(404)})
    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().retrieve(request, *args, **kwargs)

    @extend_schema(exclude=True)
    def update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        if not kwargs.get("partial"):
            self.http_method_not_allowed(request)
        return super().update(request, *args, **kwargs)

    @extend_schema(responses={200: bodies.ProductSerializer, **REFUSED, **refusals(404)})
    def partial_update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().partial_update(request, *args, **kwargs)

    @extend_schema(responses={204: None, **refusals(404)})
    def destroy(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        gone = super().destroy(request, *args, **kwargs)
        return Response({"deleted": kwargs["pk"]}) if has("deleted-has-a-body") else gone

    def perform_destroy(self, instance: Product) -> None:
        if not has("delete-deletes-nothing"):
            instance.delete()


class ImageView(Spelling, APIView):
    permission_classes = (IsManagerOrReads,)
    parser_classes = (MultiPartParser,)

    @extend_schema(
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY, **refusals(404)}
    )
    def get(self, request: Request, product_id: str) -> HttpResponse:
        product = get_object_or_404(Product, pk=product_id)
        if product.image is None:
            raise NotFound
        return HttpResponse(bytes(product.image), content_type="application/octet-stream")

    @extend_schema(
        request={"multipart/form-data": bodies.ImageSerializer},
        responses={204: None, **REFUSED, **refusals(404)},
    )
    def put(self, request: Request, product_id: str) -> Response:
        product = get_object_or_404(Product, pk=product_id)
        sent = bodies.ImageSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        file = sent.validated_data["image"]
        product.image = file.read()
        if has("upload-is-lost"):
            product.image = file.read()
        product.save(update_fields=["image"])
        return Response(status=status.HTTP_204_NO_CONTENT)


class ReviewViewSet(
    Spelling,
    Creates,
    mixins.ListModelMixin,
    mixins.RetrieveModelMixin,
    mixins.DestroyModelMixin,
    viewsets.GenericViewSet,
):
    queryset = Review.objects.all()
    serializer_class = bodies.ReviewSerializer
    permission_classes = (IsServed,)
    pagination_class = ByNumber

    def get_queryset(self) -> Any:
        product = get_object_or_404(Product, pk=self.kwargs["product_id"])
        if has("review-of-another-product") and "pk" in self.kwargs:
            return Review.objects.all()
        return product.reviews.select_related("author").order_by("created_at", "id")

    @extend_schema(
        parameters=[bodies.NumberQuery],
        responses={200: bodies.ReviewSerializer(many=True), 400: WRONG, **refusals(404)},
    )
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().list(request, *args, **kwargs)

    @extend_schema(
        parameters=[LOCATION], responses={201: bodies.ReviewSerializer, **REFUSED, **refusals(404)}
    )
    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().create(request, *args, **kwargs)

    def perform_create(self, serializer: serializers.BaseSerializer[Any]) -> None:
        product = get_object_or_404(Product, pk=self.kwargs["product_id"])
        serializer.save(product=product, author=self.request.user)

    @extend_schema(responses={200: bodies.ReviewSerializer, **refusals(404)})
    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().retrieve(request, *args, **kwargs)

    @extend_schema(responses={204: None, **refusals(404)})
    def destroy(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().destroy(request, *args, **kwargs)

    def perform_destroy(self, instance: Review) -> None:
        if instance.author != self.request.user and not has("delete-without-credentials"):
            raise PermissionDenied
        instance.delete()


class OrderViewSet(
    Spelling,
    Creates,
    mixins.ListModelMixin,
    mixins.RetrieveModelMixin,
    viewsets.GenericViewSet,
):
    queryset = Order.objects.all()
    serializer_class = bodies.OrderSerializer
    permission_classes = (IsServed,)
    pagination_class = ByLink

    def get_queryset(self) -> Any:
        leaks = {
            "list": "list-of-others",
            "retrieve": "order-of-others",
            "partial_update": "change-of-others",
        }
        found = Order.objects.order_by("created_at", "id").prefetch_related("lines")
        return (
            found
            if has(leaks.get(self.action, "no leak"))
            else found.filter(owner=self.request.user)
        )

    def filter_queryset(self, queryset: Any) -> Any:
        query = bodies.OrderQuery(data=self.request.query_params.dict())
        query.is_valid(raise_exception=True)
        wanted = query.validated_data.get("status")
        return queryset.filter(status=wanted) if wanted else queryset

    @extend_schema(
        parameters=[bodies.OrderQuery, LINK],
        responses={200: bodies.OrderSerializer(many=True), 400: WRONG, **refusals()},
    )
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().list(request, *args, **kwargs)

    @extend_schema(
        parameters=[KEY, LOCATION],
        responses={
            201: bodies.OrderSerializer,
            **REFUSED,
            422: bodies.Problem,
            **refusals(),
        },
    )
    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        body = self.get_serializer(data=request.data)
        body.is_valid(raise_exception=True)
        key = request.headers.get("Idempotency-Key")
        if key is not None and not 1 <= len(key) <= KEY_LENGTH:
            raise ValidationError({"Idempotency-Key": [f"It must have 1 to {KEY_LENGTH} letters."]})
        text = json.dumps(body.validated_data, sort_keys=True, default=str)
        fingerprint = hashlib.sha256(text.encode()).hexdigest()
        first = None
        if key and not has("key-is-ignored"):
            first = Order.objects.filter(owner=request.user, key=key).first()
        if first and first.fingerprint != fingerprint and not has("key-for-another-body"):
            said = "The Idempotency-Key was used with another body."
            return Response({"detail": said}, status=422)
        made = first or body.save(owner=request.user, key=key, fingerprint=fingerprint)
        shown = self.get_serializer(made).data
        return Response(shown, status=201, headers=self.get_success_headers(shown))

    @extend_schema(responses={200: bodies.OrderSerializer, **refusals(404)})
    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().retrieve(request, *args, **kwargs)

    @extend_schema(
        request=bodies.OrderChangeSerializer,
        responses={200: bodies.OrderSerializer, **REFUSED, **refusals(404)},
    )
    def partial_update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        order = self.get_object()
        sent = bodies.OrderChangeSerializer(order, data=request.data, partial=True)
        sent.is_valid(raise_exception=True)
        sent.save()
        return Response(self.get_serializer(order).data)

    def move(self, to: Status, *allowed: Status) -> Response:
        order = self.get_object()
        if order.status not in allowed:
            return Response({"detail": f"The order is {order.status}."}, status=409)
        order.status = to
        order.save(update_fields=["status"])
        return Response(self.get_serializer(order).data)

    @extend_schema(request=None, responses={200: bodies.OrderSerializer, **refusals(404, 409)})
    @action(detail=True, methods=["post"])
    def pay(self, request: Request, pk: str) -> Response:
        again = [Status.PAID] if has("paid-twice") else []
        return self.move(Status.PAID, Status.OPEN, *again)

    @extend_schema(request=None, responses={200: bodies.OrderSerializer, **refusals(404, 409)})
    @action(detail=True, methods=["post"])
    def ship(self, request: Request, pk: str) -> Response:
        early = [Status.OPEN] if has("unpaid-is-shipped") else []
        return self.move(Status.SHIPPED, Status.PAID, *early)

    @extend_schema(request=None, responses={200: bodies.OrderSerializer, **refusals(404, 409)})
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: str) -> Response:
        return self.move(Status.CANCELLED, Status.OPEN, Status.PAID)
