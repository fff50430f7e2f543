"""Drivers of SQLite and PostgreSQL, migrations, and the way from one database to another."""
