"""Checks of valid requests, which succeed, and of invalid ones, which are refused."""
