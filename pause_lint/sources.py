"""The files of a run as read: which of them are reported on, and which of them are parsed because they can matter.

Files of the tree that nobody asked about are kept beside those that are to be reported, for the effects of functions
cross files. As the vocabulary grows, more files and more of each file are parsed. Nothing here analyses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextlib import suppress as suppress_errors
from types import MappingProxyType

from pause_lint import suppress
from pause_lint.config import Options
from pause_lint.finding import Problem
from pause_lint.module import Module
from pause_lint.outline import Outline
from pause_lint.pairs import Vocabulary, plain_name, shortest
from pause_lint.places import Places
from pause_lint.tree import Source, Unparsable, decode, is_test, parse, read

MARK = "pause-lint:"
"""What a comment on a `def` that states its effect begins with."""

COMMON, COMMON_PLAIN = 40, 12
"""A word that stands in more files than this tells nothing by itself; one without an underscore sooner than another."""

GUESSES = 4
"""How many calls a guess at effects follows from one file of the vocabulary to another."""

GUESSING = 64_000_000
"""The bytes that may be looked through for guesses: a right one saves a look at what was parsed, a wrong one costs a
look at the whole tree.
"""

MEANT = 3
"""An import that more files than this answer to is not followed."""

PART = 5
"""A part of a name shorter than this is in every file."""

Words = Mapping[str, frozenset[str]]
"""Words, each with others of which one stands beside it wherever it matters."""

_NO_WORDS: Words = MappingProxyType({})

MOUNTING = frozenset({"include_router", "register_blueprint"})
"""How routers are put together."""


class File:
    """One file: its bytes, its outline if it was asked for, how it was parsed last and for which words.

    named: whether it was asked for by itself, not with a folder that it is in.
    """

    __slots__ = ("_outline", "data", "failed", "module", "named", "path", "reported", "words")

    def __init__(self, path: str, data: bytes, named: bool, reported: bool) -> None:
        self.path = path
        self.data = data
        self.named = named
        self.reported = reported
        self.module: Module | None = None
        self.words: frozenset[str] = frozenset()
        self.failed = False
        self._outline: Outline | None = None

    @property
    def text(self) -> str:
        """Its text. Raises Unparsable."""
        return self.outline.text

    @property
    def outline(self) -> Outline:
        """The outline of its text. Raises Unparsable."""
        if self._outline is None:
            self._outline = Outline(decode(self.data))
        return self._outline


Progress = Callable[[str], None]
"""Takes in a few words what is being done now. Called often, so it has to be quick."""


class Sources:
    """The files of a run.

    problems, notes: what became of those that could not be read or parsed, and of those left out. unheeded: the notes
    about paths that were named. progress: is told of each file that is read.
    """

    def __init__(self, options: Options, progress: Progress | None = None) -> None:
        self._progress = progress
        self._sides = vocabulary_sides(options)
        self._vocabulary = vocabulary_words(options)
        self._comments_count = suppress.INEFFECTIVE in options.select
        self._options = options
        self._files: dict[str, File] = {}
        self._parts = frozenset(part for word in self._vocabulary for part in word.split("_") if len(part) >= PART)
        self._places = Places()
        self._guessed = False
        self._is_served = False
        self._named: list[set[str]] = []
        self.problems: list[Problem] = []
        self.notes: list[str] = []
        self.unheeded: list[str] = []

    @property
    def count(self) -> int:
        """How many files are reported on."""
        return sum(file.reported for file in self._files.values())

    @property
    def data(self) -> list[bytes]:
        """Every file that was read, as it stands."""
        return [file.data for file in self._files.values()]

    def bytes_of(self, path: str) -> bytes:
        """A file that was read, as it stood then."""
        return self._files[path].data

    @property
    def reported(self) -> frozenset[str]:
        """The paths that are reported on."""
        return frozenset(file.path for file in self._files.values() if file.reported)

    def read_all(self, found: Iterable[Source], reported: bool) -> None:
        """Read files that were found; those that are there already stay as they are."""
        for source in found:
            if source.path in self._files:
                continue
            if not self._options.include_tests and is_test(source.inside):
                if reported:
                    self.leave_out(left_out(source.path), source.named)
                continue
            if self._progress is not None:
                self._progress(f"reading: {len(self._files)} files")
            try:
                data = read(source.location)
            except OSError as error:
                if reported:
                    self._miss(source, error)
                continue
            self.take(source.path, data, named=source.named, reported=reported)

    def leave_out(self, note: str, named: bool) -> None:
        """Keep in mind that a path was left out. named: whether it was asked for by itself."""
        self.notes.append(note)
        if named:
            self.unheeded.append(note)

    def take(self, path: str, data: bytes, named: bool, reported: bool) -> None:
        """Take in one file. One that is `named` and does not parse is a problem, whatever is in it."""
        file = self._files[path] = File(path, data, named, reported)
        self._places.add(path, data)
        self._guessed = False
        if named and reported:
            with self._failing(file):
                parse(path, data)

    def modules(self, words: Words = _NO_WORDS, imports: frozenset[tuple[str, str]] = frozenset()) -> list[Module]:
        """The modules that hold a word of the vocabulary, one of `words` or the name of a function that is likely to
        have an effect, and those that `imports` mean, in the order of their paths.

        words: each with others, of which one must stand beside it if it is too common to tell anything by itself.
        imports: the path of a file and the name of a module, as it is written there.
        """
        names = {word for word in words.keys() | self._names() if self._may_tell(word)}
        self._places.prepare(names, self._parts)
        followed = {word: self._places.of(word) for word in self._vocabulary}
        followed.update((word, self._matters_in(word, words)) for word in names)
        by_path: dict[str, set[str]] = {path: set() for one in imports for path in self._meant(*one)}
        for word, paths in followed.items():
            for path in paths:
                by_path.setdefault(path, set()).add(word)
        found = []
        for path in sorted(by_path):
            module = self._parsed(self._files[path], frozenset(by_path[path]))
            if module is not None:
                found.append(module)
        return found

    def _matters_in(self, word: str, words: Words) -> frozenset[str]:
        """The files in which a word is to be followed."""
        if self._is_telling(word):
            return self._places.of(word)
        beside = words.get(word)
        if not beside:
            return frozenset()
        near = [other for other in beside if self._is_telling(other)]
        found = self._places.within(word, self._places.of_any(near))
        if len(near) == len(beside) and len(found) <= COMMON:
            return found
        note = f"the name `{word}` stands in too many files to be followed through the tree"
        if note not in self.notes:
            self.notes.append(note)
        return found if len(found) <= COMMON else frozenset()

    def _names(self) -> frozenset[str]:
        """The names of functions that are likely to have an effect, and how routers are put together if they serve
        routes: what the analysis would ask for next. With them a second look is seldom needed.
        """
        if not self._guessed:
            self._guess()
        return frozenset().union(*self._named) | (MOUNTING if self._is_served else frozenset())

    def _guess(self) -> None:
        self._guessed = True
        self._named = [set() for _ in self._sides]
        self._places.prepare(self._vocabulary, self._parts)
        paths = self._places.of_any(self._vocabulary)
        todo = sorted(paths)
        for _ in range(GUESSES):
            new: list[set[str]] = [set() for _ in self._sides]
            origins: dict[str, set[str]] = {}
            for path in todo:
                with suppress_errors(Unparsable):
                    found, is_served = self._files[path].outline.one_sided(self._sides, self._named_in(path))
                    self._is_served = self._is_served or is_served
                    for names, own in zip(new, found, strict=True):
                        names |= own
                        for name in own:
                            origins.setdefault(name, set()).add(path)
            for names, known in zip(new, self._named, strict=True):
                names -= known
            words = {word for word in set().union(*new) if self._may_tell(word)}
            if not words or len(words) * self._places.size > GUESSING:
                break
            self._places.prepare(words, self._parts)
            telling = {word for word in words if self._is_telling(word)}
            for names, known in zip(new, self._named, strict=True):
                known |= names & telling
            # Where a name comes from, what it stands for has been followed already.
            reached = frozenset().union(*(self._places.of(name) - origins[name] for name in telling))
            todo = sorted(reached & paths)

    def _named_in(self, path: str) -> tuple[frozenset[str], ...]:
        """Of each side the names found so far that stand in a file."""
        return tuple(frozenset(name for name in names if path in self._places.of(name)) for names in self._named)

    def _meant(self, path: str, dotted: str) -> list[str]:
        """The files that an import of the module `dotted` in the file at `path` can mean; none if that is unclear."""
        plain = dotted.lstrip(".")
        levels = len(dotted) - len(plain)
        folder = path
        for _ in range(levels):
            folder = folder.rpartition("/")[0]
        stem = plain.replace(".", "/")
        if levels:
            stem = "/".join(part for part in (folder, stem) if part)
            return [found for found in (f"{stem}.py", f"{stem}/__init__.py") if found in self._files]
        ends = (f"/{stem}.py", f"/{stem}/__init__.py")
        found = [other for other in self._files if f"/{other}".endswith(ends)]
        return found if len(found) <= MEANT else []

    def _may_tell(self, word: str) -> bool:
        """Whether a word may be worth looking for: not one of the vocabulary, which is looked for anyway."""
        plain = plain_name(word)
        return not word.startswith("__") and not any(plain in side for side in self._sides)

    def _is_telling(self, word: str) -> bool:
        return not self._places.more_than(COMMON if "_" in word else COMMON_PLAIN, word)

    def parsed(self) -> list[Module]:
        """Every module parsed so far, in the order of their paths."""
        return [file.module for _, file in sorted(self._files.items()) if file.module is not None]

    def texts(self) -> dict[str, str]:
        """The text of every file that can be decoded, with `\\n` line endings."""
        found = {}
        for path, file in self._files.items():
            with suppress_errors(Unparsable):
                text = decode(file.data)
                found[path] = text.replace("\r\n", "\n").replace("\r", "\n")
        return found

    def _parsed(self, file: File, words: frozenset[str]) -> Module | None:
        if file.failed:
            return None
        module = file.module
        if module is not None and (
            module.outline is None or words <= file.words or self._outlined(file, words) == module.outline
        ):
            file.words |= words
            return module
        with self._failing(file):
            file.module = parse(file.path, file.data, self._outlined(file, words), file.text)
            file.words = words
        return file.module

    def _outlined(self, file: File, words: frozenset[str]) -> str:
        names = words - self._vocabulary
        return file.outline.without(words & self._vocabulary, names, self._sides, self._named_in(file.path))

    def comments(self) -> list[tuple[str, str]]:
        """Path and text of the files reported on that were not parsed but hold comments meant for us."""
        found = []
        for file in self._files.values():
            if not (self._comments_count and file.reported and file.module is None and not file.failed):
                continue
            if file.named or suppress.mentions_us(file.data):
                try:
                    found.append((file.path, decode(file.data)))
                except Unparsable as error:
                    self.problems.append(Problem(file.path, error.line, error.message))
        return found

    @contextmanager
    def _failing(self, file: File) -> Iterator[None]:
        """What the block does with a file that does not parse ends there, and is a problem if it is reported on."""
        try:
            yield
        except Unparsable as error:
            file.failed = True
            if file.reported:
                self.problems.append(Problem(file.path, error.line, error.message))

    def _miss(self, source: Source, error: OSError) -> None:
        if isinstance(error, FileNotFoundError) and not source.named:
            self.notes.append(f"{source.path}: went away before it was read")
            return
        remedy = ": make it readable (`chmod u+r`), or exclude it" if isinstance(error, PermissionError) else ""
        self.problems.append(Problem(source.path, 0, f"cannot be read: {error.strerror or error}{remedy}"))


def vocabulary_words(options: Options) -> frozenset[str]:
    """The words one of which a file must hold to matter by itself."""
    return frozenset(shortest({*(word for side in vocabulary_sides(options) for word in side), MARK}))


def vocabulary_sides(options: Options) -> tuple[frozenset[str], frozenset[str]]:
    """The names that pause, and those that resume, with what the configuration says of code elsewhere."""
    vocabulary = Vocabulary.of(options.pairs)
    pausing, resuming = ((name.rpartition(".")[2] for name in names) for names in (options.pauses, options.resumes))
    return frozenset(shortest((*vocabulary.pausing, *pausing))), frozenset(shortest((*vocabulary.resuming, *resuming)))


def left_out(path: str) -> str:
    """The note that a test file was left out."""
    return f"{path}: left out as a test (--include-tests takes it in)"


def left_out_folder(path: str) -> str:
    """The note that a folder holds nothing but test files, which were left out."""
    return f"{path}: nothing but tests is in this folder, left out (--include-tests takes them in)"


def excluded(path: str, pattern: str) -> str:
    """The note that a path was left out although it was named, because of a pattern in the configuration."""
    return f"{path}: excluded by {pattern!r} (--force-exclude)"
