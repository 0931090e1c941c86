"""Options: what a run is asked to do, from `pyproject.toml`, `setup.cfg` and the command line.

A source of options says nothing about most of them: `Settings` holds what one source says, `resolve` lays the sources
over each other and answers with `Options`. Where the project begins is found here as well, because that is where its
configuration lives. Nothing here looks at Python source.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pause_lint.pairs import PRESETS, Pair, parse_pair, preset_pairs
from pause_lint.rules import RULES

MARKERS = ("pyproject.toml", "setup.cfg", ".git")
INSTALLED = ("site-packages", "dist-packages")
DEFAULT_SELECT = frozenset(rule.code for rule in RULES if rule.default != "opt-in")

_LISTS = (
    "select",
    "ignore",
    "extend-select",
    "presets",
    "pairs",
    "exclude",
    "quiet-calls",
    "stable-calls",
    "pauses",
    "resumes",
)
_FLAGS = ("force-exclude", "no-project", "include-tests")
_PATHS = ("project-root",)
KEYS = (*_LISTS, *_FLAGS, *_PATHS)


_CLOSE = 0.7
"""How like a name must be to one that exists to be taken for it, from 0 to 1: a slip, not another word."""


class ConfigError(Exception):
    """An option that cannot be followed. The text says where it stands and what would be right."""


class Options(NamedTuple):
    """What a run is asked to do. `Options()` is the run without any configuration.

    pairs: what pauses and what undoes it.
    select: the codes of the rules in force.
    include_tests: whether test files are analysed.
    project_root: the folder of the project, if it was named; else it is looked for.
    no_project: whether to look at nothing but the paths named.
    quiet_calls: names of calls taken not to raise, besides the built-in list.
    stable_calls: names of calls that always answer the same, besides the built-in list.
    pauses, resumes: qualified names of code outside the tree that leaves its receiver paused, or resumes it.
    exclude: glob patterns of files and folders to leave out when folders are walked.
    force_exclude: whether to leave them out also when they are named.
    """

    pairs: tuple[Pair, ...] = PRESETS["default"]
    select: frozenset[str] = DEFAULT_SELECT
    include_tests: bool = False
    project_root: str | None = None
    no_project: bool = False
    quiet_calls: frozenset[str] = frozenset()
    stable_calls: frozenset[str] = frozenset()
    pauses: tuple[str, ...] = ()
    resumes: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    force_exclude: bool = False


class Settings(NamedTuple):
    """What one source says; None where it is silent. Names, codes and pairs have been checked."""

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] | None = None
    presets: tuple[str, ...] | None = None
    pairs: tuple[str, ...] | None = None
    exclude: tuple[str, ...] | None = None
    quiet_calls: tuple[str, ...] | None = None
    stable_calls: tuple[str, ...] | None = None
    pauses: tuple[str, ...] | None = None
    resumes: tuple[str, ...] | None = None
    force_exclude: bool | None = None
    no_project: bool | None = None
    include_tests: bool | None = None
    project_root: str | None = None


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the name in `known` that is close to `word`, or nothing if none is.

    Of several equally close, the first is meant. The dashes before an option are not compared: all options have them.
    """
    import difflib

    matcher = difflib.SequenceMatcher(b=word.lstrip("-"))
    likeness: dict[str, float] = {}
    for name in known:
        matcher.set_seq1(name.lstrip("-"))
        likeness[name] = matcher.ratio()
    close = max(likeness, key=lambda name: likeness[name], default="")
    return f"; did you mean {close!r}?" if close and likeness[close] >= _CLOSE else ""


def split_list(text: str) -> tuple[str, ...]:
    """The items of a list written as text, separated by commas or white space."""
    return tuple(item for item in re.split(r"[,\s]+", text) if item)


def split_pairs(items: Iterable[str]) -> tuple[str, ...]:
    """Pairs written as text, several in one string or one cut up at its commas, as one string each.

    `drain:undrain,undo other:back` is two pairs: a name without a colon is one more resume of the pair before it.
    """
    pairs: list[str] = []
    # A blank beside a colon or comma belongs to the pair; elsewhere it separates pairs.
    for item in split_list(re.sub(r"\s*:\s*", ":", " ".join(items))):
        if ":" in item or not pairs:
            pairs.append(item)
        else:
            pairs[-1] += "," + item
    return tuple(pairs)


def checked(key: str, values: Sequence[str]) -> tuple[str, ...]:
    """`values` of the list option `key`, each found to be understood.

    Raises ConfigError with the remedy for the first that is not.
    """
    if key in ("select", "ignore", "extend-select"):
        values = [value.upper() for value in values]
        codes = [rule.code for rule in RULES]
        for value in values:
            if not any(code.startswith(value) for code in codes):
                raise ConfigError(f"unknown rule {value!r}{nearest(value, codes)} (known: {', '.join(codes)})")
    elif key == "presets":
        for value in values:
            if value != "all" and value not in PRESETS:
                known = [*PRESETS, "all"]
                raise ConfigError(f"unknown preset {value!r}{nearest(value, known)} (known: {', '.join(known)})")
    elif key == "pairs":
        values = split_pairs(values)
        for value in values:
            try:
                parse_pair(value)
            except ValueError as error:
                raise ConfigError(str(error)) from None
    return tuple(values)


def resolve(*sources: Settings) -> Options:
    """The options that `sources` amount to, the later outranking the earlier.

    The preset `default` is always on; `presets` adds to it. `extend-select` adds to what is selected so far. Within
    one source the longer of two prefixes decides between `select` and `ignore`.
    """
    select: frozenset[str] = DEFAULT_SELECT
    for source in sources:
        select = _selected(select, source)

    def last(name: str) -> tuple[str, ...]:
        said = [value for source in sources if (value := getattr(source, name)) is not None]
        return tuple(said[-1]) if said else ()

    def flag(name: str) -> bool:
        said = [value for source in sources if (value := getattr(source, name)) is not None]
        return bool(said and said[-1])

    roots = [source.project_root for source in sources if source.project_root is not None]
    pairs = preset_pairs(("default", *last("presets"))) + tuple(parse_pair(text) for text in last("pairs"))
    return Options(
        pairs=tuple(dict.fromkeys(pairs)),
        select=select,
        include_tests=flag("include_tests"),
        project_root=roots[-1] if roots else None,
        no_project=flag("no_project"),
        quiet_calls=frozenset(last("quiet_calls")),
        stable_calls=frozenset(last("stable_calls")),
        pauses=last("pauses"),
        resumes=last("resumes"),
        exclude=last("exclude"),
        force_exclude=flag("force_exclude"),
    )


def _selected(before: frozenset[str], source: Settings) -> frozenset[str]:
    wanted = (*(source.select or ()), *(source.extend_select or ()))
    unwanted = source.ignore or ()

    def weight(code: str, prefixes: tuple[str, ...]) -> int:
        return max((len(prefix) for prefix in prefixes if code.startswith(prefix)), default=0)

    codes = set(before if source.select is None else ())
    for rule in RULES:
        for_it, against_it = weight(rule.code, wanted), weight(rule.code, unwanted)
        if for_it > against_it:
            codes.add(rule.code)
        elif against_it:
            codes.discard(rule.code)
    return frozenset(codes)


def marked_root(path: str) -> str | None:
    """The nearest folder at or above `path` that holds `pyproject.toml`, `setup.cfg` or `.git`; None without one.

    The search ends at `site-packages`: what is installed there belongs to no project around it.
    """
    folder = os.path.abspath(path)
    if not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    while os.path.basename(folder) not in INSTALLED:
        if any(os.path.exists(os.path.join(folder, marker)) for marker in MARKERS):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            break
        folder = parent
    return None


def tree_root(path: str) -> str:
    """The folder of the tree that `path` belongs to, as an absolute path.

    The project's root; without one the folder itself, and for a file the topmost folder of its package.
    """
    root = marked_root(path)
    if root is not None:
        return root
    folder = os.path.abspath(path)
    if os.path.isdir(folder):
        return folder
    folder = os.path.dirname(folder)
    while os.path.isfile(os.path.join(os.path.dirname(folder), "__init__.py")):
        folder = os.path.dirname(folder)
    return folder


def project_root(paths: Sequence[str]) -> str | None:
    """The root of the project that all of `paths` lie in, or None. The order of `paths` does not matter."""
    absolute = [os.path.abspath(path) for path in paths] or [os.getcwd()]
    try:
        return marked_root(os.path.commonpath(absolute))
    except ValueError:  # several drives, or a path no system accepts
        return None


def load(paths: Sequence[str], config: str | None = None, root: str | None = None) -> Settings:
    """What the configuration of the project says.

    paths: the paths named on the command line; they decide which project it is.
    config: the configuration file, if it was named.
    root: the project's root, if it was named.

    Raises ConfigError for a file that cannot be understood, with the file and where possible the line.
    """
    if config is not None:
        settings = _read(config, named=True)
        if settings is None:
            table = "[pause_lint]" if _is_ini(config) else "[tool.pause_lint]"
            raise ConfigError(f"{config}: error: there is no {table} in this file")
        return settings
    folder = root if root is not None else project_root(paths)
    if folder is not None:
        for name in ("pyproject.toml", "setup.cfg"):
            settings = _read(os.path.join(folder, name), named=False)
            if settings is not None:
                return settings
    return Settings()


def _is_ini(file: str) -> bool:
    return file.endswith((".cfg", ".ini"))


def _read(file: str, named: bool) -> Settings | None:
    shown = _shown(file)
    try:
        with open(file, "rb") as stream:
            data = stream.read()
    except (FileNotFoundError, NotADirectoryError):
        if named:
            raise ConfigError(f"{file}: error: no such file") from None
        return None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{shown}: error: cannot be read: {getattr(error, 'strerror', error)}") from None
    # Most files say nothing to us, and then their parser need not even be imported.
    if not re.search(rb"(?i)pause[-_. ]?lint", data):
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{shown}:{line}: error: not UTF-8 text") from None
    table = _ini_table(shown, text) if _is_ini(file) else _toml_table(shown, text)
    if table is None:
        return None
    header = "pause_lint" if _is_ini(file) else "tool.pause_lint"
    values: dict[str, object] = {}
    for key, value in table.items():
        try:
            if key not in KEYS:
                raise ConfigError(f"unknown key {key!r}{nearest(key, KEYS)} (known: {', '.join(sorted(KEYS))})")
            values[key.replace("-", "_")] = _value(key, value, os.path.dirname(os.path.abspath(file)))
        except ConfigError as error:
            raise ConfigError(f"{_place(shown, text, header, key)}: error: {error}") from None
    return Settings(**values)  # type: ignore[arg-type]


def _toml_table(shown: str, text: str) -> dict[str, object] | None:
    import tomllib

    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = re.search(r"line (\d+)", str(error))
        line = found[1] if found else len(text.splitlines())  # without a line, it is the end of the file
        raise ConfigError(f"{shown}:{line}: error: {error}") from None
    tool = document.get("tool")
    tables = tool if isinstance(tool, dict) else {}
    for name in (*(f"tool.{name}" for name in tables), *document):
        if name != "tool.pause_lint" and _means_us(name):
            place = _place(shown, text, re.sub(r"\s", "", name), "")
            raise ConfigError(f"{place}: error: unknown table [{name}]; did you mean [tool.pause_lint]?")
    table = tables.get("pause_lint")
    if table is None:
        return None
    if not isinstance(table, dict):
        raise ConfigError(f"{shown}: error: tool.pause_lint must be a table")
    return table


def _ini_table(shown: str, text: str) -> dict[str, object] | None:
    import configparser

    parser = configparser.RawConfigParser()
    try:
        parser.read_string(text)
    except configparser.Error as error:
        line = getattr(error, "lineno", 0) or (getattr(error, "errors", None) or [(0, "")])[0][0]
        raise ConfigError(f"{shown}:{line}: error: {error.message.splitlines()[0]}") from None
    for name in parser.sections():
        if name != "pause_lint" and _means_us(name):
            place = _place(shown, text, re.sub(r"\s", "", name), "")
            raise ConfigError(f"{place}: error: unknown section [{name}]; did you mean [pause_lint]?")
    if not parser.has_section("pause_lint"):
        return None
    # In setup.cfg `extend_select` and `extend-select` are both in use; there is no other meaning it could have.
    return {key.replace("_", "-"): _Written(value) for key, value in parser.items("pause_lint")}


def _means_us(name: str) -> bool:
    """Whether a table or section of this name is meant for us, however it is spelt."""
    return re.fullmatch(r"(?i)(?:tool[.:])?\s*pause[-_. ]?lint", name) is not None


class _Written(str):
    """A value that a format without types wrote: a list or a truth value as text."""

    __slots__ = ()


def _inside(folder: str, value: str) -> str:
    """The folder that `value` names, as the configuration in `folder` means it. Raises ConfigError if it is elsewhere,
    or not there.

    A tree that is only looked at must not say that more than the tree is its project.
    """
    path = os.path.join(folder, value)
    top = os.path.realpath(folder)
    real = os.path.realpath(path)
    if real != top and not real.startswith(os.path.join(top, "")):
        raise ConfigError(
            f"project-root leads outside the folder of this file: {value!r}; "
            "it can be named on the command line (--project-root)"
        )
    if not os.path.isdir(path):
        raise ConfigError(f"project-root: no such folder: {value}; it is looked for beside this file")
    return path


def _value(key: str, value: object, folder: str) -> object:
    if isinstance(value, _Written):
        if key in _LISTS:
            return checked(key, split_list(value) if key != "pairs" else [value])
        if key in _FLAGS:
            word = value.strip().lower()
            if word not in ("1", "0", "true", "false", "yes", "no", "on", "off"):
                raise ConfigError(f"{key} must be true or false, not {str(value)!r}")
            return word in ("1", "true", "yes", "on")
        return _inside(folder, value)
    if key in _LISTS:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ConfigError(f"{key} must be a list of strings, not {value!r}")
        return checked(key, value)
    if key in _FLAGS:
        if not isinstance(value, bool):
            raise ConfigError(f"{key} must be true or false, not {value!r}")
        return value
    if not isinstance(value, str):
        raise ConfigError(f"{key} must be a string, not {value!r}")
    return _inside(folder, value)


def _place(shown: str, text: str, header: str, key: str) -> str:
    """`file:line` of `key` under `[header]` (of the header itself without a key), or the file if it is not found."""
    current = ""
    for number, line in enumerate(text.splitlines(), 1):
        if found := re.match(r"\s*\[+\s*([^\]]*?)\s*\]", line):
            current = re.sub(r"[\s\"']", "", found[1])
            if current == header and not key:
                return f"{shown}:{number}"
        elif current == header and key:
            written = re.match(r"\s*[\"']?([\w-]+)[\"']?\s*[=:]", line)
            # The ini reader lowers keys and takes either dash.
            if written and key in (written[1], written[1].lower().replace("_", "-")):
                return f"{shown}:{number}"
    return shown


def _shown(file: str) -> str:
    try:
        return os.path.relpath(file).replace(os.sep, "/")
    except ValueError:
        return file


assert set(Settings._fields) == {key.replace("-", "_") for key in KEYS}
