"""Bodies and parameters of the FastAPI shop."""

import os
from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, Field, WrapValidator

BUG = os.environ.get("SHOP_BUG", "")


class Category(StrEnum):
    book = "book"
    game = "game"
    music = "music"


class Status(StrEnum):
    open = "open"
    paid = "paid"
    shipped = "shipped"
    cancelled = "cancelled"


class ProductSort(StrEnum):
    name = "name"
    name_down = "-name"
    price = "price"
    price_down = "-price"


Limit = Annotated[int, Query(ge=1, le=None if BUG == "limit-above-maximum" else 50)]
Offset = Annotated[int, Query(ge=0)]
Name = Annotated[str, Field(min_length=1, max_length=None if BUG == "long-name" else 80)]
Cents = Annotated[int, Field(ge=None if BUG == "negative-price" else 0, le=10_000_000)]
Stars = Annotated[int, Field(ge=1, le=None if BUG == "six-stars" else 5)]
Quantity = Annotated[int, Field(ge=None if BUG == "no-quantity" else 1, le=100)]


def _category(sent: object, validate: Callable[[object], Category]) -> Category:
    if BUG == "unknown-category" and sent not in set(Category):
        return Category.book
    return validate(sent)


class Problem(BaseModel):
    detail: str


class User(BaseModel):
    name: str
    role: str


class NewProduct(BaseModel):
    name: Name
    description: Annotated[str, Field(max_length=1000)] = ""
    category: Annotated[Category, WrapValidator(_category)]
    price: Cents


class ProductChange(BaseModel):
    name: Name | None = None
    description: Annotated[str, Field(max_length=1000)] | None = None
    category: Category | None = None
    price: Cents | None = None


class Product(BaseModel):
    id: int
    name: str
    description: str
    category: Category
    price: int
    created_at: datetime


class ProductPage(BaseModel):
    items: list[Product]
    total: int


class NewReview(BaseModel):
    stars: Stars
    text: Annotated[str, Field(max_length=2000)] = ""


class Review(BaseModel):
    id: int
    product_id: int
    author: str
    stars: int
    text: str


class ReviewPage(BaseModel):
    items: list[Review]
    total: int


class Line(BaseModel):
    product_id: int
    quantity: Quantity


class NewOrder(BaseModel):
    lines: Annotated[list[Line], Field(min_length=None if BUG == "no-lines" else 1, max_length=20)]
    note: Annotated[str, Field(max_length=200)] = ""


class OrderChange(BaseModel):
    note: Annotated[str, Field(max_length=200)]


class Order(BaseModel):
    id: int
    status: Status
    lines: list[Line]
    note: str
    total: int
    created_at: datetime


class OrderPage(BaseModel):
    items: list[Order]
    total: int
