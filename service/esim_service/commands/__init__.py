"""The commands of `esim-service`, one file per group."""
