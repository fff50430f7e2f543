"""What calls an API: arguments to requests, attempts, answers to models, pages."""
