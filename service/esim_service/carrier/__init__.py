"""The port to the carrier, and a carrier that is played."""
