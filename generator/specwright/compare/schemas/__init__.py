"""The schemas of two documents: flattened, paired, and compared step by step."""
