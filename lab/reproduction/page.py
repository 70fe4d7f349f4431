"""A page whose marked blocks are written by programs and whose other text is written by people."""

from __future__ import annotations


def with_block(text: str, name: str, author: str, block: str) -> str:
    """Replaces what stands between the markers of that name; appends them if they are not there."""
    begin, end = f"<!-- {name}: written by {author} -->", f"<!-- {name}: end -->"
    marked = f"{begin}\n{block}{end}"
    if begin in text and end in text:
        before, rest = text.split(begin, 1)
        return before + marked + rest.split(end, 1)[1]
    return f"{text.rstrip()}\n\n{marked}\n"
