"""The intermediate representation: the facts about an API that templates may use."""
