"""Values as XML, by a description of their schemas."""
