"""Proofs that one schema takes all that another one allows, and values that show a break."""
