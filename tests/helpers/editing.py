"""A tree of functions that can leave generation paused, edited at random; and what is known of each function.

The tree is kept as plain data and rendered to text, so that a test knows of every function what a tool has to find out
from the text: which of them say the same, which are faulty, and where they stand.
"""

from __future__ import annotations

import random
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

_CALLS = ("load(path, {said})", "sync({said})", "fetch(path)[{said}].wait()")


@dataclass(slots=True)
class Function:
    """One function.

    name: unique in its file. said: a number that stands for what it says, its name apart. wrapped: whether it is spread
    over more lines. remarks: how many comments are in it.
    """

    name: str
    said: int
    faulty: bool = True
    wrapped: bool = False
    remarks: int = 0

    def text(self) -> str:
        """Its source. All of them pause alike: only what is around the pause tells them apart."""
        call = f"engine.{_CALLS[self.said % len(_CALLS)].format(said=self.said)}"
        remarks = "".join(f"# remark {number}\n" for number in range(self.remarks))
        wrapped = call.replace("(", "(\n    ", 1).replace(")", ",\n)", 1) if self.wrapped else call
        resume = "" if self.said % 4 == 3 and self.faulty else "engine.continue_generation()\n"
        if self.faulty:
            body = f"{remarks}engine.pause_generation()\n{wrapped}\n{resume}"
        else:
            indented = textwrap.indent(wrapped, "    ")
            body = f"{remarks}engine.pause_generation()\ntry:\n{indented}\nfinally:\n    {resume}"
        return f"def {self.name}(engine, path):\n{textwrap.indent(body, '    ')}"


@dataclass(slots=True)
class File:
    """One file. above: how many lines stand above its functions. inside: whether they stand in a class."""

    functions: list[Function] = field(default_factory=list)
    above: int = 0

    def text(self) -> str:
        """Its source."""
        parts = ["".join(f"LINE_{number} = {number}\n" for number in range(self.above))]
        return "\n\n".join([*parts, *(function.text() for function in self.functions)])


class Tree:
    """Files by name, and the edits that people make to them."""

    def __init__(self, seed: int, files: int = 5, functions: int = 4) -> None:
        """A tree of so many files with so many faulty functions each; all that is done to it follows from `seed`."""
        self._random = random.Random(seed)
        self._numbers = iter(range(1_000_000))
        self.files = {self._new_file(): File() for _ in range(files)}
        for file in self.files.values():
            file.functions += [self._new_function() for _ in range(functions)]

    def write(self, folder: Path) -> None:
        """Write the files to a folder, and remove those that are no longer there."""
        for path in folder.glob("*.py"):
            if path.name not in self.files:
                path.unlink()
        for name, file in self.files.items():
            (folder / name).write_text(file.text(), encoding="utf-8")

    def faulty(self) -> dict[tuple[str, str], int]:
        """What every faulty function says, by its file and name."""
        return {
            (name, function.name): function.said
            for name, file in self.files.items()
            for function in file.functions
            if function.faulty
        }

    def edit(self) -> str:
        """Make one edit; which one was made."""
        edits = [self.insert_above, self.move, self.rename, self.copy, self.fix, self.add]
        edits += [self.reformat, self.remark, self.reorder, self.change, self.rename_file, self.delete]
        chosen = self._random.choice(edits)
        chosen()
        return chosen.__name__

    def insert_above(self) -> None:
        """Insert lines above the functions of a file."""
        self._file().above += self._random.randint(1, 40)

    def move(self) -> None:
        """Move a function to another file."""
        if (found := self._pick()) is not None:
            source, function = found
            source.functions.remove(function)
            self._insert(function)

    def rename(self) -> None:
        """Rename a function."""
        if (found := self._pick()) is not None:
            found[1].name = self._name()

    def copy(self) -> None:
        """Copy a function to any file, under a name of its own."""
        if (found := self._pick()) is not None:
            one = found[1]
            self._insert(Function(self._name(), one.said, one.faulty, one.wrapped, one.remarks))

    def fix(self) -> None:
        """Fix a function."""
        if (found := self._pick()) is not None:
            found[1].faulty = False

    def add(self) -> None:
        """Add a faulty function that says what no other does."""
        self._insert(self._new_function())

    def reformat(self) -> None:
        """Wrap the lines of a function, or take the wraps out."""
        if (found := self._pick()) is not None:
            found[1].wrapped = not found[1].wrapped

    def remark(self) -> None:
        """Write comments into a function."""
        if (found := self._pick()) is not None:
            found[1].remarks += 1

    def reorder(self) -> None:
        """Put the functions of a file in another order."""
        self._random.shuffle(self._file().functions)

    def change(self) -> None:
        """Change what a function says, but not the kind of its fault."""
        if (found := self._pick()) is not None:
            kind = found[1].said % 4 == 3
            found[1].said = next(number for number in self._numbers if (number % 4 == 3) == kind)

    def rename_file(self) -> None:
        """Rename a file."""
        name = self._random.choice(sorted(self.files))
        self.files[self._new_file()] = self.files.pop(name)

    def delete(self) -> None:
        """Delete a function."""
        if (found := self._pick()) is not None:
            found[0].functions.remove(found[1])

    def _file(self) -> File:
        return self.files[self._random.choice(sorted(self.files))]

    def _pick(self) -> tuple[File, Function] | None:
        """A faulty function, and the file that it is in."""
        found = [
            (file, function) for _, file in sorted(self.files.items()) for function in file.functions if function.faulty
        ]
        return self._random.choice(found) if found else None

    def _insert(self, function: Function) -> None:
        functions = self._file().functions
        functions.insert(self._random.randint(0, len(functions)), function)

    def _new_function(self) -> Function:
        return Function(self._name(), next(self._numbers))

    def _name(self) -> str:
        return f"update_{next(self._numbers)}"

    def _new_file(self) -> str:
        return f"module_{next(self._numbers)}.py"
