"""The commands: each turns arguments into calls and results into output."""
