"""What a project makes of findings: their levels, and what it accepts."""
