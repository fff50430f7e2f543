"""Proofs that one schema accepts every value of another, and counterexamples."""
