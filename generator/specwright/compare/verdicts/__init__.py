"""Verdicts on changes: their rules, the project's acceptances, the version that they call for."""
