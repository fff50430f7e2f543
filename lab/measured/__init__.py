"""The pages of measurements: what each measures, its commit, and whether it is still current."""
