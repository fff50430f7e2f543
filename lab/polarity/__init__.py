"""Changes with known effects, and the verdicts of the review on them."""
