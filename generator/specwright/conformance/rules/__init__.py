"""Rules for all exchanges, and recorded traffic that is checked by them."""
