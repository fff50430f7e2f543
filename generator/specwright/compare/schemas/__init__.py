"""Schemas of two documents: brought to one set of keywords, paired, and compared step by step."""
