"""`check --diff-base`: on real repositories, with renames and merges, exactly what a branch has touched is reported."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pause_lint.changed import changed_only
from pause_lint.check import check_paths
from pause_lint.cli import main
from pause_lint.config import Options
from pause_lint.history import Hunk, read_diff, recounted
from tests.helpers.commands import Done
from tests.helpers.editing import Function
from tests.helpers.repository import Repository

FAULTY = """\
def reload(engine, path):
    engine.pause_generation()
    engine.load(path)
    engine.continue_generation()
"""
OTHER = """\
def other(engine):
    engine.pause_generation()
    engine.continue_generation()
"""
Run = Callable[..., Done]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository with one commit, in which `a.py` is faulty; the current folder is in it."""
    made = Repository(tmp_path / "project")
    monkeypatch.chdir(made.folder)
    write("a.py", FAULTY)
    write("pyproject.toml", "")
    made.commit()
    return made


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """`main` in this process."""

    def call(*arguments: str) -> Done:
        code = main(list(arguments))
        out, err = capfd.readouterr()
        return Done(code, out, err)

    return call


def write(name: str, text: str) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def touched(run: Run, revision: str = "HEAD", *arguments: str) -> list[str]:
    """Path and line of what is reported."""
    done = run("check", "--diff-base", revision, "--output-format", "concise", "-q", *arguments)
    assert done.err == ""
    return [":".join(line.split(":")[:2]) for line in done.out.splitlines()]


def change(old: str, new: str, name: str = "a.py") -> None:
    text = Path(name).read_bytes().decode()
    assert old in text
    write(name, text.replace(old, new, 1))


# One change each


@pytest.mark.parametrize(
    "old, new, is_touched",
    [
        ("pause_generation()", "pause_generation(1)", True),
        ("load(path)", "load(path, 1)", True),
        ("    engine.load(path)\n", "    engine.ready()\n    engine.load(path)\n", True),
        ("def reload(", "def renamed(", False),
        ("def reload(", "import os\n\n\ndef reload(", False),
        ("    engine.pause", "    # of all engines\n    engine.pause", False),
        ("continue_generation()\n", "continue_generation(1)\n", False),
        ("continue_generation()\n", "continue_generation()\n\n\ndef other(engine):\n    return engine\n", False),
        ("continue_generation()\n", "finish()\n", True),
        ("    engine.continue_generation()\n", "", True),
    ],
)
def test_a_change_touches_the_steps_and_what_resumes(
    repository: Repository, run: Run, old: str, new: str, is_touched: bool
) -> None:
    assert touched(run) == []
    change(old, new)
    assert bool(touched(run)) == is_touched
    repository.commit()
    assert bool(touched(run, "HEAD~1")) == is_touched
    assert touched(run) == []


@pytest.mark.parametrize(
    "taken, is_touched",
    [
        ("    engine.continue_generation()\n", True),
        ("    finish(engine)\n", True),
        ("    note = 'far away'\n", False),
        ("\n\n" + OTHER, False),
        ("    # of all engines\n", False),
    ],
)
def test_what_is_taken_away_leaves_no_line_behind(
    repository: Repository, run: Run, taken: str, is_touched: bool
) -> None:
    """It touches what stood beside it, and what it resumed; not the function before."""
    rest = "    note = 1\n    note = 'far away'\n    engine.log(note)\n    engine.continue_generation()\n"
    first = "def reload(engine, path):\n    engine.pause_generation()\n    # of all engines\n    engine.load(path)\n"
    write("a.py", f"{first}    finish(engine)\n{rest}\n\n{OTHER}\n\nX = 1\n")
    repository.commit()
    change(taken, "")
    assert bool(touched(run)) == is_touched


def test_a_handler_that_is_gone_touches_its_function(repository: Repository, run: Run) -> None:
    write(
        "a.py",
        "def reload(engine, path):\n    engine.pause_generation()\n    try:\n        engine.load(path)\n"
        "        x = 1\n    except OSError:\n        pass\n    except Exception:\n"
        "        engine.continue_generation()\n        raise\n"
        "    engine.continue_generation()\n",
    )
    repository.commit()
    change("    except Exception:\n        engine.continue_generation()\n        raise\n", "")
    assert touched(run) == ["a.py:2"]


def test_a_step_in_another_file_counts(repository: Repository, run: Run) -> None:
    """The pause that the witness leads to, behind the call that is reported."""
    write("helper.py", "def hold(engine):\n    engine.pause_generation()\n")
    write("a.py", "from helper import hold\n\n\n" + FAULTY.replace("engine.pause_generation()", "hold(engine)"))
    repository.commit()
    assert touched(run) == []
    change("pause_generation()", "pause_generation(1)", "helper.py")
    assert touched(run) == ["a.py:5"]


# Files


def test_a_renamed_file_keeps_its_unchanged_lines(repository: Repository, run: Run) -> None:
    write("a.py", FAULTY + "\n\n" + FAULTY.replace("reload", "again"))
    repository.commit()
    repository.git("mv", "a.py", 'b é\t"c".py')
    assert touched(run) == []
    change("load(path)", "load(path, 2)", 'b é\t"c".py')
    assert touched(run) == ['b é\\t"c".py:2']


def test_a_new_file_is_new_as_a_whole(repository: Repository, run: Run) -> None:
    """Whether git has been told of it or not; one that it ignores too, if it is checked."""
    write(".gitignore", "c.py\n")
    for name in ("b.py", "c.py", "d.py"):
        write(name, FAULTY)
    repository.git("add", "d.py")
    assert touched(run) == ["b.py:2", "c.py:2", "d.py:2"]


def test_from_a_folder_within(repository: Repository, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write("pkg/b.py", FAULTY)
    repository.commit()
    change("load(path)", "load(path, 2)", "pkg/b.py")
    monkeypatch.chdir("pkg")
    assert touched(run) == ["b.py:2"]
    assert touched(run, "HEAD", "..") == ["../pkg/b.py:2"]


def test_through_a_link(repository: Repository, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    change("load(path)", "load(path, 2)")
    (tmp_path / "link").symlink_to(repository.folder)
    monkeypatch.chdir(tmp_path)
    assert touched(run, "HEAD", "link") == ["link/a.py:2"]


def test_a_repository_within_is_new_if_its_commit_has_changed(repository: Repository, run: Run, tmp_path: Path) -> None:
    inner = Repository(tmp_path / "inner")
    (inner.folder / "e.py").write_text(FAULTY, encoding="utf-8")
    inner.commit()
    repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.folder), "sub")
    repository.commit()
    assert touched(run) == []
    Repository(repository.folder / "sub").commit("More")
    assert touched(run) == ["sub/e.py:2"]


@pytest.mark.parametrize(
    "setting",
    [
        *("diff.noprefix", "diff.mnemonicPrefix", "diff.relative", "diff.external", "color.ui", "diff.submodule"),
        *("diff.interHunkContext", "diff.renames", "core.quotePath", "diff.context", "diff.orderFile"),
    ],
)
def test_settings_of_the_user_change_nothing(repository: Repository, run: Run, setting: str) -> None:
    values = {"diff.external": "false", "color.ui": "always", "diff.interHunkContext": "9", "diff.submodule": "log"}
    values |= {
        "diff.renames": "false",
        "core.quotePath": "true",
        "diff.context": "9",
        "diff.orderFile": "pyproject.toml",
    }
    write("dir/é.py", "X = 1\n" + FAULTY + "\n\nX = 1\n" + FAULTY.replace("reload", "again"))
    repository.commit()
    repository.git("config", setting, values.get(setting, "true"))
    repository.git("mv", "dir/é.py", "dir/è.py")
    change("X = 1", "X = 2", "dir/è.py")
    change("load(path)", "load(path, 2)", "dir/è.py")
    assert touched(run) == ["dir/è.py:3"]


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_lines_are_those_of_python(repository: Repository, run: Run, ending: str) -> None:
    """git knows no line that a carriage return alone ends: then all of the file is one line to it."""
    repository.git("config", "core.autocrlf", "false")
    text = (FAULTY + "\n\n" + FAULTY.replace("reload", "again")).replace("\n", ending)
    write("a.py", text + "\nX = 1\n")
    repository.commit()
    change("X = 1", "X = 2")
    assert touched(run) == []
    change("load(path)", "load(path, 2)")
    assert touched(run) == (["a.py:2"] if ending == "\r\n" else ["a.py:2", "a.py:8"])


def test_hunks_of_lines_that_git_does_not_know() -> None:
    data = b"a\rb\nc\r\nd\ne\rf"
    # For git: `a b`, `c`, `d`, `e f`.
    assert recounted([Hunk(1, 2, ())], data) == (Hunk(1, 3, ()),)
    assert recounted([Hunk(2, 4, ())], data) == (Hunk(3, 5, ()),)
    assert recounted([Hunk(4, 5, ())], data) == (Hunk(5, 7, ()),)


def test_lines_of_a_file_that_look_like_a_diff() -> None:
    diff = (
        b"diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ f\n--- a/y\n-@@ -1 +1 @@\n"
        b"+++ b/y\n+diff --git a/z b/z\n@@ -9 +8,0 @@\n-gone\n\\ No newline at end of file\n"
        b"diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+new\n"
        b"diff --git a/o b/o\ndeleted file mode 100644\n--- a/o\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n"
        b"diff --git a/p b/p\nBinary files a/p and b/p differ\n"
    )
    assert read_diff(diff) == {
        "x": (Hunk(1, 3, ("-- a/y", "@@ -1 +1 @@")), Hunk(9, 9, ("gone",))),
        "n": None,
        "p": None,
    }


# Together with a baseline


def test_with_a_baseline(repository: Repository, run: Run) -> None:
    write("b.py", FAULTY)
    run("baseline")
    change("load(path)", "load(path, 2)", "b.py")
    write("c.py", FAULTY.replace("load", "fetch"))
    change("load(path)", "sync(path)", "a.py")
    assert touched(run) == ["a.py:2", "b.py:2", "c.py:2"]
    assert touched(run, "HEAD", "--baseline", "pause-lint-baseline.json") == ["c.py:2"]


def test_where_git_cannot_tell_the_baseline_stays_as_it_is(repository: Repository, run: Run) -> None:
    run("baseline")
    before = Path("pause-lint-baseline.json").read_bytes()
    write("a.py", "")
    arguments = ["--baseline", "pause-lint-baseline.json", "--update-baseline", "--diff-base"]
    assert run("check", *arguments, "mian").code == 2
    assert Path("pause-lint-baseline.json").read_bytes() == before
    assert run("check", *arguments, "main").code == 0
    assert Path("pause-lint-baseline.json").read_bytes() != before


def test_what_is_left_out_is_said(repository: Repository, run: Run) -> None:
    done = run("check", "--diff-base", "HEAD")
    assert done == Done(
        0, "No findings in 1 file.\n", "note: 1 finding not shown, which changes since HEAD do not touch\n"
    )


# Where git cannot tell


def said(run: Run, *arguments: str) -> str:
    done = run("check", *arguments)
    assert (done.code, done.out) == (2, "")
    return done.err.removeprefix("pause-lint check: error: argument --diff-base: ").strip()


def test_unknown_revisions(repository: Repository, run: Run) -> None:
    assert said(run, "--diff-base", "mian") == (
        "unknown revision 'mian'; did you mean 'main'? "
        "(what is only in another clone has to be fetched first: `git fetch`)"
    )
    assert said(run, "--diff-base=--all").startswith("unknown revision '--all'")
    assert said(run, "--diff-base", "").startswith("unknown revision ''")
    assert said(run, "--diff-base", "HEAD:a.py").startswith("unknown revision 'HEAD:a.py'")


def test_a_shallow_clone(repository: Repository, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.git("branch", "base")
    write("b.py", FAULTY)
    repository.commit()
    source = repository.folder.as_uri()
    repository.git("clone", "--quiet", "--depth", "1", "--no-single-branch", source, str(tmp_path / "clone"))
    monkeypatch.chdir(tmp_path / "clone")
    remedy = (
        "this clone is shallow: `git fetch --unshallow` (in a workflow: `fetch-depth: 0`) brings all of its history"
    )
    assert said(run, "--diff-base", "HEAD~1") == f"unknown revision 'HEAD~1'; {remedy}"
    assert said(run, "--diff-base", "origin/base") == f"'origin/base' and HEAD have no history in common here; {remedy}"
    subprocess.run(["git", "fetch", "--quiet", "--unshallow"], check=True)
    assert touched(run, "origin/base") == ["b.py:2"]


def test_histories_without_a_common_beginning(repository: Repository, run: Run) -> None:
    repository.git("checkout", "--quiet", "--orphan", "other")
    repository.commit("Another beginning")
    assert said(run, "--diff-base", "main") == (
        "'main' and HEAD have no history in common; name a revision that this one comes from"
    )


def test_no_repository(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    write("a.py", FAULTY)
    assert said(run, "--diff-base", "main", "a.py") == (
        "a.py is in no git repository; name what is in one, or compare with a baseline (--baseline)"
    )


def test_a_repository_without_commits(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Repository(tmp_path)
    monkeypatch.chdir(tmp_path)
    write("a.py", FAULTY)
    assert said(run, "--diff-base", "HEAD").startswith("unknown revision 'HEAD'")


def test_two_repositories(repository: Repository, run: Run, tmp_path: Path) -> None:
    other = Repository(tmp_path / "zother")
    (other.folder / "b.py").write_text(FAULTY, encoding="utf-8")
    assert said(run, "--diff-base", "HEAD", ".", "../zother") == (
        f"{repository.folder} and {other.folder} are two repositories: check one at a time"
    )


def test_without_git(repository: Repository, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert said(run, "--diff-base", "HEAD") == (
        "git is not installed, or not on the PATH; install it, or compare with a baseline"
    )


def test_standard_input(repository: Repository, run: Run) -> None:
    assert said(run, "-", "--diff-base", "HEAD") == (
        "pause-lint check: error: --diff-base compares files on disk; name them instead of `-`"
    ).removeprefix("pause-lint check: error: argument --diff-base: ")


def test_in_a_hook_of_another_repository(
    repository: Repository, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "no.git"))
    monkeypatch.setenv("GIT_INDEX_FILE", "no.index")
    change("load(path)", "load(path, 2)")
    assert touched(run) == ["a.py:2"]


# A history


class History:
    """A branch beside `main`, with edits on both, renames, and merges either way; and what the branch has touched.

    Work on `main` keeps to functions of its own, so that merges have no conflicts; both sides share the files.
    """

    def __init__(self, seed: int, repository: Repository) -> None:
        self._random = random.Random(seed)
        self._repository = repository
        self._numbers = iter(range(1_000_000))
        self.touched: set[str] = set()
        for side in ("branch", "main"):
            for _ in range(3):
                self._new_file(
                    side, *(self._function(owner) for owner in ("branch", "main", "branch", "main", "branch"))
                )
        repository.commit()
        repository.git("checkout", "--quiet", "-b", "branch")

    def step(self) -> str:
        """Work on one of the two branches, or merge them; the branch is checked out then."""
        chosen = self._random.choice([self._branch, self._branch, self._branch, self._main, self._sync, self._land])
        return f"{chosen.__name__} {chosen()}"

    def faulty(self) -> set[str]:
        """The functions in the work tree, all of which are faulty unless they are fixed."""
        text = "".join(path.read_text(encoding="utf-8") for path in Path().glob("*.py"))
        return {part.partition("(")[0] for part in text.split("def ")[1:] if "finally" not in part}

    def _branch(self) -> str:
        work = self._random.choice(
            [self._edit, self._rename, self._move, self._copy, self._insert, self._rename_file, self._fix, self._remark]
        )
        work("branch")
        # Work that is not committed yet counts as well, and files that git has not been told of.
        if self._random.random() < 0.6:
            self._repository.commit()
        return work.__name__

    def _main(self) -> str:
        self._repository.commit()
        self._repository.git("checkout", "--quiet", "main")
        work = self._random.choice([self._edit, self._insert, self._rename_file, self._fix, self._copy])
        before = set(self.touched)
        work("main")
        self.touched = before
        self._repository.commit()
        self._repository.git("checkout", "--quiet", "branch")
        return work.__name__

    def _sync(self) -> str:
        """Take in what is new on `main`."""
        self._repository.commit()
        self._repository.git("merge", "--quiet", "--no-edit", "main")
        return ""

    def _land(self) -> str:
        """Take the branch in on `main`: now nothing is changed."""
        self._sync()
        self._repository.git("checkout", "--quiet", "main")
        self._repository.git("merge", "--quiet", "--no-edit", "--no-ff", "branch")
        self._repository.git("checkout", "--quiet", "branch")
        self.touched.clear()
        return ""

    def _new_file(self, side: str, *functions: str) -> None:
        # Lines of its own, by which git knows it again after a rename.
        filler = "".join(f"# {number}: {self._random.random()}\n" for number in range(60))
        write(f"{side}_{next(self._numbers)}.py", "\n\n".join([filler, *functions]))

    def _function(self, owner: str) -> str:
        return Function(f"{owner}_{next(self._numbers)}", 12 * next(self._numbers)).text()

    def _pick(self, owner: str) -> tuple[Path, str, str]:
        """A file, the name of a faulty function in it, and its source."""
        found = [
            (path, part.split("(")[0].removeprefix("def "), part)
            for path in sorted(Path().glob("*.py"))
            for part in path.read_text(encoding="utf-8").split("\n\n")
            if part.lstrip().startswith(f"def {owner}_") and "finally" not in part
        ]
        path, name, part = self._random.choice(found)
        return path, name.strip().removeprefix("def "), part.lstrip("\n")

    def _replace(self, path: Path, old: str, new: str) -> None:
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1
        path.write_text(text.replace(old, new), encoding="utf-8")

    def _edit(self, owner: str) -> None:
        path, name, part = self._pick(owner)
        self._replace(path, part, part.replace(")\n    engine.cont", f", {next(self._numbers)})\n    engine.cont"))
        self.touched.add(name)

    def _remark(self, owner: str) -> None:
        path, _, part = self._pick(owner)
        self._replace(path, part, part.replace("    engine.pause", "    # A remark.\n    engine.pause"))

    def _rename(self, owner: str) -> None:
        path, name, part = self._pick(owner)
        new = f"{owner}_{next(self._numbers)}"
        self._replace(path, part, part.replace(f"def {name}(", f"def {new}("))
        if name in self.touched:
            self.touched.add(new)

    def _fix(self, owner: str) -> None:
        path, _, part = self._pick(owner)
        *head, call, resume = part.rstrip("\n").split("\n")
        fixed = [*head, "    try:", f"    {call}", "    finally:", f"    {resume}", ""]
        self._replace(path, part, "\n".join(fixed))

    def _copy(self, owner: str) -> None:
        _, name, part = self._pick(owner)
        new = f"{owner}_{next(self._numbers)}"
        self._new_file(owner, part.replace(f"def {name}(", f"def {new}("))
        self.touched.add(new)

    def _move(self, owner: str) -> None:
        path, name, part = self._pick(owner)
        self._replace(path, part, "")
        self._new_file(owner, part)
        self.touched.add(name)

    def _insert(self, owner: str) -> None:
        path = self._random.choice(sorted(Path().glob(f"{owner}_*.py")))
        path.write_text(f"LINE = {next(self._numbers)}\n" + path.read_text(encoding="utf-8"), encoding="utf-8")

    def _rename_file(self, owner: str) -> None:
        path = self._random.choice(sorted(Path().glob(f"{owner}_*.py")))
        path.rename(f"{owner}_{next(self._numbers)}.py")
        # git has to be told where a file has gone.
        self._repository.git("add", "--all")


@pytest.mark.parametrize("seed", range(2))
def test_a_history_with_renames_and_merges(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    history = History(seed, Repository(tmp_path / "project"))
    options = Options()
    done = []
    for _ in range(60):
        done.append(history.step())
        report = check_paths(["."], options)
        assert report.problems == ()
        assert {finding.function for finding in report.findings} == history.faulty()
        left = changed_only(
            report, "main", lambda path: Path(path).read_text(encoding="utf-8").splitlines(), options, ["."]
        )
        assert {finding.function for finding in left.findings} == history.faulty() & history.touched, done
    assert {"_sync ", "_land ", "_main _rename_file", "_branch _rename_file"} <= set(done)
