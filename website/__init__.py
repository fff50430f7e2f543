"""The documentation site: the pages of docs/ and of the root, as HTML that needs no network."""
