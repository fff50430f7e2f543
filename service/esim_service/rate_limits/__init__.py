"""Rate limits, exact over any window, for one process or several."""
