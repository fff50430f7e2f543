"""Rate limits, exact over any window, by one process or several."""
