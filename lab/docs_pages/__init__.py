"""What readers get from pages of documentation made by several tools."""
