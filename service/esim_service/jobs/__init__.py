"""Jobs: from a due row to what the carrier was asked, and what its answer led to."""
