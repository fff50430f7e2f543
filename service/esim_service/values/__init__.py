"""Values: nouns, money, ids and time."""
