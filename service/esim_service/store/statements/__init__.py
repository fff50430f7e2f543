"""Statements and units of work, and how many statements of the same words become one."""
