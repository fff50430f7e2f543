"""Faults written without knowledge of the checks: proven by hand, judged by `specwright test`."""
