"""Ranges of numbers as values of options."""

from __future__ import annotations

import click


class IntegerRange(click.IntRange):
    name = "integer"


class NumberRange(click.FloatRange):
    name = "number"
