"""Bodies and queries of the Django shop."""

import re
from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.validators import ValidationError

from lab.shops.bug import has
from lab.shops.django_shop.models import Category, Line, Order, Product, Review, Status


@extend_schema_field({"type": "string", "pattern": r"^[0-9]{1,7}\.[0-9]{2}$"})
class Price(serializers.DecimalField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_digits=9, decimal_places=2, **kwargs)

    def to_internal_value(self, data: Any) -> Any:
        sign = "-?" if has("negative-price") else ""
        if not isinstance(data, str) or not re.fullmatch(rf"{sign}[0-9]{{1,7}}\.[0-9]{{2}}", data):
            raise ValidationError("It is not a price.")
        return super().to_internal_value(data)

    def to_representation(self, value: Any) -> Any:
        shown = super().to_representation(value)
        return float(shown) if has("price-of-another-type") else shown


@extend_schema_field({"type": "string", "pattern": r"^[0-9]{1,12}\.[0-9]{2}$"})
class Total(serializers.DecimalField):
    pass


class When(serializers.DateTimeField):
    def to_representation(self, value: Any) -> Any:
        if has("date-is-not-a-date"):
            return f"{value:%d/%m/%Y %H:%M}"
        return super().to_representation(value)


class Text(serializers.CharField):
    """Text as it was sent."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(trim_whitespace=False, **kwargs)


class Whole(serializers.IntegerField):
    """A number with bounds, which a bug takes away."""

    def __init__(self, bug: str, **kwargs: Any) -> None:
        self.bug = bug
        super().__init__(**kwargs)

    def run_validators(self, value: Any) -> None:
        if not has(self.bug):
            super().run_validators(value)


class Name(Text):
    def run_validators(self, value: Any) -> None:
        if has("non-ascii-breaks"):
            value.encode("ascii")
        if not has("long-name"):
            super().run_validators(value)


class Kind(serializers.ChoiceField):
    def to_internal_value(self, data: Any) -> Any:
        if has("unknown-category") and data not in Category.values:
            return Category.BOOK
        return super().to_internal_value(data)


class Me(serializers.ModelSerializer):
    name = serializers.CharField(source="username")
    role = serializers.SerializerMethodField()

    class Meta:
        model = User
        fields = ("name", "role")

    def get_role(self, user: User) -> str:
        return "manager" if user.is_staff else "customer"


class ProductSerializer(serializers.ModelSerializer):
    name = Name(max_length=80)
    description = Text(max_length=1000, allow_blank=True, required=False)
    category = Kind(choices=Category.choices)
    price = Price()
    created_at = When(read_only=True)

    class Meta:
        model = Product
        fields = ("id", "name", "description", "category", "price", "created_at")

    def to_representation(self, instance: Product) -> dict[str, Any]:
        shown = super().to_representation(instance)
        if has("list-lacks-a-field") and isinstance(self.parent, serializers.ListSerializer):
            del shown["category"]
        return shown

    def update(self, instance: Product, validated_data: dict[str, Any]) -> Product:
        if has("empty-change-breaks"):
            min(validated_data)
        if has("change-resets-others"):
            validated_data = {"description": ""} | validated_data
        if has("change-is-not-stored"):
            for name, value in validated_data.items():
                setattr(instance, name, value)
            return instance
        return super().update(instance, validated_data)


class ImageSerializer(serializers.Serializer):
    image = serializers.FileField()


class ReviewSerializer(serializers.ModelSerializer):
    stars = Whole("six-stars", min_value=1, max_value=5)
    text = Text(max_length=2000, allow_blank=True, required=False)
    author = serializers.CharField(source="author.username", read_only=True)

    class Meta:
        model = Review
        fields = ("id", "author", "stars", "text", "created_at")


class LineSerializer(serializers.ModelSerializer):
    quantity = Whole("no-quantity", min_value=1, max_value=100)

    class Meta:
        model = Line
        fields = ("product_id", "quantity")


class OrderSerializer(serializers.ModelSerializer):
    lines = LineSerializer(many=True, min_length=1, max_length=20)
    note = Text(max_length=200, allow_blank=True, required=False)
    total = Total(max_digits=14, decimal_places=2, read_only=True)

    class Meta:
        model = Order
        fields = ("id", "status", "lines", "note", "total", "created_at")
        read_only_fields = ("status",)

    def to_internal_value(self, data: Any) -> Any:
        self.fields["lines"].min_length = None if has("no-lines") else 1
        return super().to_internal_value(data)

    def create(self, validated_data: dict[str, Any]) -> Order:
        lines = validated_data.pop("lines")
        prices = Product.objects.in_bulk([line["product_id"] for line in lines])
        if missing := [line for line in lines if line["product_id"] not in prices]:
            said = f"There is no product {missing[0]['product_id']}"
            raise ValidationError({"lines": [said]})
        total = sum(
            prices[line["product_id"]].price
            * (1 if has("total-without-quantity") else line["quantity"])
            for line in lines
        )
        order = Order.objects.create(total=total, **validated_data)
        Line.objects.bulk_create(Line(order=order, **line) for line in lines)
        return order


class OrderChangeSerializer(serializers.ModelSerializer):
    note = Text(max_length=200, allow_blank=True)

    class Meta:
        model = Order
        fields = ("note",)


class Problem(serializers.Serializer):
    detail = serializers.CharField()


class PageQuery(serializers.Serializer):
    page_size = Whole("limit-above-maximum", min_value=1, max_value=50, default=20)


class NumberQuery(PageQuery):
    page = serializers.IntegerField(min_value=1, max_value=10_000, default=1)


class OrderQuery(NumberQuery):
    status = serializers.ChoiceField(choices=Status.choices, required=False)


class ProductQuery(PageQuery):
    cursor = serializers.CharField(required=False)
    category = serializers.ChoiceField(choices=Category.choices, required=False)
    ordering = serializers.ChoiceField(choices=("name", "-name", "price", "-price"), required=False)


def bound_lines(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Write down how many lines an order has, which drf-spectacular does not."""
    for name in ("Order", "OrderRequest"):
        result["components"]["schemas"][name]["properties"]["lines"].update(minItems=1, maxItems=20)
    return result
