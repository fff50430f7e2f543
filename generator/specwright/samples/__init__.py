"""Values that are likely to match a schema, and the validators that check them."""
