"""Pauses hidden in callees and behind requests: every tree of the pages beside this file, through every front end."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from pause_lint.check import check_paths
from pause_lint.config import Options, Settings, load, resolve
from pause_lint.finding import Finding
from pause_lint.fixing.run import fix_paths
from pause_lint.flake8_plugin import COMMAND_LINE_ONLY, Checker
from pause_lint.pairs import Vocabulary
from tests.helpers.commands import flake8
from tests.trees.reading import Tree, trees

TREES = trees()
FOUND_BY_FLAKE8 = re.compile(r"\./(?P<tree>\d+)/(?P<path>.+?):(?P<line>\d+):\d+: (?P<code>PR\d+) .*")


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


def found(paths: Sequence[Path], root: Path, options: Options) -> list[Finding]:
    """What is found under `paths`."""
    report = check_paths([str(path) for path in paths], options)
    assert not report.problems
    return list(report.findings)


def places(findings: Sequence[Finding], root: Path) -> list[tuple[str, int, str]]:
    """Path inside the tree, line and code of each finding."""
    return [(inside(one.path, root), one.span.line, one.code) for one in findings]


def inside(path: str, root: Path) -> str:
    """A path as reports show it, as one inside the tree."""
    return os.path.relpath(os.path.realpath(path), os.path.realpath(root)).replace(os.sep, "/")


def test_there_are_enough_and_at_least_half_are_clean() -> None:
    assert len(TREES) >= 50
    assert sum(not tree.expected for tree in TREES) * 2 >= len(TREES)
    assert sum(bool(tree.witness) for tree in TREES) >= 10


@pytest.mark.parametrize("tree", parameters("Wrong"))
def test_what_is_reported(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree.write(tmp_path))
    assert places(found([Path(".")], tmp_path, options_of(tmp_path)), tmp_path) == tree.expected


@pytest.mark.parametrize("tree", parameters("Order"))
def test_order_does_not_matter(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor from where it is called, nor whether all of the files are named."""
    root = tree.write(tmp_path / "project")
    options = options_of(root)
    files = [root / path for path in tree.sources]
    monkeypatch.chdir(root)
    whole = found([Path(".")], root, options)

    for given in (files, files[::-1], [*files[1:], files[0]], [Path(path) for path in reversed(tree.sources)]):
        assert found(given, root, options) == whole
    elsewhere = tmp_path / "some" / "where"
    elsewhere.mkdir(parents=True)
    for folder in (elsewhere, tmp_path, root.joinpath(tree.sources[-1]).parent):
        monkeypatch.chdir(folder)
        again = found([root], root, options)
        assert places(again, root) == places(whole, root)
        assert [
            [(inside(step.path, root), step.line, step.message) for step in finding.witness] for finding in again
        ] == [[(step.path, step.line, step.message) for step in finding.witness] for finding in whole]

    monkeypatch.chdir(root)
    if not options.no_project:
        for named in [*([path] for path in tree.sources), tree.sources[1:]]:
            part = [finding for finding in whole if finding.path in named]
            assert found([Path(path) for path in named], root, options) == part


@pytest.mark.parametrize("tree", parameters("Wrong", "Witness", only=lambda tree: tree.witness))
def test_the_witness(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree.write(tmp_path))
    (finding,) = found([Path(".")], tmp_path, options_of(tmp_path))
    assert [(step.path, step.line) for step in finding.witness] == tree.witness


@pytest.mark.parametrize("tree", parameters("Wrong", "Unfixed", only=lambda tree: tree.expected))
def test_a_fix_cures_it(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree.write(tmp_path))
    options = options_of(tmp_path)
    assert places(found([Path(".")], tmp_path, options), tmp_path) == tree.expected
    first = fix_paths(["."], options, unsafe=True, write=True)
    assert not first.report.problems
    for change in first.changes:
        compile(change.new, change.path, "exec")
    left = found([Path(".")], tmp_path, options)
    assert left == [finding for finding, _ in first.unfixed]
    assert bool(left) is ("Unfixable" in tree.remarks)
    assert fix_paths(["."], options, unsafe=True, write=True).changes == ()


@pytest.mark.parametrize("tree", parameters())
def test_a_fix_leaves_alone_what_is_clean(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files without a finding stay as they are, those that the witnesses pass through included."""
    monkeypatch.chdir(tree.write(tmp_path))
    options = options_of(tmp_path)
    faulty = {finding.path for finding in found([Path(".")], tmp_path, options)}
    fix_paths(["."], options, unsafe=True, write=True)
    for path in set(tree.sources) - faulty:
        assert (tmp_path / path).read_text(encoding="utf-8") == tree.files[path]


@pytest.mark.parametrize("tree", parameters("Flake8"))
def test_the_same_through_the_flake8_plugin(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree.write(tmp_path))
    options = options_of(tmp_path)
    whole = places(found([Path(".")], tmp_path, options), tmp_path)
    monkeypatch.setattr(Checker, "options", options)
    monkeypatch.setattr(Checker, "stems", tuple(stem.decode() for stem in Vocabulary.of(options.pairs).stems()))
    reported = []
    for path in tree.sources:
        text = tree.files[path]
        for line, _, message, _ in Checker(ast.parse(text), f"./{path}", text.splitlines(keepends=True)).run():
            reported.append((path, line, message.partition(" ")[0]))
    assert sorted(reported) == [place for place in whole if place[2] not in COMMAND_LINE_ONLY]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_same_through_flake8_itself(workers: str, tmp_path: Path) -> None:
    """All trees at once, each a project of its own; flake8 takes its configuration from where it is run."""
    expected: set[tuple[str, int, str]] = set()
    for number, tree in enumerate(TREES):
        if "pyproject.toml" not in tree.files and not {"Wrong", "Flake8"} & tree.remarks.keys():
            tree.write(tmp_path / str(number))
            expected |= {(f"{number}/{path}", line, code) for path, line, code in tree.expected}
    done = flake8("--select", "PR", "-j", workers, ".", cwd=tmp_path)
    assert done.err == ""
    matches = [FOUND_BY_FLAKE8.fullmatch(line) for line in done.out.splitlines()]
    reported = {(f"{one['tree']}/{one['path']}", int(one["line"]), one["code"]) for one in matches if one}
    assert len(matches) == len(reported)
    assert reported == expected
