"""Checks of counts: balances, capacities and rate limits."""
