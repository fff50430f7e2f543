"""The verdict on a change: its rule, what the project accepts, the version that it calls for."""
