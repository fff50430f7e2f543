"""Tables of the Django shop."""

import uuid

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models


class Category(models.TextChoices):
    BOOK = "book"
    GAME = "game"
    MUSIC = "music"


class Status(models.TextChoices):
    OPEN = "open"
    PAID = "paid"
    SHIPPED = "shipped"
    CANCELLED = "cancelled"


class Record(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True
        ordering = ("created_at", "id")


class Product(Record):
    name = models.CharField(max_length=80)
    description = models.TextField(max_length=1000, blank=True, default="")
    category = models.CharField(max_length=10, choices=Category.choices)
    price = models.DecimalField(max_digits=9, decimal_places=2)
    image = models.BinaryField(null=True)


class Review(Record):
    product = models.ForeignKey(Product, models.CASCADE, related_name="reviews")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    stars = models.IntegerField(validators=[MinValueValidator(1), MaxValueValidator(5)])
    text = models.TextField(max_length=2000, blank=True, default="")


class Order(Record):
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.OPEN)
    note = models.CharField(max_length=200, blank=True, default="")
    total = models.DecimalField(max_digits=14, decimal_places=2)
    key = models.CharField(max_length=100, null=True)
    fingerprint = models.CharField(max_length=64)


class Line(models.Model):
    order = models.ForeignKey(Order, models.CASCADE, related_name="lines")
    product_id = models.UUIDField()
    quantity = models.IntegerField(validators=[MinValueValidator(1), MaxValueValidator(100)])
