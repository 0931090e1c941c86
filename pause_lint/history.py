"""What was changed in a work tree since a revision, as git tells.

What counts is the work tree, as it is on disk, against the point where its history parted from that of the revision
(`git merge-base`): what happened on the other branch since then is nobody's change here, be it merged or not. A file
that was renamed keeps its unchanged lines; one that git does not know is new as a whole; a repository within the
repository is new as a whole if the commit that it stands at has changed.

git is asked through its command, with settings of its own, whatever the user has configured. What the repository's own
configuration and attributes name as a command is not run: no hook, monitor, filter or conversion, and nothing is
fetched (gitattributes(5), git-config(1)). Nothing is written, and nothing is known here of findings. Lines count from
1, as Python counts them.
"""

from __future__ import annotations

import os
import re
import subprocess
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pause_lint.config import ConfigError, nearest

_SUBMODULE = b"160000"
_HUNK = re.compile(rb"@@ -\d+(?:,(?P<removed>\d+))? \+(?P<start>\d+)(?:,(?P<added>\d+))? @@")
_QUOTED = re.compile(rb'\\([abfnrtv"\\]|[0-7]{3})')
_ESCAPES = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_END = re.compile(rb"\r\n?|\n")
# Commands that git would run of itself. A repository within the analysed tree that only looks like one is none.
_QUIET = (
    *("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "safe.bareRepository=explicit"),
    *("-c", "core.quotePath=false"),
)
_OFF = {"clean": "", "smudge": "", "process": "", "required": "false"}
_DIFF = (
    *("diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative"),
    *("--submodule=short", "--ignore-submodules=dirty", "--diff-algorithm=histogram", "--find-renames", "-l0"),
    "--indent-heuristic",
    *("--unified=0", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/"),
)
# A partial clone would fetch what it lacks, by commands that its configuration names.
_OFFLINE = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
# What a hook of git leaves behind names a repository, and an index, of its own.
_OF_HOOKS = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR"})


class Hunk(NamedTuple):
    """A place of change: the lines from `start` up to, not including, `stop`, as they are now; and those before.

    Where lines were only taken away, `start` and `stop` are both the line that now stands behind them.
    """

    start: int
    stop: int
    removed: tuple[str, ...]


Hunks = tuple[Hunk, ...] | None
"""The changes of one file, in order; None if it is new as a whole."""


class Changes(NamedTuple):
    """What was changed in a work tree. Paths are those in the repository, with `/`.

    files: the files with changes. known: those that git keeps track of. submodules: folders that are repositories of
    their own.
    """

    files: dict[str, Hunks]
    known: frozenset[str]
    submodules: frozenset[str]

    def of(self, path: str) -> Hunks:
        """What was changed in a file; nothing in one outside the repository."""
        if path in self.files or path in self.known or path.startswith("../") or os.path.isabs(path):
            return self.files.get(path, ())
        parts = path.split("/")
        for length in range(1, len(parts)):
            folder = "/".join(parts[:length])
            if folder in self.submodules:
                return None if folder in self.files else ()
        return None


class Repository:
    """A work tree of git."""

    def __init__(self, top: str) -> None:
        """top: its topmost folder."""
        self._top = os.path.realpath(top)

    @classmethod
    def of(cls, paths: Sequence[str]) -> Repository:
        """The repository that all of `paths` lie in. Raises ConfigError."""
        tops: dict[str, str] = {}
        for path in paths:
            folder = os.path.realpath(path)
            while not os.path.isdir(folder):
                folder = os.path.dirname(folder)
            if folder not in tops:
                tops[folder] = _top(folder, path)
        found = sorted(set(tops.values()))
        if len(found) > 1:
            raise _wrong(f"{found[0]} and {found[1]} are two repositories: check one at a time")
        return cls(found[0])

    def inside(self, path: str) -> str:
        """Where a file is in the repository, with `/`; it begins with `../`, or is absolute, if it is elsewhere."""
        try:
            return os.path.relpath(os.path.realpath(path), self._top).replace(os.sep, "/")
        except ValueError:  # another drive
            return os.path.abspath(path)

    def changes(self, revision: str) -> Changes:
        """What was changed in the work tree since its history parted from that of `revision`. Raises ConfigError."""
        base = self._base(revision)
        files = read_diff(self._diff(revision, base))
        for path, hunks in files.items():
            if hunks and b"\r" in (data := self._bytes(path)):
                files[path] = recounted(hunks, data)
        known, submodules = self._known()
        return Changes(files, known, submodules)

    def _base(self, revision: str) -> str:
        """The commit at which the two histories parted."""
        remedy = (
            "this clone is shallow: `git fetch --unshallow` (in a workflow: `fetch-depth: 0`) brings all of its history"
        )
        commit = self._ask("rev-parse", "--verify", "--quiet", revision + "^{commit}") if revision[:1] != "-" else None
        if commit is None:
            if self._is_shallow():
                raise _wrong(f"unknown revision {revision!r}; {remedy}")
            names = (
                self._ask("for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes", "refs/tags") or ""
            )
            raise _wrong(
                f"unknown revision {revision!r}{nearest(revision, names.split())} "
                "(what is only in another clone has to be fetched first: `git fetch`)"
            )
        base = self._ask("merge-base", commit, "HEAD")
        if base is None:
            if self._is_shallow():
                raise _wrong(f"{revision!r} and HEAD have no history in common here; {remedy}")
            raise _wrong(f"{revision!r} and HEAD have no history in common; name a revision that this one comes from")
        return base

    def _without_filters(self) -> dict[str, str]:
        """Settings that turn off the filters that git has been told of: commands, each under a name of its own."""
        keys = _run(self._top, ("config", "--null", "--name-only", "--get-regexp", r"^filter\.")).stdout.split(b"\0")
        filters = sorted({os.fsdecode(key.rpartition(b".")[0]) for key in keys if key})
        return {f"{name}.{key}": value for name in filters for key, value in _OFF.items()}

    def _known(self) -> tuple[frozenset[str], frozenset[str]]:
        """The files that git keeps track of, and the folders that are repositories of their own."""
        files: set[str] = set()
        submodules: set[str] = set()
        for entry in self._git("ls-files", "-z", "--stage").split(b"\0"):
            mode, _, path = entry.partition(b"\t")
            if path:
                (submodules if mode.startswith(_SUBMODULE) else files).add(os.fsdecode(path))
        return frozenset(files), frozenset(submodules)

    def _bytes(self, path: str) -> bytes:
        try:
            with open(os.path.join(self._top, path), "rb") as file:
                return file.read()
        except OSError:
            return b""

    def _is_shallow(self) -> bool:
        return self._ask("rev-parse", "--is-shallow-repository") == "true"

    def _ask(self, *arguments: str) -> str | None:
        """What git answers; None if it has no answer."""
        done = _run(self._top, arguments)
        return done.stdout.decode(errors="replace").strip() if done.returncode == 0 else None

    def _diff(self, revision: str, base: str) -> bytes:
        done = _run(self._top, (*_DIFF, base, "--"), self._without_filters())
        if done.returncode != 0:
            remedy = (
                f"; `git diff --stat {revision}` brings what this partial clone lacks" if self._is_partial() else ""
            )
            raise _wrong(f"git: {_said(done)}{remedy}")
        return done.stdout

    def _git(self, *arguments: str) -> bytes:
        done = _run(self._top, arguments)
        if done.returncode != 0:
            raise _wrong(f"git: {_said(done)}")
        return done.stdout

    def _is_partial(self) -> bool:
        """Whether this clone fetches objects only when they are asked for."""
        return self._ask("config", "--get-regexp", r"^(extensions\.partialClone|remote\..*\.promisor)$") is not None


def read_diff(diff: bytes) -> dict[str, Hunks]:
    """The changes in a diff of git without context, by the path that each file has now."""
    found: dict[str, Hunks] = {}
    lines = diff.split(b"\n")
    path: str | None = None
    old_is_missing = False
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith(b"diff --git "):
            path, old_is_missing = None, False
        elif line.startswith(b"new file mode"):
            old_is_missing = True
        elif line.startswith((b"+++ ", b"Binary files ")):
            path = _path(line)
            if path is not None:
                # What git takes for binary it does not show line by line.
                found[path] = None if old_is_missing or line.startswith(b"B") else ()
        elif (match := _HUNK.match(line)) is not None:
            removed, added = (1 if match[name] is None else int(match[name]) for name in ("removed", "added"))
            body: list[bytes] = []
            # Its lines are counted, for they may look like anything.
            while removed + added > len(body):
                if not lines[at].startswith(b"\\"):
                    body.append(lines[at])
                at += 1
            if path is None or found[path] is None:
                continue
            start = int(match["start"]) + (0 if added else 1)
            texts = tuple(text[1:].decode(errors="replace") for text in body[: len(body) - added])
            found[path] = (*(found[path] or ()), Hunk(start, start + added, texts))
    return found


def _path(line: bytes) -> str | None:
    """The path that a line of a diff's header gives for the file as it is now; None for a file that is gone."""
    if line.startswith(b"Binary files "):
        name = line.removesuffix(b" differ").rpartition(b" and ")[2]
    else:
        name = line.removeprefix(b"+++ ").removesuffix(b"\t")
    if name.startswith(b'"'):
        name = _QUOTED.sub(
            lambda match: _ESCAPES.get(match[1]) or (bytes([int(match[1], 8)]) if match[1].isdigit() else match[1]),
            name[1:-1],
        )
    return os.fsdecode(name.removeprefix(b"b/")) if name != b"/dev/null" else None


def recounted(hunks: Sequence[Hunk], data: bytes) -> tuple[Hunk, ...]:
    """The hunks of a file that holds `data`, with lines as Python counts them: for git, a `\\r` alone ends none."""
    ends = [match.end() for match in _END.finditer(data)]
    starts = [0]
    while (place := data.find(b"\n", starts[-1])) >= 0:
        starts.append(place + 1)

    def line(number: int) -> int:
        # The beginning of that line of git's; how many lines of Python's end before it.
        return bisect_left(ends, starts[number - 1] + 1) + 1 if number <= len(starts) else len(ends) + 2

    return tuple(Hunk(line(hunk.start), line(hunk.stop), hunk.removed) for hunk in hunks)


def _top(folder: str, path: str) -> str:
    """The topmost folder of the work tree that `folder` is in. path: as the user named it."""
    done = _run(folder, ("rev-parse", "--show-toplevel"))
    if done.returncode == 0:
        return os.path.realpath(os.fsdecode(done.stdout.removesuffix(b"\n")))
    said = _said(done)
    if "not a git repository" in said:
        raise _wrong(f"{path} is in no git repository; name what is in one, or compare with a baseline (--baseline)")
    raise _wrong(f"git: {said}")


def _run(
    folder: str, arguments: Sequence[str], settings: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Runs git in a folder, with settings besides ours. Raises ConfigError if there is no git."""
    environment = {name: value for name, value in os.environ.items() if name not in _OF_HOOKS}
    environment.update({"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", **_OFFLINE})
    if settings:
        # Not with `-c`, for the name of a setting may hold a `=`.
        first = int(environment.get("GIT_CONFIG_COUNT") or "0")
        environment["GIT_CONFIG_COUNT"] = str(first + len(settings))
        for number, (key, value) in enumerate(settings.items(), first):
            environment.update({f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value})
    try:
        return subprocess.run(
            ["git", "-C", folder, *_QUIET, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            env=environment,
        )
    except FileNotFoundError:
        raise _wrong("git is not installed, or not on the PATH; install it, or compare with a baseline") from None
    except OSError as error:
        raise _wrong(f"git cannot be run: {error.strerror or error}") from None


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    """What git says is wrong, on one line."""
    return " ".join(done.stderr.decode(errors="replace").split()) or f"ended with {done.returncode}"


def _wrong(message: str) -> ConfigError:
    return ConfigError(f"pause-lint check: error: argument --diff-base: {message}")
