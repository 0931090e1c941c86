"""Elements of HTML and SVG, made so that text stays text whatever it holds.

Children that are strings are escaped; only what was made here goes in as markup. Characters that nobody sees, or that
turn the direction of text round (https://trojansource.codes), are shown as Python escapes them. Nothing here knows
what a report is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from itertools import groupby
from typing import NamedTuple

_VOID = frozenset({"meta", "path", "rect"})
_JOINT = re.compile(r"(?<=\w)(?=[._/]\w)")
"""Where a long name is broken, if it must be."""
_LONG = re.compile(r"([\w./]{20,})")
_BLANK = frozenset((0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0))
_BLANKS = ((0x180B, 0x180F), (0xFE00, 0xFE0F), (0xE0100, 0xE01EF))


class Markup(NamedTuple):
    """What goes into the page as it is. Not a string, so that no string is taken for it."""

    text: str


Child = Markup | str
NOTHING = Markup("")


def tag(name: str, /, *children: Child, **attributes: str | int) -> Markup:
    """An element. In names of attributes, `_` stands for `-`, and one at the end for nothing: `class_`."""
    given = "".join(
        f' {key.removesuffix("_").replace("_", "-")}="{escape(seen(str(value)))}"' for key, value in attributes.items()
    )
    if name in _VOID:
        return Markup(f"<{name}{given}>" if name == "meta" else f"<{name}{given}/>")
    return Markup(f"<{name}{given}>{together(children).text}</{name}>")


def together(children: Iterable[Child]) -> Markup:
    """Children one behind the other."""
    return Markup("".join(child.text if isinstance(child, Markup) else plain(child).text for child in children))


def lines(children: Iterable[Child]) -> Markup:
    """Children each on a line of its own."""
    return Markup("".join(f"{together([child]).text}\n" for child in children))


def plain(text: str) -> Markup:
    """`text`, escaped. It can stand wherever text can: in a title and in a drawing as well."""
    return Markup(escape(seen(text), quote=False))


def rich(text: str) -> Markup:
    """`text`, escaped, for a flow of text: names in it can be broken at their joints, and what stands for characters
    that nobody sees is set apart from what looks the same.
    """
    parts = ((unseen, "".join(part)) for unseen, part in groupby(text, is_unseen))
    return together(tag("span", seen(part), class_="unseen") if unseen else _broken(part) for unseen, part in parts)


def _broken(text: str) -> Markup:
    parts = (_JOINT.split(part) if at % 2 else [part] for at, part in enumerate(_LONG.split(text)))
    return Markup("".join("<wbr>".join(plain(piece).text for piece in pieces) for pieces in parts))


def seen(text: str) -> str:
    """`text` with an escape sequence in place of each character that nobody sees."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char.encode("unicode_escape").decode() if is_unseen(char) else char for char in text)


def is_unseen(char: str) -> bool:
    """Whether a character is a control character, one that cannot be seen, or no character at all."""
    if not char.isprintable():
        return True
    code = ord(char)
    return code in _BLANK or any(first <= code <= last for first, last in _BLANKS)
