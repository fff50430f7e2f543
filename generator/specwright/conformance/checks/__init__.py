"""The checks of `specwright test`, by the part of the contract that they are about."""
