"""Benchmarks of the toolkit and of the generated code, each run side by side with its peers."""
