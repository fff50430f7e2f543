"""Support code of a generated package: transport, validation, pagination, signatures."""
