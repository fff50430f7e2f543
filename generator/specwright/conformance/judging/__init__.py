"""Judgement of single responses, worded alike for all sources of requests."""
