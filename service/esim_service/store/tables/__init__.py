"""The SQL of each group of tables."""
