"""Characters that do something in a terminal or a log instead of being seen there."""

import unicodedata


def acting(text: str) -> set[str]:
    """Those of an output, but for ends of lines and tabs."""
    kinds = ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")
    return {each for each in text if unicodedata.category(each) in kinds} - {"\n", "\t"}
