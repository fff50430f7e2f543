"""Checks and proofs in this process: these tests are about results."""

from tests.in_process import tasks_in_this_process

__all__ = ["tasks_in_this_process"]
