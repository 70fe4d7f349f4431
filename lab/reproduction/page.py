"""A page whose marked blocks are written by programs and whose other text is written by people."""

from __future__ import annotations

import textwrap

COLUMNS = 120  # of a line of a page


def wrapped(text: str) -> str:
    """The same with its prose broken at 120 columns. Tables, pictures, headings and comments stay as they are."""
    return "\n".join(
        line
        if len(line) <= COLUMNS or line.startswith(("|", "![", "#", "<!--", " "))
        else textwrap.fill(line, COLUMNS, break_long_words=False, break_on_hyphens=False)
        for line in text.split("\n")
    )


def with_block(text: str, name: str, author: str, block: str) -> str:
    """Replaces what stands between the markers of that name; appends them if they are not there."""
    begin, end = f"<!-- {name}: written by {author} -->", f"<!-- {name}: end -->"
    marked = f"{begin}\n{wrapped(block)}{end}"
    if begin in text and end in text:
        before, rest = text.split(begin, 1)
        return before + marked + rest.split(end, 1)[1]
    return f"{text.rstrip()}\n\n{marked}\n"
