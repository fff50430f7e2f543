"""Releases of this repository: the changelog entry, the artefacts and their checksums."""
