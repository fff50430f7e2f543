"""Changes of a partner's data under its account, single or in batches, and the database port."""
