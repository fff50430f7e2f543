"""JSON Schemas with which editors complete and check the files of a project."""
