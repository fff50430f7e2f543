"""The parts of a document outside its schemas: operations, declarations, security, servers."""
