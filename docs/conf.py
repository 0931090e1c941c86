"""How Sphinx builds the documentation: `make docs`.

Everything a page needs is built in: no fonts, scripts or pictures from elsewhere.
"""

from pause_lint import __version__

project = "pause-lint"
version = release = __version__
extensions = ["myst_parser"]
exclude_patterns = ["field", "_static"]
html_theme = "furo"
html_title = "pause-lint"
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
# Links to headings are written as on a forge, and Sphinx warns of those that lead nowhere.
myst_heading_anchors = 4
nitpicky = True
pygments_style = "default"
pygments_dark_style = "github-dark"
