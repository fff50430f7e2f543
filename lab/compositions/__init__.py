"""Documents that combine keywords at random: none may end a command, or break its package."""
