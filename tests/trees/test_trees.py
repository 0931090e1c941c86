"""Pauses hidden in callees and behind requests: every tree of the pages beside this file, through every front end."""

from __future__ import annotations

import ast
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from pause_lint.check import check_paths
from pause_lint.config import Options, Settings, load, resolve
from pause_lint.finding import Finding
from pause_lint.fixing.forecast import forecast
from pause_lint.fixing.run import fix_paths
from pause_lint.fixing.spellings import Spellings
from pause_lint.flake8_plugin import Checker
from pause_lint.outline import SMALL
from pause_lint.pairs import Vocabulary
from tests.helpers.commands import flake8
from tests.trees.reading import Tree, trees

TREES = trees()
FOUND_BY_FLAKE8 = re.compile(r"\./(?P<tree>\d+)/(?P<path>.+?):(?P<line>\d+):\d+: (?P<code>PR\d+) .*")
UNRELATED = "".join(f"\n\ndef unrelated_{number}(values):\n    return sorted(values)\n" for number in range(150))


def parameters(*failing: str, only: Callable[[Tree], object] = bool) -> Sequence[object]:
    """The trees for which `only` holds, as parameters; those with a remark on what is tested must fail."""
    chosen = []
    for tree in TREES:
        if only(tree):
            reasons = [tree.remarks[about] for about in failing if about in tree.remarks]
            marks = [pytest.mark.xfail(strict=True, reason=reasons[0])] if reasons else []
            chosen.append(pytest.param(tree, id=f"{tree.page}: {tree.title}", marks=marks))
    return chosen


def options_of(root: Path) -> Options:
    """The options that the project in `root` is checked with."""
    return resolve(load([str(root)]), Settings())


def found(paths: Sequence[Path], options: Options) -> list[Finding]:
    """What is found under `paths`."""
    report = check_paths([str(path) for path in paths], options)
    assert not report.problems
    return list(report.findings)


def places(findings: Sequence[Finding], root: Path) -> list[tuple[str, int, str]]:
    """Path inside the tree, line and code of each finding."""
    return [(inside(one.path, root), one.span.line, one.code) for one in findings]


def witness_of(finding: Finding, root: Path) -> list[tuple[str, int, str]]:
    """Path inside the tree, line and message of each step."""
    return [(inside(step.path, root), step.line, step.message) for step in finding.witness]


def inside(path: str, root: Path) -> str:
    """A path as reports show it, as one inside the tree."""
    return os.path.relpath(os.path.realpath(path), os.path.realpath(root)).replace(os.sep, "/")


def reported_by_plugin(tree: Tree, options: Options, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, str]]:
    """Path, line and code of what the plugin reports in the files of a tree, which is the current folder."""
    monkeypatch.setattr(Checker, "options", options)
    monkeypatch.setattr(Checker, "stems", Vocabulary.of(options.pairs).words)
    reported = []
    for path in tree.sources:
        text = tree.files[path]
        checker = Checker(ast.parse(text), f"./{path}", text.splitlines(keepends=True))
        reported += [(path, line, message.partition(" ")[0]) for line, _, message, _ in checker.run()]
    return sorted(reported)


def test_there_are_enough_and_at_least_half_are_clean() -> None:
    assert len(TREES) >= 50
    assert sum(not tree.expected for tree in TREES) * 2 >= len(TREES)
    assert sum(bool(tree.witness) for tree in TREES) >= 10


@pytest.mark.parametrize("tree", parameters("Wrong", "Lost"))
def test_what_is_reported(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree.write(tmp_path))
    assert places(found([Path(".")], options_of(tmp_path)), tmp_path) == tree.expected


@pytest.mark.parametrize("tree", parameters("Order", "Lost"))
def test_order_does_not_matter(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor from where it is called, nor whether all of the files are named."""
    root = tree.write(tmp_path / "project")
    options = options_of(root)
    files = [root / path for path in tree.sources]
    monkeypatch.chdir(root)
    whole = found([Path(".")], options)
    shown = [(*place, witness_of(finding, root)) for place, finding in zip(places(whole, root), whole, strict=True)]

    for given in (files, files[::-1], [*files[1:], files[0]], [Path(path) for path in reversed(tree.sources)]):
        assert found(given, options) == whole
    elsewhere = tmp_path / "some" / "where"
    elsewhere.mkdir(parents=True)
    for folder in (elsewhere, tmp_path, root.joinpath(tree.sources[-1]).parent):
        monkeypatch.chdir(folder)
        again = found([root], options)
        assert [
            (*place, witness_of(finding, root)) for place, finding in zip(places(again, root), again, strict=True)
        ] == shown

    monkeypatch.chdir(root)
    for named in [*([path] for path in tree.sources), tree.sources[1:]]:
        part = [finding for finding in whole if finding.path in named]
        assert found([Path(path) for path in named], options) == part


@pytest.mark.parametrize("tree", parameters("Wrong", "Lost", "Large"))
def test_the_size_of_files_does_not_matter(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a large file only the functions are parsed in which something can matter."""
    monkeypatch.chdir(tree.write(tmp_path))
    for path in tree.sources:
        with open(path, "a", encoding="utf-8") as file:
            file.write(UNRELATED)
    assert (tmp_path / tree.sources[0]).stat().st_size > SMALL
    assert places(found([Path(".")], options_of(tmp_path)), tmp_path) == tree.expected


@pytest.mark.parametrize("tree", parameters("Wrong", "Lost", "Witness", only=lambda tree: tree.witness))
def test_the_witness(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree.write(tmp_path))
    (finding,) = found([Path(".")], options_of(tmp_path))
    assert [(step.path, step.line) for step in finding.witness] == tree.witness


@pytest.mark.parametrize("tree", parameters("Wrong", "Lost", "Unfixed", only=lambda tree: tree.expected))
def test_a_fix_cures_it(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree.write(tmp_path))
    options = options_of(tmp_path)
    assert places(found([Path(".")], options), tmp_path) == tree.expected
    first = fix_paths(["."], options, unsafe=True, write=True)
    assert not first.report.problems
    for change in first.changes:
        compile(change.new, change.path, "exec")
    left = found([Path(".")], options)
    assert left == [finding for finding, _ in first.unfixed]
    assert bool(left) is ("Unfixable" in tree.remarks)
    assert fix_paths(["."], options, unsafe=True, write=True).changes == ()


@pytest.mark.parametrize("tree", parameters("Unforetold", only=lambda tree: tree.expected))
def test_check_foretells_what_fix_does(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree.write(tmp_path))
    options, spellings = options_of(tmp_path), Spellings()
    report = check_paths(["."], options, lambda case: forecast(case, spellings))
    foretold = Counter(finding.fix for finding in report.findings)
    assert len(fix_paths(["."], options, unsafe=False, write=False).fixed) == foretold["safe"]
    every = fix_paths(["."], options, unsafe=True, write=False).fixed
    assert len(every) == foretold["safe"] + foretold["unsafe"]


@pytest.mark.parametrize("tree", parameters())
def test_a_fix_leaves_alone_what_is_clean(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files without a finding stay as they are, those that the witnesses pass through included."""
    monkeypatch.chdir(tree.write(tmp_path))
    options = options_of(tmp_path)
    faulty = {finding.path for finding in found([Path(".")], options)}
    fix_paths(["."], options, unsafe=True, write=True)
    for path in set(tree.sources) - faulty:
        assert (tmp_path / path).read_text(encoding="utf-8") == tree.files[path]


@pytest.mark.parametrize("tree", parameters("Wrong", "Lost", "Flake8"))
def test_the_same_through_the_flake8_plugin(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree.write(tmp_path))
    assert reported_by_plugin(tree, options_of(tmp_path), monkeypatch) == tree.expected


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_same_through_flake8_itself(workers: str, tmp_path: Path) -> None:
    """All trees at once, each a project of its own; flake8 takes its configuration from where it is run."""
    expected: set[tuple[str, int, str]] = set()
    for number, tree in enumerate(TREES):
        if "pyproject.toml" not in tree.files and not {"Wrong", "Lost", "Flake8"} & tree.remarks.keys():
            tree.write(tmp_path / str(number))
            expected |= {(f"{number}/{path}", line, code) for path, line, code in tree.expected}
    done = flake8("--select", "PR", "-j", workers, ".", cwd=tmp_path)
    assert done.err == ""
    matches = [FOUND_BY_FLAKE8.fullmatch(line) for line in done.out.splitlines()]
    reported = {(f"{one['tree']}/{one['path']}", int(one["line"]), one["code"]) for one in matches if one}
    assert len(matches) == len(reported)
    assert reported == expected


def test_one_file_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the project, a helper of a file that was not named is a call like any other."""
    (tree,) = (tree for tree in TREES if tree.title == "A helper of which one caller resumes in a straight line")
    monkeypatch.chdir(tree.write(tmp_path))
    options = options_of(tmp_path)
    alone = options._replace(no_project=True)
    assert tree.expected == [("memory.py", 5, "PR001")]
    assert places(found([Path("memory.py")], options), tmp_path) == tree.expected
    assert places(found([Path("memory.py")], alone), tmp_path) == []
    assert places(found([Path("control.py"), Path("memory.py")], alone), tmp_path) == tree.expected
    # By itself, the helper is one that nobody undoes.
    assert reported_by_plugin(tree, alone, monkeypatch) == [("control.py", 2, "PR001")]


COMMON_NAME = {
    "recover.py": """\
class RecoverHandler:
    def load(self, engine):
        engine.pause_generation()
""",
    "control.py": """\
from recover import RecoverHandler


class Control:
    def __init__(self, engine):
        self.engine = engine
        self.handler = RecoverHandler()

    def restart_all(self):
        self.handler.load(self.engine)
""",
    "trainer.py": """\
from control import Control


def update(engine):
    control = Control(engine)
    control.restart_all()  # PR001
    warm_up()
    control.engine.continue_generation()
""",
    **{f"data/part_{number}.py": "class Reader:\n    def load(self):\n        return 1\n" for number in range(80)},
}


@pytest.mark.parametrize("beside, followed", [("pass", True), ("from recover import RecoverHandler", False)])
def test_a_name_that_is_in_many_files(
    beside: str, followed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is followed where the name of its class stands too, unless that is in many files as well: then nowhere, be a
    file named by itself or not.
    """
    files = {path: f"{text}{beside}\n" if path.startswith("data/") else text for path, text in COMMON_NAME.items()}
    tree = Tree("", "", files, {})
    monkeypatch.chdir(tree.write(tmp_path))
    options = options_of(tmp_path)
    report = check_paths(["."], options)
    whole = list(report.findings)
    assert places(whole, tmp_path) == tree.expected or not followed
    said = "the name `load` stands in too many files to be followed through the tree"
    assert (said in report.notes) is not followed
    for named in (["trainer.py"], ["trainer.py", "control.py"], ["recover.py"]):
        part = [finding for finding in whole if finding.path in named]
        assert found([Path(path) for path in named], options) == part
