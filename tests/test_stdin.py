"""`check -` and `fix -` with `--stdin-filename`: a text from an editor, in its tree, in the place of its file."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.helpers.commands import flake8, pause_lint
from tests.trees.reading import trees

HELPER = """\
def quiesce(engine):
    engine.pause_generation()
"""
HARMLESS = """\
def quiesce(engine):
    engine.flush()
"""
CALLER = """\
from pkg.helper import quiesce


def update(engine):
    quiesce(engine)
    engine.load()
    engine.continue_generation()
"""


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {"pyproject.toml": "", "pkg/__init__.py": "", "pkg/helper.py": HELPER}
    return write(tmp_path / "project", files)


def check(text: str, name: str, cwd: Path, *options: str) -> list[str]:
    """Path, line and code of what is found in `text`."""
    arguments = ("check", "-", "--stdin-filename", name, "--output-format", "concise", "-q", *options)
    done = pause_lint(*arguments, cwd=cwd, stdin=text.encode())
    found = re.findall(r"^(\S+?:\d+):\d+: (PR\d+)", done.out, flags=re.MULTILINE)
    assert (done.code, done.err) == (int(bool(found)), "")
    return [" ".join(one) for one in found]


def test_a_file_that_is_there_is_taken_as_it_is_in_the_editor(project: Path) -> None:
    write(project, {"pkg/trainer.py": "# nothing yet\n"})
    assert check(CALLER, "pkg/trainer.py", project) == ["pkg/trainer.py:5 PR001"]
    write(project, {"pkg/trainer.py": CALLER})
    assert check("# nothing any more\n", "pkg/trainer.py", project) == []


def test_a_new_file_is_in_the_tree_that_it_will_be_in(project: Path) -> None:
    assert check(CALLER, "pkg/new.py", project) == ["pkg/new.py:5 PR001"]
    assert check(CALLER, "new/folder/new.py", project) == ["new/folder/new.py:5 PR001"]
    done = flake8("--select", "PR", "--stdin-display-name", "pkg/new.py", "-", cwd=project, stdin=CALLER.encode())
    assert done.out.startswith("pkg/new.py:5:5: PR001 ")


def test_a_file_elsewhere_is_in_the_tree_there(project: Path) -> None:
    files = {
        "setup.cfg": "[pause_lint]\npairs = drain:undrain\n",
        "pkg/helper.py": HELPER.replace("pause_gen", "no_gen"),
    }
    elsewhere = write(project.parent / "elsewhere", files)
    assert check(CALLER, str(elsewhere / "new.py"), project) == []
    drained = CALLER.replace("quiesce(engine)", "engine.drain()").replace("continue_generation", "undrain")
    assert check(drained, str(elsewhere / "new.py"), project) == ["../elsewhere/new.py:5 PR001"]
    assert check(CALLER, str(project / "pkg/new.py"), elsewhere) == ["../project/pkg/new.py:5 PR001"]


def test_without_a_project_it_is_in_its_folder_or_package(tmp_path: Path) -> None:
    write(tmp_path, {"loose/pkg/helper.py": HELPER, "other/pkg/__init__.py": "", "other/pkg/helper.py": HELPER})
    assert check(CALLER, "loose/new.py", tmp_path) == ["loose/new.py:5 PR001"]
    assert check(CALLER, "other/pkg/new.py", tmp_path) == ["other/pkg/new.py:5 PR001"]
    assert check(CALLER, "nowhere/new.py", tmp_path) == []


def test_by_itself_if_asked_or_without_a_name(project: Path) -> None:
    assert check(CALLER, "pkg/new.py", project, "--no-project") == []
    done = pause_lint("check", "-", cwd=project, stdin=CALLER.encode())
    assert (done.code, done.err) == (0, "")


def test_only_the_file_itself_is_reported(project: Path) -> None:
    write(project, {"pkg/trainer.py": CALLER})
    assert check(HELPER, "pkg/helper.py", project) == []


def test_a_handler_that_is_not_saved_yet_and_one_that_is_still_on_disk(project: Path) -> None:
    """The chain leads from the file to another one, and back to a handler in the file."""
    (tree,) = (one for one in trees() if one.title == "A handler beside the pair, and a client that forgets")
    handler = tree.files["server.py"].partition('@router.post("/update_weights")')
    with_it = "".join(handler) + tree.files["trainer.py"]
    without = handler[0] + tree.files["trainer.py"]
    line = with_it[: with_it.index("update_weights_from_disk(path)")].count("\n") + 1
    write(project, {"client.py": tree.files["client.py"], "whole.py": without})
    assert check(with_it, "whole.py", project) == [f"whole.py:{line} PR001"]
    write(project, {"whole.py": with_it})
    assert check(without, "whole.py", project) == []


def test_a_name_through_a_link_stands_for_the_same_file(project: Path) -> None:
    """The name by which an editor opened a file need not be the one that a walk over the tree comes by."""
    os.symlink(project, project.parent / "link")
    relay = "from pkg.trainer import quiesce\n\n\ndef relay(engine):\n    quiesce(engine)\n"
    caller = CALLER.replace("pkg.helper import quiesce", "pkg.relay import relay").replace("quiesce(", "relay(")
    for on_disk, in_editor, found in ((HELPER, HARMLESS, []), (HARMLESS, HELPER, ["../link/pkg/trainer.py:5 PR001"])):
        write(project, {"pkg/relay.py": relay, "pkg/trainer.py": caller + on_disk, "pkg/helper.py": ""})
        assert check(caller + in_editor, "../link/pkg/trainer.py", project, "--project-root", ".") == found


def test_a_file_that_is_new_is_fixed_in_its_tree(project: Path) -> None:
    done = pause_lint("fix", "-", "--stdin-filename", "pkg/new.py", cwd=project, stdin=CALLER.encode())
    assert done.code == 0
    assert "    finally:\n        engine.continue_generation()\n" in done.out
