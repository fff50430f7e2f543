"""The review on histories of documents that others wrote."""
