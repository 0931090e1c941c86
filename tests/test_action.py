"""The GitHub Action: valid as its schema has it, safe against its inputs, and each script run as a runner would.

Other actions are not run, nor is GitHub's server: `gh` is a program of ours that writes down how it is called.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.helpers.commands import PROJECT, SCRIPTS, Done, run

ACTION: dict[str, Any] = yaml.safe_load((PROJECT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
SCRIPTED = [step for step in STEPS if "run" in step]
PAGE = (PROJECT / "docs/github.md").read_text(encoding="utf-8")
FAULTY = """\
def reload(engine, path):
    engine.pause_generation()
    engine.load(path)
    engine.continue_generation()
"""
MARK = "<!-- pause-lint -->"
GH = """\
#!{python}
import json, os, sys
from pathlib import Path
body = [word[len("body=@"):] for word in sys.argv if word.startswith("body=@")]
call = {{"words": sys.argv[1:], "body": Path(body[0]).read_text(encoding="utf-8") if body else None}}
with open(os.environ["CALLS"], "a", encoding="utf-8") as calls:
    calls.write(json.dumps(call) + "\\n")
if os.environ.get("REFUSES") == ("write" if body else "read"):
    sys.exit(1)
if not body:
    print(os.environ.get("KNOWN", ""), end="")
"""


@dataclass
class Runner:
    """A runner on a scratch repository: what a job's steps leave behind."""

    folder: Path
    inputs: dict[str, str]
    number: str = "7"

    def __post_init__(self) -> None:
        self.temp = self.folder / "temporary files"
        self.repository = self.folder / "repository"
        for path in (self.repository, self.temp / "pause-lint/bin", self.folder / "bin"):
            path.mkdir(parents=True)
        (self.temp / "pause-lint/bin/pause-lint").symlink_to(SCRIPTS / "pause-lint")
        gh = self.folder / "bin/gh"
        gh.write_text(GH.format(python=sys.executable), encoding="utf-8")
        gh.chmod(0o755)
        (self.repository / "pyproject.toml").write_text("", encoding="utf-8")

    def write(self, name: str, text: str) -> None:
        """A file of the repository."""
        (self.repository / name).write_text(text, encoding="utf-8")

    def step(self, name: str, **more: str) -> Done:
        """Run the script of a step under the shell, in the folder and with the variables of a runner."""
        [step] = [step for step in STEPS if step["id"] == name]
        script = self.folder / f"{name}.sh"
        script.write_text(step["run"], encoding="utf-8")
        environment = {key: self._filled(value) for key, value in step["env"].items()}
        runner = {
            "GITHUB_ACTION_PATH": str(PROJECT),
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
            "GITHUB_REPOSITORY": "someone/something",
            "CALLS": str(self.folder / "calls"),
            "PATH": f"{self.folder / 'bin'}:{SCRIPTS}:/usr/bin:/bin",
        }
        shell = ("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script)
        return run(*shell, cwd=self.repository, env={**environment, **runner, **more})

    def _filled(self, value: str) -> str:
        def known(match: re.Match[str]) -> str:
            name = match[1]
            if name.startswith("inputs."):
                given: str = ACTION["inputs"][name.removeprefix("inputs.")]["default"]
                return self.inputs.get(name.removeprefix("inputs."), given)
            if name.startswith("steps.check.outputs."):
                return self.outputs.get(name.removeprefix("steps.check.outputs."), "")
            return {
                "runner.temp": str(self.temp),
                "steps.python.outputs.python-path": sys.executable,
                "github.event.pull_request.number": self.number,
            }[name]

        return re.sub(r"\$\{\{ ([\w.-]+) \}\}", known, value)

    @property
    def outputs(self) -> dict[str, str]:
        """What the steps have set so far."""
        lines = (self.folder / "output").read_text(encoding="utf-8").splitlines()
        return dict(line.split("=", 1) for line in lines)

    @property
    def summary(self) -> str:
        """The summary of the job."""
        return (self.folder / "summary").read_text(encoding="utf-8")

    @property
    def calls(self) -> list[dict[str, Any]]:
        """How `gh` was called."""
        path = self.folder / "calls"
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """A runner on a repository with one faulty file."""
    made = Runner(tmp_path, {})
    made.write("faulty.py", FAULTY)
    return made


# -- the file ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "schema, file", [("github-actions", "action.yml"), ("github-workflows", ".github/workflows/ci.yml")]
)
def test_it_is_valid(schema: str, file: str) -> None:
    done = run("check-jsonschema", "--builtin-schema", f"vendor.{schema}", file, cwd=PROJECT)
    assert done.code == 0, done.out


def test_nothing_is_put_into_a_script() -> None:
    assert len(SCRIPTED) == 4
    assert [step["id"] for step in SCRIPTED if "${{" in step["run"]] == []


def test_every_input_is_used_and_described() -> None:
    used = set(re.findall(r"inputs\.([\w-]+)", (PROJECT / "action.yml").read_text(encoding="utf-8")))
    shown = re.findall(r"^\| `([\w-]+)` \|", PAGE, flags=re.MULTILINE)
    assert used == set(ACTION["inputs"])
    assert shown == [*ACTION["inputs"], *ACTION["outputs"]]
    for name, given in ACTION["inputs"].items():
        [default] = re.findall(rf"^\| `{name}` \| (.+?) \|", PAGE, flags=re.MULTILINE)
        assert default.strip("`") == given["default"] or default in ("none", "the job's")


def test_the_page_uses_inputs_that_exist() -> None:
    blocks = re.findall(r"OWNER/REPOSITORY@REVISION.*?\n( +)with:\n((?:\1  .*\n)+)", PAGE)
    used = {name for _, block in blocks for name in re.findall(r"^ +([\w-]+):", block, flags=re.MULTILINE)}
    assert len(blocks) == 2
    assert used
    assert used <= set(ACTION["inputs"])


def test_every_output_is_set_by_a_step() -> None:
    for name, output in ACTION["outputs"].items():
        assert output["value"] == f"${{{{ steps.check.outputs.{name} }}}}"


# -- install, check, verdict -------------------------------------------------------------------------------------------


def test_it_installs_itself(tmp_path: Path) -> None:
    runner = Runner(tmp_path, {})
    (runner.temp / "pause-lint/bin/pause-lint").unlink()
    done = runner.step("install")
    assert done.code == 0, done.err
    assert run(runner.temp / "pause-lint/bin/pause-lint", "--version", cwd=tmp_path).code == 0


def test_findings(runner: Runner) -> None:
    done = runner.step("check")
    assert done.code == 0, done.err
    sarif = Path(runner.outputs["sarif-file"])
    assert runner.outputs["exit-code"] == "1"
    assert [one["ruleId"] for one in json.loads(sarif.read_text(encoding="utf-8"))["runs"][0]["results"]] == ["PR001"]
    assert done.out.startswith("::error file=faulty.py,line=2,")
    assert "    faulty.py:2:5: PR001 " in runner.summary
    assert runner.step("verdict").code == 1


def test_no_findings(runner: Runner) -> None:
    runner.write("faulty.py", "pass\n")
    done = runner.step("check")
    assert (done.code, done.out) == (0, ""), done.err
    assert runner.outputs["exit-code"] == "0"
    assert json.loads(Path(runner.outputs["sarif-file"]).read_text(encoding="utf-8"))["runs"][0]["results"] == []
    assert "    No findings in 1 file." in runner.summary
    assert runner.step("verdict").code == 0


def test_a_file_that_does_not_parse(runner: Runner) -> None:
    runner.write("broken.py", "def reload(engine):\n    engine.pause_generation(\n")
    done = runner.step("check")
    assert done.code == 0, done.err
    assert runner.outputs["exit-code"] == "2"
    assert Path(runner.outputs["sarif-file"]).stat().st_size
    assert "file=broken.py" in done.out
    assert "broken.py:" in runner.summary
    assert runner.step("verdict").code == 2


def test_an_option_that_does_not_exist(runner: Runner) -> None:
    runner.inputs["args"] = "--presett vllm"
    done = runner.step("check")
    assert done.code == 0, done.err
    assert runner.outputs == {"exit-code": "2"}
    assert "--presett" in done.err
    assert "--presett" in runner.summary
    runner.inputs["fail"] = "false"
    assert runner.step("verdict").code == 2


def test_findings_that_do_not_fail(runner: Runner) -> None:
    runner.inputs["fail"] = "false"
    runner.step("check")
    assert runner.outputs["exit-code"] == "1"
    assert runner.step("verdict").code == 0


def test_paths_and_options(runner: Runner) -> None:
    runner.write(
        "with blanks.py", FAULTY.replace("pause_generation", "drain").replace("continue_generation", "undrain")
    )
    runner.inputs.update(paths="\nwith blanks.py\n\n", args="--pair drain:undrain\n  --select PR001", annotate="false")
    done = runner.step("check")
    assert (done.code, done.out) == (0, ""), done.err
    assert "    with blanks.py:2:5: PR001 " in runner.summary
    assert "faulty.py" not in runner.summary


@pytest.mark.parametrize("name", ["paths", "args", "fix-args"])
def test_inputs_are_no_code(runner: Runner, name: str) -> None:
    runner.inputs[name] = "$(touch made) `touch made` ; touch made; * \"; touch made; #' && touch made"
    runner.step("check")
    runner.step("comment")
    assert sorted(path.name for path in runner.repository.iterdir()) == ["faulty.py", "pyproject.toml"]


# -- the comment -------------------------------------------------------------------------------------------------------


def test_the_diff_becomes_a_comment(runner: Runner) -> None:
    done = runner.step("comment")
    assert done.code == 0, done.err
    asked, written = runner.calls
    assert asked["words"][:2] == ["api", "graphql"]
    assert {"owner=someone", "name=something", "number=7"} <= set(asked["words"])
    assert written["words"][:4] == ["api", "--method", "POST", "repos/someone/something/issues/7/comments"]
    assert written["body"].startswith(f"{MARK}\n")
    assert "\n```diff\n--- a/faulty.py\n" in written["body"]
    assert "+    finally:\n" in written["body"]
    assert (runner.repository / "faulty.py").read_text(encoding="utf-8") == FAULTY


def test_a_comment_that_is_there_is_written_over(runner: Runner) -> None:
    runner.step("comment", KNOWN="41\n42\n")
    assert runner.calls[-1]["words"][1:4] == ["--method", "PATCH", "repos/someone/something/issues/comments/41"]


def test_without_a_diff_a_comment_is_put_right_and_none_is_made(runner: Runner) -> None:
    runner.write("faulty.py", "pass\n")
    assert runner.step("comment").code == 0
    assert [call["body"] for call in runner.calls] == [None]
    assert runner.step("comment", KNOWN="41").code == 0
    assert "nothing to write any more" in runner.calls[-1]["body"]


def test_a_diff_with_fences_stays_in_its_own(runner: Runner) -> None:
    runner.write("faulty.py", FAULTY.replace("engine.load(path)", 'engine.load("````") # ```'))
    runner.step("comment")
    body = runner.calls[-1]["body"]
    [fence] = re.findall(r"^(`+)diff$", body, flags=re.MULTILINE)
    assert len(fence) > 4
    assert body.rstrip().endswith(f"\n{fence}")


def test_a_long_diff_is_cut_between_characters(runner: Runner) -> None:
    for number in range(12):
        runner.write(f"faulty{number}.py", FAULTY.replace("load(path)", f'load(path, "{"ü" * 3000}")'))
    done = runner.step("comment")
    assert done.code == 0, done.err
    body = runner.calls[-1]["body"]
    assert len(body) < 65_536
    assert "The rest is left out here." in body


def test_where_nothing_could_be_checked_the_comment_stays(runner: Runner) -> None:
    runner.inputs["fix-args"] = "--presett vllm"
    assert runner.step("comment", KNOWN="41").code == 0
    assert [call["body"] for call in runner.calls] == [None]


def test_a_file_that_does_not_parse_does_not_hide_the_others(runner: Runner) -> None:
    runner.write("broken.py", "def reload(engine):\n    engine.pause_generation(\n")
    assert runner.step("comment").code == 0
    assert "+++ b/faulty.py" in runner.calls[-1]["body"]


@pytest.mark.parametrize("refused", ["read", "write"])
def test_without_the_right_to_write_there_is_a_warning(runner: Runner, refused: str) -> None:
    done = runner.step("comment", REFUSES=refused)
    assert done.code == 0
    assert done.out.startswith("::warning title=pause-lint::")
