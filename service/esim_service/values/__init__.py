"""Values: entities, money, ids and time."""
