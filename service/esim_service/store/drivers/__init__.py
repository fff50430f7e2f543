"""Drivers for SQLite and PostgreSQL, migrations, and the transfer between databases."""
