"""The report as one page for a browser, without scripts and without anything from elsewhere.

`page` lays it out, `code` shows source with the path on it, `drawing` draws the way to another process, `rulebook`
explains the rules, `markup` makes elements and sees to it that text stays text; `style.css` is how all of it looks.
"""

from pause_lint.report.html.page import render

__all__ = ["render"]
