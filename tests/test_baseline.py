"""`baseline` and `check --baseline`: what is written down; what is known, new and gone; what is wrong with a file."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pause_lint.cli import main
from tests.helpers.commands import Done

FAULTY = """\
def reload(engine, path):
    engine.pause_generation()
    engine.load(path)
    engine.continue_generation()
"""
CLEAN = """\
def reload(engine, path):
    engine.pause_generation()
    try:
        engine.load(path)
    finally:
        engine.continue_generation()
"""
FILE = "pause-lint-baseline.json"
ENTRY = (
    '{"path": "a.py", "function": "reload", "code": "PR001", "kind": "exception", '
    '"pause": "engine.pause_generation()", "around": "27acaacc53934376"}'
)
Run = Callable[..., Done]


@pytest.fixture
def run(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """`main` in this process; the current folder is a project with a faulty `a.py`."""
    monkeypatch.chdir(tmp_path)
    write("pyproject.toml", "")
    write("a.py", FAULTY)

    def call(*arguments: str) -> Done:
        code = main(list(arguments))
        out, err = capfd.readouterr()
        return Done(code, out, err)

    return call


def write(name: str, text: str = FAULTY) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def text(name: str = FILE) -> str:
    return Path(name).read_text(encoding="utf-8")


def new(run: Run, *arguments: str, file: str = FILE) -> list[str]:
    """The places of what is reported."""
    done = run("check", "--baseline", file, "--output-format", "concise", "-q", *arguments)
    assert done.err == ""
    assert done.code == (1 if done.out else 0)
    return [":".join(line.split(":")[:2]) for line in done.out.splitlines()]


def gone(run: Run, *arguments: str) -> list[str]:
    """The paths of what is said to be gone."""
    done = run("check", "--baseline", FILE, *arguments)
    return [line.strip().split(":")[0] for line in done.err.splitlines() if line.startswith("  ")]


# Writing it down


def test_one_line_a_finding(run: Run) -> None:
    done = run("baseline")
    assert done == Done(0, f"Wrote 1 finding down in {FILE}.\n", "")
    assert text() == f'{{"version": 1, "findings": [\n{ENTRY}\n]}}\n'
    assert json.loads(text())["findings"] == [json.loads(ENTRY)]


def test_in_the_order_of_paths_and_the_same_every_time(run: Run) -> None:
    for name in ("c.py", "b/d.py", "b.py"):
        write(name)
    run("baseline", "c.py", "b", "b.py", "a.py", "--output", "one.json")
    run("baseline", "-o", "two.json")
    assert text("one.json") == text("two.json")
    assert [entry["path"] for entry in json.loads(text("one.json"))["findings"]] == ["a.py", "b.py", "b/d.py", "c.py"]


def test_nothing_to_write_down(run: Run) -> None:
    write("a.py", CLEAN)
    assert run("baseline", "-q") == Done(0, "", "")
    assert text() == '{"version": 1, "findings": []}\n'
    assert new(run) == []


def test_again(run: Run) -> None:
    """What was known before makes no difference: today's findings are written down."""
    run("baseline")
    write("a.py", CLEAN)
    write("b.py", FAULTY + "\n\n" + FAULTY.replace("reload", "again"))
    assert run("baseline").out == f"Wrote 2 findings down in {FILE}, which held 1.\n"
    assert new(run) == []


def test_only_a_baseline_is_overwritten(run: Run) -> None:
    done = run("baseline", "--output", "a.py")
    assert done.code == 2
    assert done.err.endswith("a.py: error: it is left as it is; name another file, or remove it\n")
    assert text("a.py") == FAULTY


def test_files_that_cannot_be_checked(run: Run) -> None:
    """The others are written down all the same."""
    write("broken.py", "def f(engine:\n    engine.pause_generation()\n")
    done = run("baseline")
    assert done.code == 2
    assert done.out == f"Wrote 1 finding down in {FILE}.\n"
    assert done.err.startswith("broken.py:1: error: syntax error")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("baseline", "-"), "pause-lint baseline: error: `-` cannot be written down; name files or folders"),
        (("baseline", "--output", "no/b.json"), "pause-lint: error: no/b.json: cannot be written: No such file"),
        (("check", "--update-baseline"), "pause-lint check: error: --update-baseline: name the baseline with"),
        (("check", "--baseline", "no.json"), "no.json: error: no such file; `pause-lint baseline --output no.json`"),
        (("check", "--baseline", "."), ".: error: cannot be read: "),
    ],
)
def test_mistakes(run: Run, arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(message)


# What is known


def test_what_is_known_is_not_shown(run: Run) -> None:
    run("baseline")
    assert run("check", "--baseline", FILE) == Done(
        0, "No findings in 1 file.\n", f"note: 1 finding not shown, known from {FILE}\n"
    )
    document = run("check", "--baseline", FILE, "--output-format", "json").json
    assert (document["findings"], document["summary"]["findings"]) == ([], 0)


@pytest.mark.parametrize(
    "files, reported",
    [
        ({"a.py": "X = 1\n\n\n" + FAULTY}, []),
        ({"a.py": FAULTY.replace("reload", "renamed")}, []),
        ({"a.py": "", "b.py": FAULTY}, []),
        ({"a.py": None, "b.py": FAULTY.replace("reload", "renamed")}, []),
        ({"a.py": FAULTY.replace("load(path)", "load(path, 2)")}, []),
        ({"a.py": None, "b.py": FAULTY.replace("load(path)", "load(path, 2)")}, []),
        # A second copy is new: the one that does not stand where the first stood.
        ({"a.py": FAULTY + "\n\n" + FAULTY.replace("reload", "again")}, ["a.py:8"]),
        ({"a.py": FAULTY.replace("reload", "again") + "\n\n" + FAULTY}, ["a.py:2"]),
        ({"0.py": FAULTY}, ["0.py:2"]),
        # Another function, another pause, another kind of fault.
        ({"a.py": FAULTY.replace("reload", "again").replace("load(path)", "load(path, 2)")}, ["a.py:2"]),
        ({"a.py": "", "b.py": FAULTY.replace("load(path)", "load(path, 2)")}, ["b.py:2"]),
        ({"a.py": FAULTY.replace("pause_generation()", "pause_generation(1)")}, ["a.py:2"]),
        ({"a.py": FAULTY.replace("engine.load(path)", "if path:\n        return")}, ["a.py:2"]),
        ({"a.py": FAULTY + "".join(FAULTY.splitlines(True)[1:])}, ["a.py:5"]),
    ],
)
def test_the_same_or_new(run: Run, files: dict[str, str | None], reported: list[str]) -> None:
    run("baseline")
    for name, source in files.items():
        if source is None:
            os.unlink(name)
        else:
            write(name, source)
    assert new(run) == reported


def test_of_two_copies_the_one_that_was_edited_stays_known_as_well(run: Run) -> None:
    write("a.py", FAULTY + "\n\n" + FAULTY.replace("reload", "again"))
    run("baseline")
    edited = FAULTY.replace("load(path)", "load(path, 2)")
    write("a.py", edited + "\n\n" + FAULTY.replace("reload", "third"))
    assert new(run) == []


def test_rules_about_comments(run: Run) -> None:
    write("a.py", "def f():\n    x = 1  # noqa: PR001\n")
    run("baseline")
    write("a.py", "import os\n\n\ndef f():\n    x = 1  # noqa: PR001\n    y = 1  # noqa: PR001\n")
    assert len(new(run)) == 1


def test_fix_knows_no_baseline(run: Run) -> None:
    """As the pages about adopting and pre-commit say: it rewrites what is known as well."""
    assert run("baseline").code == 0
    done = run("fix", "--baseline", FILE, "a.py")
    assert (done.code, text("a.py")) == (2, FAULTY)
    assert run("fix", "a.py").code == 0
    assert text("a.py") == CLEAN


def test_paths_are_relative_to_the_baseline(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write("pkg/b.py")
    run("baseline")
    monkeypatch.chdir("pkg")
    write("b.py", FAULTY.replace("load(path)", "load(path, 2)"))
    assert new(run, file=f"../{FILE}") == []
    assert new(run, "..", file=f"../{FILE}") == []


def test_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run("baseline")
    for source, places in [("X = 1\n" + FAULTY, []), (FAULTY + FAULTY.replace("reload", "again"), ["a.py:6"])]:
        write("buffer", source)
        with open("buffer", "rb") as buffer:
            monkeypatch.setattr("sys.stdin", type("Stdin", (), {"buffer": buffer}))
            assert new(run, "-", "--stdin-filename", "a.py") == places


# A part of the tree


def test_what_was_not_looked_at_is_not_gone(run: Run) -> None:
    write("b.py")
    run("baseline")
    write("a.py", CLEAN)
    write("b.py", CLEAN)
    assert gone(run, "a.py") == ["a.py"]
    assert gone(run, "--select", "PR002") == []
    assert gone(run) == ["a.py", "b.py"]


def test_a_file_that_is_gone_is_gone_where_it_was_looked_for(run: Run) -> None:
    write("pkg/b.py")
    run("baseline")
    os.unlink("pkg/b.py")
    write("pkg/c.py", "")
    assert gone(run, "a.py") == []
    assert gone(run, "pkg") == ["pkg/b.py"]


def test_a_copy_is_new_though_only_its_file_is_checked(run: Run) -> None:
    """As a hook does: what it was copied from is not checked, but it is still there."""
    run("baseline")
    write("b.py", FAULTY.replace("reload", "again"))
    assert new(run, "b.py") == ["b.py:2"]
    write("a.py", CLEAN)
    assert new(run, "b.py") == []


def test_a_file_that_does_not_parse_is_not_clean(run: Run) -> None:
    run("baseline")
    before = text()
    write("a.py", FAULTY + "def f(:\n")
    done = run("check", "--baseline", FILE, "--update-baseline")
    assert done.code == 2
    assert f"note: {FILE} is not updated, for not everything could be checked\n" in done.err
    assert text() == before
    assert gone(run) == []


# What is gone


def test_shrinking_is_said(run: Run) -> None:
    write("b.py")
    run("baseline")
    write("a.py", CLEAN)
    done = run("check", "--baseline", FILE)
    assert done.code == 0
    assert done.err == (
        f"note: 1 finding not shown, known from {FILE}\n"
        f"note: 1 finding of {FILE} is gone; --update-baseline takes out:\n"
        "  a.py: PR001 engine.pause_generation() in reload\n"
    )


def test_updating_only_shrinks(run: Run) -> None:
    write("b.py")
    run("baseline")
    write("a.py", CLEAN)
    write("c.py", FAULTY.replace("load", "fetch"))
    done = run("check", "--baseline", FILE, "--update-baseline", "--output-format", "concise")
    assert done.code == 1
    assert done.out.startswith("c.py:2:5: ")
    assert done.err.endswith(f"note: {FILE} updated: 1 finding gone, 1 left\n")
    assert [entry["path"] for entry in json.loads(text())["findings"]] == ["b.py"]
    before = os.stat(FILE).st_ino
    assert new(run, "--update-baseline") == ["c.py:2"]
    assert os.stat(FILE).st_ino == before, "nothing changed, nothing is written"


def test_updating_follows_what_has_moved(run: Run) -> None:
    """So that it stays known when it is edited where it stands now."""
    run("baseline")
    os.unlink("a.py")
    write("pkg/b.py", FAULTY.replace("reload", "renamed"))
    assert new(run, "--update-baseline") == []
    write("pkg/b.py", FAULTY.replace("reload", "renamed").replace("load(path)", "load(path, 2)"))
    assert new(run) == []


# What is wrong with a file


@pytest.mark.parametrize(
    "content, message",
    [
        ("", f"{FILE}:1: error: not JSON (Expecting value): restore it"),
        ('{"version": 1,\n "findings": [}', f"{FILE}:2: error: not JSON (Expecting value): restore it"),
        (
            '{"version": 1, "findings": [\n<<<<<<< ours\n=======\n>>>>>>> theirs\n]}',
            f"{FILE}:2: error: a merge left its conflict in it: keep the lines of both sides, or make it anew",
        ),
        ("[" * 100_000, f"{FILE}: error: not a baseline: restore it"),
        ("[]", f"{FILE}: error: not a baseline, for it has no version: restore it"),
        ('{"findings": []}', f"{FILE}: error: not a baseline, for it has no version: restore it"),
        (
            '{"version": 2, "findings": {}}',
            f"{FILE}: error: version 2 of a baseline is not known here (known: 1): update pause-lint, or make it anew",
        ),
        ('{"version": "1", "findings": []}', f'{FILE}: error: version "1" of a baseline is not known here'),
        ('{"version": true, "findings": []}', f"{FILE}: error: version true of a baseline is not known here"),
        ('{"version": 1}', f"{FILE}: error: a baseline holds `version` and a list of `findings`, nothing else"),
        ('{"version": 1, "findings": [], "x": 1}', f"{FILE}: error: a baseline holds `version` and a list of"),
        ('{"version": 1, "findings": [1]}', f"{FILE}: error: finding 1 is no object: restore it"),
        (
            f'{{"version": 1, "findings": [{ENTRY}, {ENTRY.replace("pause", "paws", 1)}]}}',
            f"{FILE}: error: finding 2 has no text 'pause': restore it",
        ),
        (
            f'{{"version": 1, "findings": [{ENTRY.replace("{", "{" + chr(34) + "line" + chr(34) + ": 1, ")}]}}',
            f"{FILE}: error: finding 1 has a key 'line' that means nothing here: restore it",
        ),
    ],
)
def test_broken_files(run: Run, content: str, message: str) -> None:
    write(FILE, content)
    done = run("check", "--baseline", FILE)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(message)
    assert "`pause-lint baseline`" in done.err


def test_a_file_that_is_no_text(run: Run) -> None:
    Path(FILE).write_bytes(b'{\n"\xff"}')
    assert run("check", "--baseline", FILE).err.startswith(f"{FILE}:2: error: not UTF-8 text, so no baseline")


def test_a_file_that_may_not_be_written(run: Run) -> None:
    run("baseline")
    write("a.py", CLEAN)
    os.chmod(FILE, 0o444)
    done = run("check", "--baseline", FILE, "--update-baseline")
    assert done.code == 2
    assert done.err == f"pause-lint: error: {FILE}: is read-only: make it writable (`chmod u+w`)\n"
