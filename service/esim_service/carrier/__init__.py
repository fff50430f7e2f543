"""The port to the carrier, and a simulated carrier."""
