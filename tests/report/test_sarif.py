"""SARIF: the path step by step, fixes that can be applied as they stand, and what results are known by."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import ValidationError

from pause_lint.cli import main
from pause_lint.finding import Finding, Problem, Report, Span, Step
from pause_lint.fixing.propose import replacements
from pause_lint.report.sarif import SCHEMA, render
from pause_lint.rules import RULES, page
from tests.helpers.cases import Case, all_cases
from tests.helpers.commands import PROJECT, pause_lint
from tests.helpers.formats import applied, messages, read_sarif, sarif_path, sarif_schema
from tests.helpers.sources import FAULTY, FIXED, GRADED, HOSTILE_CODE
from tests.report.conftest import Check

FSDP = "tinyrl/fsdp_engine.py"


def only_fix(result: Any, path: str) -> Any:
    """The replacements of the one fix of a result, all in the file at `path`."""
    [fix] = result["fixes"]
    [change] = fix["artifactChanges"]
    assert sarif_path(change) == path
    return change["replacements"]


def test_the_schema_refuses_what_is_not_sarif(check: Check) -> None:
    Path("a.py").write_text(FAULTY, encoding="utf-8")
    log = json.loads(check("sarif").out)
    published = sarif_schema().schema
    assert isinstance(published, dict)
    assert log["$schema"] == SCHEMA == published["id"]
    sarif_schema().validate(log)
    for place, value in (
        (("columnKind",), "bytes"),
        (("results", 0, "level"), "grave"),
        (("results", 0, "message"), {}),
        (("results", 0, "codeFlows", 0), {"locations": []}),
        (("results", 0, "locations", 0, "physicalLocation", "region", "startLine"), 0),
    ):
        spoilt = copy.deepcopy(log)
        holder: Any = spoilt["runs"][0]
        for key in place[:-1]:
            holder = holder[key]
        assert holder[place[-1]] != value
        holder[place[-1]] = value
        with pytest.raises(ValidationError):
            sarif_schema().validate(spoilt)


def test_a_reader_of_code_flows_gets_the_steps_in_the_order_of_the_path() -> None:
    """Across files and into the process of the server, for the fault of the report in miniature."""
    cwd = PROJECT / "examples/areal_npu"
    run = read_sarif(pause_lint("check", "--output-format", "sarif", ".", cwd=cwd).out)
    found = pause_lint("check", "--output-format", "json", ".", cwd=cwd).json["findings"]
    assert len(found) == 6
    for result, finding in zip(run["results"], found, strict=True):
        [flow] = result["codeFlows"]
        [thread] = flow["threadFlows"]
        steps = [step["location"] for step in thread["locations"]]
        assert [read_step(step) for step in steps] == finding["witness"]
        assert [read_step(step) for step in result["relatedLocations"]] == finding["witness"]
    crossing = [step["path"] for step in found[0]["witness"]]
    assert (crossing[0], crossing[-1]) == (FSDP, FSDP)
    assert "tinyrl/server.py" in crossing[1:-1]


def read_step(location: Any) -> dict[str, Any]:
    """A location with a message, as the JSON format has a step."""
    region = location["physicalLocation"]["region"]
    return {
        "path": sarif_path(location["physicalLocation"]),
        "line": region["startLine"],
        "column": region["startColumn"],
        "message": location["message"]["text"],
    }


def test_regions_count_characters(check: Check) -> None:
    """Neither bytes nor the units of UTF-16, whatever is on the line."""
    line = "    x = '𝄞日本e\u0301'; engine.pause_generation()\n"
    Path("a.py").write_text(f"def f(engine):\n{line}    engine.load()\n", encoding="utf-8")
    run = read_sarif(check("sarif").out)
    assert run["columnKind"] == "unicodeCodePoints"
    [result] = run["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == "engine.pause_generation()"


def test_levels_functions_and_kinds(check: Check) -> None:
    Path("a.py").write_text(GRADED, encoding="utf-8")
    results = read_sarif(check("sarif", "--extend-select", "PR005").out)["results"]
    assert [(one["ruleId"], one["level"]) for one in results] == [
        ("PR001", "error"),
        ("PR005", "warning"),
        ("PR900", "note"),
    ]
    assert results[0]["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "reload", "kind": "function"}]
    assert "logicalLocations" not in results[2]["locations"][0]
    assert results[0]["properties"] == {"kind": "exception", "fix": "safe"}


def test_every_rule_has_its_page(check: Check) -> None:
    rules = read_sarif(check("sarif").out)["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.code for rule in RULES]
    for shown, rule in zip(rules, RULES, strict=True):
        assert shown["name"] == rule.name
        assert shown["help"]["markdown"] == page(rule)
        assert shown["defaultConfiguration"]["enabled"] == (rule.default != "opt-in")


def test_what_could_not_be_parsed_is_a_notification(check: Check) -> None:
    Path("bad.py").write_text("x = 1\ndef pause_generation(:\n", encoding="utf-8")
    [invocation] = read_sarif(check("sarif", "bad.py", "missing.py").out)["invocations"]
    assert invocation["executionSuccessful"] is False
    parsed, missing = invocation["toolExecutionNotifications"]
    assert (parsed["level"], missing["level"]) == ("error", "error")
    assert parsed["message"]["text"].startswith("syntax error")
    assert parsed["locations"][0]["physicalLocation"]["region"] == {"startLine": 2}
    assert "region" not in missing["locations"][0]["physicalLocation"]
    Path("bad.py").unlink()
    assert read_sarif(check("sarif").out)["invocations"] == [
        {"executionSuccessful": False, "toolExecutionNotifications": [missing_files()]}
    ]


def missing_files() -> dict[str, Any]:
    """What is said of a folder that has nothing to check."""
    place = {"artifactLocation": {"uri": ".", "uriBaseId": "SRCROOT"}}
    message = {"text": "no Python files (.py, .pyi) in this folder"}
    return {"level": "error", "message": message, "locations": [{"physicalLocation": place}]}


# Fixes


@pytest.mark.parametrize(
    "source",
    [
        FAULTY,
        FAULTY.replace("\n", "\r\n"),
        f"x = 1\r\f\r\n{FAULTY}",
        FAULTY.removesuffix("\n"),
        "\ufeff" + FAULTY,
        HOSTILE_CODE,
    ],
    ids=["unix", "windows", "mixed", "unended", "marked", "hostile"],
)
def test_a_fix_applied_is_what_fix_writes(check: Check, project: Path, source: str) -> None:
    (project / "a.py").write_bytes(source.encode())
    [result] = read_sarif(check("sarif").out)["results"]
    text = applied(source.removeprefix("\ufeff"), only_fix(result, "a.py"))
    assert pause_lint("fix", cwd=project).code == 0
    assert (project / "a.py").read_bytes().decode("utf-8-sig") == text


def test_each_fix_cures_its_own_finding(check: Check) -> None:
    source = "\n\n".join(FAULTY.replace("reload", f"reload_{number}") for number in range(3))
    Path("a.py").write_text(source, encoding="utf-8")
    results = read_sarif(check("sarif").out)["results"]
    for number, result in enumerate(results):
        text = applied(source, only_fix(result, "a.py"))
        assert text == source.replace(
            FAULTY.replace("reload", f"reload_{number}"), FIXED.replace("reload", f"reload_{number}")
        )


@pytest.mark.parametrize("case", [case for case in all_cases() if case.faulty], ids=lambda case: case.path.stem)
def test_the_fix_of_a_case_is_what_fix_writes(check: Check, project: Path, case: Case) -> None:
    (project / "a.py").write_bytes(case.data)
    results = read_sarif(check("sarif", "--preset", "all").out)["results"]
    offered = [applied(case.data.decode(), only_fix(result, "a.py")) for result in results if "fixes" in result]
    main(["fix", "--preset", "all", "--unsafe-fixes", "-q"])
    written = (project / "a.py").read_text(encoding="utf-8")
    assert offered == ([] if written == case.data.decode() else [written])


def test_a_fix_that_is_unsafe_says_so(check: Check, project: Path) -> None:
    source = "def reload(engine, path):\n    engine.pause_generation()\n    engine.load(path)\n"
    (project / "a.py").write_text(source, encoding="utf-8")
    [result] = read_sarif(check("sarif").out)["results"]
    assert result["properties"]["fix"] == "unsafe"
    told = result["fixes"][0]["description"]["text"]
    assert told.startswith("What `pause-lint fix --unsafe-fixes` writes. It is unsafe: ")
    text = applied(source, only_fix(result, "a.py"))
    assert pause_lint("fix", "--unsafe-fixes", cwd=project).code == 0
    assert (project / "a.py").read_text(encoding="utf-8") == text


def test_what_has_no_fix_or_is_suppressed_offers_none(check: Check) -> None:
    suppressed = FAULTY.replace("()\n", "()  # noqa: PR001\n", 1).replace("reload", "quiet")
    pausing = "def hold(engine):\n    engine.prepare()\n    engine.pause_generation()\n"
    Path("a.py").write_text(f"{suppressed}\n\n{FAULTY}\n\n{pausing}", encoding="utf-8")
    results = read_sarif(check("sarif").out)["results"]
    offered = {one["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]: "fixes" in one for one in results}
    assert offered["reload"]
    assert "quiet" not in offered
    assert all(
        offer == (one["properties"]["fix"] != "none") for offer, one in zip(offered.values(), results, strict=True)
    )


def test_without_libcst_there_are_no_fixes_and_that_is_said(project: Path) -> None:
    (project / "a.py").write_text(FAULTY, encoding="utf-8")
    hidden = "import sys; sys.modules['libcst'] = None; from pause_lint.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", hidden, "check", "--output-format", "sarif"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "note: fixes are left out: they need LibCST, which is not installed\n"
    [result] = read_sarif(done.stdout)["results"]
    assert "fixes" not in result


def test_a_fault_of_ours_in_a_fix_costs_the_fix_only(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> bytes:
        raise KeyError("odd")

    Path("a.py").write_text(FAULTY, encoding="utf-8")
    monkeypatch.setattr("pause_lint.fixing.propose.carried_out", fail)
    done = check("sarif")
    assert (done.code, done.err) == (1, "")
    assert "fixes" not in read_sarif(done.out)["results"][0]


LINES = st.lists(
    st.builds(
        "".join, st.tuples(st.sampled_from(["", "a", "\tb", "日\f"]), st.sampled_from(["\n", "\r\n", "\r", "c\n"]))
    )
).map("".join)


@given(LINES, LINES, st.sampled_from(["", "end"]))
def test_replacements_turn_any_text_into_any_other(old: str, new: str, end: str) -> None:
    found = [
        {
            "deletedRegion": {
                "startLine": span.line,
                "startColumn": span.column,
                "endLine": span.end_line,
                "endColumn": span.end_column,
            },
            "insertedContent": {"text": text},
        }
        for span, text in replacements(old + end, new)
    ]
    assert applied(old + end, found) == new


# Messages and paths


def test_a_path_from_the_root_of_a_drive_is_an_address_of_its_own() -> None:
    log = json.loads(render(Report((), (Problem("/other drive/a.py", 1, "broken"),), 1, 0), lambda _: (), {}))
    sarif_schema().validate(log)
    [notification] = log["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    artifact = notification["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact == {"uri": "file:///other%20drive/a.py"}


@given(st.text(), st.text(min_size=1).filter(lambda path: "\0" not in path and not path.startswith("/")))
def test_any_message_and_any_path_can_be_read_back(message: str, path: str) -> None:
    step = Step(path, 1, 1, message)
    finding = Finding("PR001", "never", message, path, Span(1, 1, 1, 2), "f", (step,))
    try:
        path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return  # no system gives such a path
    run = read_sarif(render(Report((finding,), (), 1, 1), lambda _: (), {}))
    assert {sarif_path(one["locations"][0]["physicalLocation"]) for one in run["results"]} == {path}
    if message.isprintable() and "](" not in message:
        assert message in [text.replace("{{", "{").replace("}}", "}") for text in messages(run)]
