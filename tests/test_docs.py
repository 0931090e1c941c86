"""The pages say what the program does: every command in them is run, every table is compared with the code."""

from __future__ import annotations

import asyncio
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import pause_lint
from pause_lint.check import check_source
from pause_lint.config import KEYS, Options
from pause_lint.pairs import PRESETS
from pause_lint.rules import RULES
from tests.helpers.commands import PROJECT, run
from tests.helpers.console import blocks, examples, home, replay, shell_lines

README = (PROJECT / "README.md").read_text(encoding="utf-8")
CHANGELOG = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")
CONTRIBUTING = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PAGES = sorted([*PROJECT.glob("*.md"), *PROJECT.glob("docs/**/*.md"), *PROJECT.glob("examples/*/*.md")])
NPU = PROJECT / "docs/npu.md"
ELSEWHERE = {NPU, *PROJECT.glob("docs/contributing/*.md")}
"""Their commands need a released AReaL, or a copy of the repository: `test_npu_page.py`, `test_contributing.py`."""
COPYING = ["cp -r examples /tmp/pause-lint-examples", "cd /tmp/pause-lint-examples", "touch pyproject.toml"]
"""What a reader types first, in the clone, to have a copy to try in."""
SHELL = {"make test", "make demo", "pip install .", *COPYING}
"""Commands without output: the first is what runs this, the next two are run by `test_package.py`, the others below."""


def page_name(path: Path) -> str:
    return path.relative_to(PROJECT).as_posix()


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ELSEWHERE], ids=page_name)
def test_outputs_are_those_of_today(page: Path) -> None:
    with examples() as folder:
        for block in blocks(page.read_text(encoding="utf-8")):
            assert replay(block, home(page, folder)) == block


@pytest.mark.parametrize("name", ["README.md", "docs/getting-started.md"])
def test_every_command_can_be_typed_in_the_copy_that_the_page_makes(name: str, tmp_path: Path) -> None:
    """By a reader who begins in the clone and has nothing but the page."""
    page = (PROJECT / name).read_text(encoding="utf-8")
    lines = [line for line in shell_lines(page) if line in COPYING]
    assert lines == COPYING
    done = run("sh", "-ec", "\n".join(lines).replace("/tmp/", f"{tmp_path}/"), cwd=PROJECT)
    assert (done.code, done.err) == (0, "")
    for block in blocks(page):
        assert replay(block, tmp_path / "pause-lint-examples") == block


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_other_commands_are_run_elsewhere(page: Path) -> None:
    assert set(shell_lines(page.read_text(encoding="utf-8"))) <= SHELL


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        assert target.startswith("https://") or (page.parent / target).exists(), target


def test_readme_has_a_finding_on_its_first_screen() -> None:
    first_screen = "\n".join(README.splitlines()[:40])
    assert re.search(r"^disk_update\.py:\d+:\d+: PR001 ", first_screen, flags=re.MULTILINE)


def test_rules_of_the_readme_are_those_of_the_code() -> None:
    shown = re.findall(r"^\| (PR\d{3}) `([a-z-]+)` \|", README, flags=re.MULTILINE)
    assert shown == [(rule.code, rule.name) for rule in RULES]


def test_presets_of_the_readme_are_those_of_the_code() -> None:
    table = README.partition("| preset | pairs |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", table, flags=re.MULTILINE) == list(PRESETS)


def test_changelog_begins_with_this_version() -> None:
    versions = re.findall(r"^## (\S+)", CHANGELOG, flags=re.MULTILINE)
    assert versions[0] == pause_lint.__version__


def test_every_rule_is_in_the_changelog_or_the_range_it_names() -> None:
    named = set(re.findall(r"PR\d{3}", CHANGELOG))
    for first, last in re.findall(r"PR(\d{3}) to PR(\d{3})", CHANGELOG):
        named |= {f"PR{number:03}" for number in range(int(first), int(last) + 1)}
    assert {rule.code for rule in RULES} == named


def test_make_targets_exist() -> None:
    makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
    for page in (README, CONTRIBUTING):
        for target in re.findall(r"`make ([a-z-]+)", page):
            assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target


def test_ci_runs_the_readme_command() -> None:
    assert "make test" in shell_lines(README)
    assert re.search(r"^make test$", (PROJECT / ".ci/run").read_text(encoding="utf-8"), flags=re.MULTILINE)


def test_configuration_of_the_readme_is_understood(tmp_path: Path) -> None:
    [block] = re.findall(r"^```toml\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
    assert "pause_lint" in tomllib.loads(block)["tool"]
    (tmp_path / "pyproject.toml").write_text(block, encoding="utf-8")
    (tmp_path / "module.py").write_text("def stop(engine):\n    engine.drain()\n", encoding="utf-8")
    done = run("pause-lint", "check", "module.py", cwd=tmp_path)
    assert done.code == 1, done.err
    assert "PR001" in done.out


def test_layout_of_contributing_is_that_of_the_package() -> None:
    named = set(re.findall(r"`((?:\w+/)*\w+\.py)`", CONTRIBUTING.partition("## Layout")[2].partition("\n## ")[0]))
    assert all((PROJECT / "pause_lint" / name).is_file() for name in named)


class Engine:
    """Counts its pauses; one that is waited for until it is idle never is."""

    paused = 0

    async def pause_generation(self) -> None:
        self.paused += 1

    async def resume_generation(self) -> None:
        self.paused = 0

    async def wait_until_idle(self) -> None:
        raise TimeoutError


def test_the_miss_that_is_described_is_one_and_what_it_says_to_do_helps() -> None:
    page = (PROJECT / "docs/how-it-decides.md").read_text(encoding="utf-8")
    section = page.partition("## What it is known to miss")[2]
    texts = re.findall(r"^```python\n(.*?)^```$", section, flags=re.MULTILINE | re.DOTALL)
    left_paused = []
    for text in texts:
        assert check_source(text.encode(), "a.py", Options()).findings == ()
        names: dict[str, Any] = {}
        exec(text, names)
        engine = Engine()
        with pytest.raises(TimeoutError):
            asyncio.run(names["reload"](engine))
        left_paused.append(engine.paused)
    assert left_paused == [1, 0]
    between = texts[0].replace("    await engine.resume", "    await engine.load()\n    await engine.resume")
    assert [finding.code for finding in check_source(between.encode(), "a.py", Options()).findings] == ["PR001"]


def test_what_the_language_server_needs_is_said_in_one_way() -> None:
    """As the error of `pause-lint lsp` says it, and as the extra has it: the same command wherever one reads it."""
    [needed] = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]["lsp"]
    files = ["README.md", "docs/editors.md", "pause_lint/cli.py", "pause_lint/guide.py"]
    for name in files:
        assert f"python -m pip install '{needed}'" in (PROJECT / name).read_text(encoding="utf-8"), name
    texts = [path.read_text(encoding="utf-8") for path in [*PAGES, *PROJECT.glob("pause_lint/**/*.py")]]
    assert not any("[lsp]'" in text for text in texts)


def test_every_configuration_key_is_described() -> None:
    page = (PROJECT / "docs/configuration.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([a-z-]+)` \|", page, flags=re.MULTILINE) == list(KEYS)
