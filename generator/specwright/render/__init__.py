"""Templates, and the quoting and formatting that make their output safe Python."""
