"""What is right and wrong about a document."""
