"""The results of a run: findings with their evidence, and the coverage."""
