"""Results of a run: findings with their evidence, and how much was reached."""
