"""The test bench: the implementation under test, its keys, and calls that succeed."""
