"""Nothing that is read is run: no code of the analysed tree, and no command that its configuration, or git's, names.

Everything planted leaves a trace when it runs, and is seen to do so first.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.commands import SCRIPTS, Done, run
from tests.helpers.repository import Repository
from tests.helpers.sources import FAULTY, FIXED

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the commands planted are shell scripts")

# What Python imports by itself, what tools import, and what would stand in for modules of ours or of those we use.
MODULES = (
    *("sitecustomize", "usercustomize", "conftest", "setup", "noxfile", "__main__", "__init__", "plugin"),
    *("pause_lint", "libcst", "flake8", "pycodestyle", "ast", "argparse", "codecs", "configparser", "difflib", "fcntl"),
    *("gc", "json", "os", "re", "subprocess", "sys", "tokenize", "tomllib", "types", "typing", "warnings"),
)
FORMATS = ("text", "concise", "json", "github", "gitlab", "sarif", "junit")
CONFIGURATION = """\
[build-system]
requires = []
build-backend = "plugin"
backend-path = ["."]

[project]
name = "planted"
version = "1"
scripts = { pause-lint = "plugin:main" }
entry-points."flake8.extension" = { PR = "plugin:Checker" }

[tool.pause_lint]
presets = ["all"]
extend-select = ["PR005", "PR006", "PR007"]

[tool.pytest.ini_options]
addopts = "-p plugin"

[tool.flake8]
extend-plugins = ["plugin"]
"""
INI = """\
[flake8:local-plugins]
extension = XX = plugin:Checker
paths = .

[options.entry_points]
flake8.extension = PR = plugin:Checker
"""
# Each names a command, and git runs some of them for a plain `git diff`.
GIT = """\
[core]
\tfsmonitor = {script}
\thooksPath = {hooks}
\tsshCommand = {script}
\tpager = {script}
\teditor = {script}
\tgitProxy = {script}
\taskPass = {script}
\talternateRefsCommand = {script}
[pager]
\tdiff = {script}
[alias]
\tdiff = !{script}
[diff]
\texternal = {script}
[diff "planted"]
\ttextconv = {script}
\tcommand = {script}
[filter "planted"]
\tclean = {script}
\tsmudge = {script}
\tprocess = {script}
\trequired = true
[filter "pla=nt.ed"]
\tclean = {script}
\trequired = true
[credential]
\thelper = {script}
[gpg]
\tprogram = {script}
[hook "planted"]
\tcommand = {script}
\tevent = post-index-change
[protocol]
\tallow = always
[include]
\tpath = more
"""
MORE = """\
[filter "included"]
\tclean = {script}
"""
ATTRIBUTES = """\
*.py diff=planted filter=planted
equal.py filter=pla=nt.ed
included.py filter=included
"""


class Planted:
    """A folder with a project of which nothing may run, and a file beside it that is none of its files."""

    def __init__(self, top: Path) -> None:
        self.project, self.trace, self.outside = top / "project", top / "trace", top / "outside.py"
        self.script = top / "script"
        package = self.project / "package"
        package.mkdir(parents=True)
        self.outside.write_text(FAULTY, encoding="utf-8")
        leave = f"with open({str(self.trace)!r}, 'a') as trace:\n    trace.write(__file__ + '\\n')\n"
        for folder in (self.project, package):
            for name in MODULES:
                (folder / f"{name}.py").write_text(leave, encoding="utf-8")
            (folder / "planted.pth").write_text("import plugin\n", encoding="utf-8")
            (folder / "faulty.py").write_text(FAULTY, encoding="utf-8")
            (folder / "coded.py").write_text("# coding: plugin\npause_generation = 1\n", encoding="utf-8")
        (self.project / "pyproject.toml").write_text(CONFIGURATION, encoding="utf-8")
        (self.project / "setup.cfg").write_text(INI, encoding="utf-8")
        (self.project / ".libcst.codemod.yaml").write_text("modules: [plugin]\n", encoding="utf-8")
        (self.project / ".pre-commit-config.yaml").write_text("repos: []\n", encoding="utf-8")
        self.script.write_text(f'#!/bin/sh\necho "$0 $*" >> {self.trace}\ncat\n', encoding="utf-8")
        self.script.chmod(0o755)

    def traces(self) -> list[str]:
        """What has run so far; forgotten with that."""
        found = self.trace.read_text("utf-8").splitlines() if self.trace.exists() else []
        self.trace.unlink(missing_ok=True)
        return found

    def files(self) -> dict[str, bytes]:
        """Every file, git's own left out, for it may look at its index."""
        found = (path for path in self.project.parent.rglob("*") if path.is_file() and ".git" not in path.parts)
        return {path.relative_to(self.project.parent).as_posix(): path.read_bytes() for path in found}


@pytest.fixture
def planted(tmp_path: Path) -> Planted:
    return Planted(tmp_path)


@pytest.fixture
def repository(planted: Planted) -> Planted:
    """The project as a repository of git, with one change since its commit."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    inner = Repository(planted.project / "nested")
    for name in ("equal.py", "included.py"):
        (planted.project / name).write_text(FAULTY, encoding="utf-8")
    (inner.folder / "a.py").write_text(FAULTY, encoding="utf-8")
    inner.commit()
    git = Repository(planted.project)
    git.commit()
    hooks = planted.project.parent / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "pre-commit", "post-checkout"):
        shutil.copy(planted.script, hooks / name)
    for folder in (planted.project, inner.folder):
        with (folder / ".git" / "config").open("a", encoding="utf-8") as file:
            file.write(GIT.format(script=planted.script, hooks=hooks))
        (folder / ".git" / "more").write_text(MORE.format(script=planted.script), encoding="utf-8")
        (folder / ".git" / "info").mkdir(exist_ok=True)
        (folder / ".git" / "info" / "attributes").write_text(ATTRIBUTES, encoding="utf-8")
    (planted.project / ".gitattributes").write_text(ATTRIBUTES, encoding="utf-8")
    for name in ("faulty.py", "equal.py", "included.py", "nested/a.py"):
        with (planted.project / name).open("a", encoding="utf-8") as file:
            file.write("# changed\n")
    return planted


def command(name: str, *arguments: str, cwd: Path) -> Done:
    """A command of this environment, as it is installed."""
    return run(SCRIPTS / name, *arguments, cwd=cwd)


def test_what_is_planted_leaves_a_trace(planted: Planted) -> None:
    for name in MODULES:
        run(sys.executable, planted.project / f"{name}.py", cwd=planted.project.parent)
        assert str(planted.project / f"{name}.py") in planted.traces()[-1]


def test_the_commands_of_git_that_are_planted_leave_a_trace(repository: Planted) -> None:
    said = subprocess.run(["git", "diff", "HEAD"], cwd=repository.project, capture_output=True, check=False)
    assert said.returncode in (0, 128)
    assert repository.traces()


@pytest.mark.parametrize("folder", ["", "package"])
@pytest.mark.parametrize(
    "words",
    [
        *(("check", "--include-tests", "--output-format", name) for name in FORMATS),
        ("check", "--no-project"),
        ("check", "--preset", "all", "-v"),
        ("fix", "--diff"),
        ("rule", "PR001"),
    ],
    ids=" ".join,
)
def test_looking(planted: Planted, words: tuple[str, ...], folder: str) -> None:
    """Nothing runs, and nothing is written."""
    before = planted.files()
    done = command("pause-lint", *words, cwd=planted.project / folder)
    assert "internal error" not in done.err
    if words[0] != "rule":
        assert "faulty.py" in done.out
        assert done.code == 2  # for the codec that does not exist
    assert planted.traces() == []
    assert planted.files() == before


@pytest.mark.parametrize("folder", ["", "package"])
def test_the_module_of_the_command_line(planted: Planted, folder: str) -> None:
    """`python -m` puts the current folder first: without -P, a `pause_lint` there is what was asked for."""
    words = ("-m", "pause_lint", "check", "faulty.py", "--config", "pyproject.toml")
    where = planted.project / folder
    (planted.project / "package" / "pyproject.toml").write_text(CONFIGURATION, encoding="utf-8")
    assert run(sys.executable, "-P", *words, cwd=where).code == 1
    assert planted.traces() == []
    (where / "pause_lint.py").unlink()
    assert run(sys.executable, *words, cwd=where).code == 1
    assert planted.traces() == []


@pytest.mark.parametrize(
    "words, new",
    [
        (("fix",), FIXED),
        (("fix", "--unsafe-fixes"), FIXED),
        (("fix", "--add-noqa"), FAULTY.replace("generation()\n", "generation()  # noqa: PR001\n", 1)),
    ],
    ids=["fix", "unsafe", "add-noqa"],
)
def test_fixing(planted: Planted, words: tuple[str, ...], new: str) -> None:
    """What is named is written, and nothing else."""
    before = planted.files()
    assert command("pause-lint", *words, "package/faulty.py", cwd=planted.project).code == 0
    assert planted.traces() == []
    assert planted.files() == {**before, "project/package/faulty.py": new.encode()}


def test_a_baseline(planted: Planted) -> None:
    before = planted.files()
    words = ("package/faulty.py", "--no-project")
    assert command("pause-lint", "baseline", "-o", "known.json", *words, cwd=planted.project).code == 0
    assert command("pause-lint", "check", "--baseline", "known.json", *words, cwd=planted.project).code == 0
    assert planted.traces() == []
    assert planted.files().keys() - before.keys() == {"project/known.json"}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_flake8(planted: Planted, jobs: str) -> None:
    """Its own configuration can name plugins: whether they run is flake8's to say; `--isolated` leaves it out."""
    before = planted.files()
    names = ("faulty.py", "package/faulty.py", "ast.py")
    done = command("flake8", "--isolated", "--select", "PR", "-j", jobs, *names, cwd=planted.project)
    assert done.out.count("PR001") == 2
    assert planted.traces() == []
    assert planted.files() == before


def test_the_codemod(planted: Planted) -> None:
    before = planted.files()
    tool = ("-P", "-m", "libcst.tool", "codemod", "-x", "--no-format", "pause_lint.codemod.FixPauses")
    assert run(sys.executable, *tool, "package/faulty.py", cwd=planted.project / "package").code != 0
    done = run(sys.executable, *tool, "--jobs", "1", str(planted.project / "package" / "faulty.py"), cwd=SCRIPTS)
    assert done.code == 0, done.err
    assert planted.traces() == []
    assert planted.files() == {**before, "project/package/faulty.py": FIXED.encode()}


def test_changes_since_a_revision(repository: Planted) -> None:
    before = repository.files()
    names = ("faulty.py", "equal.py", "included.py", "package/faulty.py")
    done = command("pause-lint", "check", "--diff-base", "HEAD", "--no-project", *names, cwd=repository.project)
    assert done.err == "note: 4 findings not shown, which changes since HEAD do not touch\n"
    assert done.code == 0
    for name in names[:3]:
        path = repository.project / name
        path.write_text(path.read_text("utf-8").replace("load(path)", "load(path, 1)"), encoding="utf-8")
    done = command("pause-lint", "check", "--diff-base", "HEAD", "--no-project", *names, cwd=repository.project)
    assert (done.code, done.out.count("PR001")) == (1, 3)
    assert repository.traces() == []
    assert {name for name, data in repository.files().items() if before.get(name) != data} == {
        f"project/{name}" for name in names[:3]
    }


def test_a_clone_that_lacks_objects_fetches_none(planted: Planted) -> None:
    """The command that would bring them is named by the clone's own configuration."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    origin = Repository(planted.project.parent / "origin")
    origin.git("config", "uploadpack.allowFilter", "true")
    module = origin.folder / "a.py"
    module.write_text("x = 1\n", encoding="utf-8")
    origin.commit()
    module.write_text(FAULTY, encoding="utf-8")
    origin.commit()
    origin.git("clone", "--quiet", "--filter=blob:none", origin.folder.as_uri(), str(planted.project / "clone"))
    clone = planted.project / "clone"
    planted.script.write_text(f"#!/bin/sh\necho $0 >> {planted.trace}\n", encoding="utf-8")
    origin.git("-C", str(clone), "config", "remote.origin.uploadpack", str(planted.script))
    done = command("pause-lint", "check", "--diff-base", "HEAD~1", cwd=clone)
    assert done.code == 2
    assert done.err.endswith("`git diff --stat HEAD~1` brings what this partial clone lacks\n")
    assert planted.traces() == []
    subprocess.run(["git", "diff", "--stat", "HEAD~1"], cwd=clone, capture_output=True, check=False)
    assert planted.traces(), "git itself would have run it"


@pytest.mark.parametrize("value", ["..", "/", "../project/..", "up"])
@pytest.mark.parametrize("name", ["pyproject.toml", "setup.cfg"])
def test_configuration_does_not_lead_outside(planted: Planted, name: str, value: str) -> None:
    (planted.project / "up").symlink_to("..")
    (planted.project / "pyproject.toml").unlink()
    header, quoted = ("[tool.pause_lint]", f'"{value}"') if name == "pyproject.toml" else ("[pause_lint]", value)
    (planted.project / name).write_text(f"{header}\nproject-root = {quoted}\n", encoding="utf-8")
    for words in (("check",), ("fix",), ("baseline",)):
        done = command("pause-lint", *words, cwd=planted.project)
        assert done.code == 2
        assert done.err == (
            f"{name}:2: error: project-root leads outside the folder of this file: {value!r}; "
            "it can be named on the command line (--project-root)\n"
        )


@pytest.mark.parametrize("key", ["plugins", "extend", "import", "load-plugins", "command", "hook"])
def test_no_key_of_the_configuration_names_code(planted: Planted, key: str) -> None:
    (planted.project / "pyproject.toml").write_text(f'[tool.pause_lint]\n{key} = ["plugin"]\n', encoding="utf-8")
    done = command("pause-lint", "check", cwd=planted.project)
    assert done.code == 2
    assert done.err.startswith(f"pyproject.toml:2: error: unknown key {key!r}")
    assert planted.traces() == []


def test_a_fix_follows_no_link_out_of_the_tree(planted: Planted) -> None:
    (planted.project / "link.py").symlink_to(planted.outside)
    (planted.project / "linked").symlink_to(planted.outside.parent)
    before = planted.files()
    done = command("pause-lint", "fix", "-q", cwd=planted.project)
    assert "link.py: error: not written: leads to" in done.err
    assert planted.outside.read_text("utf-8") == FAULTY
    changed = {name for name, data in planted.files().items() if before.get(name) != data}
    assert changed == {"project/faulty.py", "project/package/faulty.py"}
    assert os.listdir(planted.project.parent / "project" / "linked") == os.listdir(planted.project.parent)
