"""Values that are likely to fit a schema, and the validators that decide whether they do."""
