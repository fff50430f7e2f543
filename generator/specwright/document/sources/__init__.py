"""Files and addresses that a document comes from, as data with locations."""
