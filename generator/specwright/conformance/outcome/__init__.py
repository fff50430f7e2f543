"""The outcome of a run: findings with their evidence, the coverage, and replays of failures."""
