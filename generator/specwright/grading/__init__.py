"""The grading of findings by a project: their levels, and those that it accepts."""
