"""Which of many files hold a word, looked for in their bytes. Each word is looked for once.

Looking through a whole tree takes as long as reading it, so that a word is looked for only in the files that hold a
part of it, where those are known.
"""

from __future__ import annotations

from collections.abc import Iterable


class Places:
    """Some files and the words that were looked for in them. size: of all files, in bytes."""

    def __init__(self) -> None:
        self.size = 0
        self._files: dict[str, bytes] = {}
        self._known: dict[str, frozenset[str]] = {}
        self._least: dict[str, int] = {}

    def add(self, path: str, data: bytes) -> None:
        """Take in a file, in place of the one of that path."""
        self.size += len(data) - len(self._files.get(path, b""))
        self._files[path] = data
        self._known.clear()
        self._least.clear()

    def of(self, word: str) -> frozenset[str]:
        """The paths of the files that hold `word`, be it as a part of a longer one."""
        found = self._known.get(word)
        if found is None:
            within = [paths for part, paths in self._known.items() if part in word]
            where = min(within, key=len) if within else self._files
            stem = word.encode()
            found = self._known[word] = frozenset(path for path in where if stem in self._files[path])
        return found

    def of_any(self, words: Iterable[str]) -> frozenset[str]:
        """The paths of the files that hold one of `words`."""
        return frozenset().union(*(self.of(word) for word in words))

    def within(self, word: str, paths: Iterable[str]) -> frozenset[str]:
        """Those of `paths` whose files hold `word`."""
        stem = word.encode()
        return frozenset(path for path in paths if stem in self._files[path])

    def more_than(self, count: int, word: str) -> bool:
        """Whether more than `count` files hold `word`; if so, not all of them are looked for."""
        if self._least.get(word, 0) > count:
            return True
        if word in self._known or any(part in word for part in self._known):
            return len(self.of(word)) > count
        stem = word.encode()
        found = []
        for path, data in self._files.items():
            if stem in data:
                found.append(path)
                if len(found) > count:
                    self._least[word] = len(found)
                    return True
        self._known[word] = frozenset(found)
        return False

    def prepare(self, words: Iterable[str], parts: Iterable[str]) -> None:
        """Before looking for `words`: those of `parts` that several of them share are looked for first."""
        new = [word for word in words if not any(known in word for known in self._known)]
        for part in sorted(parts):
            if sum(part in word for word in new) > 1:
                self.of(part)
