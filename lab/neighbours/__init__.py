"""What a large partner does within the limits, and how long others wait meanwhile."""
