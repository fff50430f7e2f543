"""What serves an API: requests to arguments, handlers, answers and errors to bytes."""
