"""What a test does on purpose: one module for each kind of rule that a document declares."""
