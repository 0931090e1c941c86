"""Options: where they come from, which source wins, and what is said about those that cannot be followed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from pause_lint.config import (
    KEYS,
    ConfigError,
    Options,
    Settings,
    checked,
    load,
    marked_root,
    nearest,
    project_root,
    resolve,
    split_pairs,
    tree_root,
)
from pause_lint.pairs import PRESETS, preset_pairs
from pause_lint.rules import BY_CODE

ON_BY_DEFAULT = {"PR001", "PR002", "PR003", "PR004", "PR900"}


def options_of(folder: Path, line: Settings | None = None) -> Options:
    return resolve(load([str(folder)]), line or Settings())


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def complaint(folder: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        load([str(folder)])
    return str(caught.value)


def test_without_configuration() -> None:
    assert Options().select == ON_BY_DEFAULT
    assert Options().pairs == PRESETS["default"]
    assert resolve() == Options()


def test_pyproject(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    write(
        tmp_path,
        "pyproject.toml",
        """\
[tool.pause_lint]
select = ["PR00"]
ignore = ["PR003"]
presets = ["vllm"]
pairs = ["drain:undrain,undo"]
project-root = "src"
force-exclude = true
no-project = true
include-tests = true
exclude = ["generated"]
quiet-calls = ["record"]
stable-calls = ["is_leader"]
pauses = ["Engine.swap"]
resumes = ["Engine.back"]
""",
    )
    options = options_of(tmp_path)
    assert options.select == {"PR001", "PR002", "PR004", "PR005", "PR006", "PR007"}
    assert options.pairs[: len(preset_pairs(("default", "vllm")))] == preset_pairs(("default", "vllm"))
    assert options.pairs[-1].pauses == {"drain"}
    assert options.pairs[-1].resumes == {"undrain", "undo"}
    assert options.project_root == str(tmp_path / "src")
    assert options.no_project
    assert options.include_tests
    assert options.exclude == ("generated",)
    assert options.force_exclude
    assert options.quiet_calls == {"record"}
    assert options.stable_calls == {"is_leader"}
    assert options.pauses == ("Engine.swap",)
    assert options.resumes == ("Engine.back",)


def test_setup_cfg(tmp_path: Path) -> None:
    write(
        tmp_path,
        "setup.cfg",
        """\
[flake8]
max-line-length = 100
[pause_lint]
extend_select = PR005
presets = vllm, sglang
pairs =
    drain:undrain, undo
    hold : release
include-tests = yes
""",
    )
    options = options_of(tmp_path)
    assert options.select == ON_BY_DEFAULT | {"PR005"}
    assert options.include_tests
    assert [sorted(pair.resumes) for pair in options.pairs[-2:]] == [["undo", "undrain"], ["release"]]


def test_pyproject_is_read_before_setup_cfg(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", '[tool.pause_lint]\nselect = ["PR001"]\n')
    write(tmp_path, "setup.cfg", "[pause_lint]\nselect = PR002\n")
    assert options_of(tmp_path).select == {"PR001"}


def test_files_that_say_nothing_to_us_are_not_even_understood(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", "this is [not TOML")
    assert options_of(tmp_path) == Options()


def test_the_command_line_wins(tmp_path: Path) -> None:
    write(
        tmp_path,
        "pyproject.toml",
        '[tool.pause_lint]\nselect = ["PR001"]\nignore = ["PR002"]\npresets = ["vllm"]\ninclude-tests = true\n',
    )
    options = options_of(tmp_path, Settings(select=("PR002",), presets=("sglang",)))
    assert options.select == {"PR002"}
    assert options.pairs == preset_pairs(("default", "sglang"))
    assert options.include_tests
    assert options_of(tmp_path, Settings(extend_select=("PR005",))).select == {"PR001", "PR005"}


@pytest.mark.parametrize(
    "settings, selected",
    [
        (Settings(select=("PR",)), ON_BY_DEFAULT | {"PR005", "PR006", "PR007", "PR901"}),
        (Settings(select=("PR00",), ignore=("PR003", "PR005", "PR006", "PR007")), {"PR001", "PR002", "PR004"}),
        (Settings(select=("PR001",), ignore=("PR",)), {"PR001"}),
        (Settings(ignore=("PR900",)), ON_BY_DEFAULT - {"PR900"}),
        (Settings(ignore=("PR",)), set()),
        (Settings(extend_select=("PR005",)), ON_BY_DEFAULT | {"PR005"}),
        (Settings(extend_select=("PR005",), ignore=("PR00",)), {"PR005", "PR900"}),
    ],
)
def test_selection(settings: Settings, selected: set[str]) -> None:
    """Prefixes select; of two that fit a code, the longer decides."""
    assert resolve(settings).select == selected


@pytest.mark.parametrize(
    "text, message",
    [
        ('selct = ["PR001"]', "pyproject.toml:2: error: unknown key 'selct'; did you mean 'select'? (known: "),
        ('select = "PR001"', "pyproject.toml:2: error: select must be a list of strings, not 'PR001'"),
        ("select = [1]", "pyproject.toml:2: error: select must be a list of strings, not [1]"),
        ('select = ["PR01"]', "pyproject.toml:2: error: unknown rule 'PR01'; did you mean 'PR001'? (known: PR001, "),
        ('presets = ["vlm"]', "pyproject.toml:2: error: unknown preset 'vlm'; did you mean 'vllm'? (known: default, "),
        ('pairs = ["drain"]', "pyproject.toml:2: error: 'drain' is not of the form PAUSE:RESUME[,RESUME]"),
        ('include-tests = "yes"', "pyproject.toml:2: error: include-tests must be true or false, not 'yes'"),
        ("project-root = 1", "pyproject.toml:2: error: project-root must be a string, not 1"),
        ("select = [", "pyproject.toml:2: error: "),
        ("select == []", "pyproject.toml:2: error: "),
    ],
)
def test_mistakes_in_pyproject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "pyproject.toml", f"[tool.pause_lint]\n{text}\n")
    assert complaint(tmp_path).startswith(message)


@pytest.mark.parametrize(
    "text, message",
    [
        ("[pause_lint]\nselct = PR001\n", "setup.cfg:2: error: unknown key 'selct'; did you mean 'select'?"),
        ("[pause_lint]\nno-project = maybe\n", "setup.cfg:2: error: no-project must be true or false, not 'maybe'"),
        (
            "[pause-lint]\nselect = PR001\n",
            "setup.cfg:1: error: unknown section [pause-lint]; did you mean [pause_lint]?",
        ),
        *(
            (
                f"[metadata]\n[{name}]\nselect = PR001\n",
                f"setup.cfg:2: error: unknown section [{name}]; did you mean [pause_lint]?",
            )
            for name in ("pauselint", "tool.pause_lint", "tool:pause-lint", "Pause_Lint")
        ),
        ("[pause_lint]\n= nothing\n", "setup.cfg:2: error: "),
    ],
)
def test_mistakes_in_setup_cfg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "setup.cfg", text)
    assert complaint(tmp_path).startswith(message)


@pytest.mark.parametrize("name", ["nowhere", "pyproject.toml"])
def test_a_root_that_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """It would be a project without any file, in which nothing pauses."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "pyproject.toml", f'[tool.pause_lint]\nexclude = ["gen"]\nproject-root = "{name}"\n')
    message = f"error: project-root: no such folder: {name}; it is looked for beside this file"
    assert complaint(tmp_path) == f"pyproject.toml:3: {message}"
    write(tmp_path, "pyproject.toml", "")
    write(tmp_path, "setup.cfg", f"[pause_lint]\nproject_root = {name}\n")
    assert complaint(tmp_path) == f"setup.cfg:2: {message}"


@pytest.mark.parametrize(
    "name", ["tool.pause-lint", "tool.pauselint", "tool.PauseLint", "pause_lint", "pause-lint", "pauselint"]
)
@pytest.mark.parametrize("beside", ["", "[tool.pause_lint]\nselect = []\n"], ids=["alone", "beside"])
def test_a_table_of_nearly_our_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, beside: str) -> None:
    """Among them the one of setup.cfg. Whatever it says would be ignored."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "pyproject.toml", f"[project]\nname = 'x'\n[{name}]\nselect = ['PR001']\n{beside}")
    assert complaint(tmp_path) == f"pyproject.toml:3: error: unknown table [{name}]; did you mean [tool.pause_lint]?"


def test_tables_of_others_are_theirs(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", "[project]\nname = 'pause-lint'\n[tool.other.pause-lint]\n[tool.pauselinter]\n")
    write(tmp_path, "setup.cfg", "[flake8]\npause-lint-presets = vllm\n[other.pauselint]\n")
    assert options_of(tmp_path) == Options()


def test_a_file_in_another_encoding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_bytes(b"[tool.pause_lint]\n# caf\xe9\n")
    assert complaint(tmp_path) == "pyproject.toml:2: error: not UTF-8 text"


def test_a_named_file(tmp_path: Path) -> None:
    file = write(tmp_path, "ours.toml", '[tool.pause_lint]\nselect = ["PR001"]\n')
    assert resolve(load([], str(file))).select == {"PR001"}
    empty = write(tmp_path, "empty.cfg", "[pause_linter]\n")
    with pytest.raises(ConfigError, match=r"there is no \[pause_lint\] in this file"):
        load([], str(empty))
    with pytest.raises(ConfigError, match="no such file"):
        load([], str(tmp_path / "missing.toml"))


@pytest.mark.parametrize("marker", ["pyproject.toml", "setup.cfg", ".git"])
def test_the_project_begins_at_the_nearest_mark(tmp_path: Path, marker: str) -> None:
    (tmp_path / "setup.cfg").touch()
    inner = tmp_path / "inner"
    (inner / "package" / "deep").mkdir(parents=True)
    (inner / marker).touch()
    module = inner / "package" / "deep" / "module.py"
    module.touch()
    for path in (inner, inner / "package", module):
        assert marked_root(str(path)) == str(inner)
    assert project_root([str(module), str(inner / "package")]) == str(inner)
    assert project_root([str(module), str(tmp_path / "other.py")]) == str(tmp_path)


def test_an_installed_package_is_a_tree_of_its_own(tmp_path: Path) -> None:
    """Whatever project the virtual environment lies in."""
    (tmp_path / "pyproject.toml").touch()
    package = tmp_path / ".venv" / "lib" / "site-packages" / "areal"
    (package / "engine").mkdir(parents=True)
    for folder in (package, package / "engine"):
        (folder / "__init__.py").touch()
    assert marked_root(str(package)) is None
    assert tree_root(str(package)) == str(package)
    assert tree_root(str(package / "engine" / "__init__.py")) == str(package)


@pytest.mark.parametrize(
    "items, pairs",
    [
        (["drain:undrain"], ("drain:undrain",)),
        (["drain:undrain,undo"], ("drain:undrain,undo",)),
        (["drain:undrain", "undo", "hold:release"], ("drain:undrain,undo", "hold:release")),
        (["drain : undrain, undo\nhold: release"], ("drain:undrain,undo", "hold:release")),
        (["drain"], ("drain",)),
    ],
)
def test_pairs_as_text(items: list[str], pairs: tuple[str, ...]) -> None:
    assert split_pairs(items) == pairs


@pytest.mark.parametrize(
    "word, known, said",
    [
        ("presset", KEYS, "; did you mean 'presets'?"),
        ("excludes", KEYS, "; did you mean 'exclude'?"),
        ("PR01", BY_CODE, "; did you mean 'PR001'?"),
        ("PR999", BY_CODE, ""),
        ("E501", BY_CODE, ""),
        ("max-line-length", KEYS, ""),
        ("line-length", KEYS, ""),
        ("target-version", KEYS, ""),
        ("--fix", ["--diff", "--config"], ""),
        ("--colour", ["--config", "--color"], "; did you mean '--color'?"),
        ("tensorrt", PRESETS, ""),
        ("sg-lang", PRESETS, "; did you mean 'sglang'?"),
        ("", KEYS, ""),
    ],
)
def test_only_a_name_that_is_close_is_suggested(word: str, known: Iterable[str], said: str) -> None:
    assert nearest(word, known) == said


def test_codes_in_lower_case() -> None:
    assert checked("select", ["pr001"]) == ("PR001",)
