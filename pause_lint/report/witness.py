"""The path of a finding in words: step by step, with the change from one process to another, or all in one line."""

from __future__ import annotations

from typing import NamedTuple

from pause_lint.finding import Finding, Role, Step
from pause_lint.report.excerpt import printable

_LABELS: dict[Role, str] = {
    "pause": "paused",
    "resume": "resumed",
    "call": "calls",
    "request": "requests",
    "serve": "served",
    "turn": "turns",
    "escape": "escapes",
    "leave": "leaves",
    "cause": "cause",
}
_LEAVING: tuple[Role, ...] = ("turn", "escape", "leave")
"""What happens in the function of the finding itself, and so in its process."""


class Note(NamedTuple):
    """One step. label: what happens, in a word; empty if nothing that has one. place: without the file where that is
    the finding's. crossing: to what process the path went since the step before; empty if it stayed in one.
    """

    label: str
    place: str
    message: str
    crossing: str


def notes(finding: Finding) -> list[Note]:
    """The steps of the path of a finding, in order; nothing in them breaks a line or steers a terminal."""
    found: list[Note] = []
    elsewhere = False
    for step in finding.witness:
        crossing = ""
        if step.role == "serve":
            crossing = f"into the process that serves {step.endpoint}"
            elsewhere = True
        elif elsewhere and step.role in _LEAVING:
            crossing = "back in the process that made the request"
            elsewhere = False
        place = f"line {step.line}" if step.path == finding.path else f"{step.path}:{step.line}:{step.column}"
        found.append(Note(_LABELS.get(step.role, ""), printable(place), printable(step.message), printable(crossing)))
    return found


def steps(finding: Finding) -> list[str]:
    """The path of a finding as numbered notes, one line each."""
    width = len(str(len(finding.witness)))
    return [f"{number:>{width}}. {note.place}: {note.message}" for number, note in enumerate(notes(finding), 1)]


def chain(finding: Finding) -> str:
    """The whole way of a finding that leads through other functions, in brackets; empty for any other.

    `->` goes to the next place, `=>` to another process, through the address that it serves:
    `[via a.py:1 -> b.py:2 => /x -> c.py:3; escapes at a.py:4]`.
    """
    if not any(step.role in ("call", "request") for step in finding.witness):
        return ""
    text = ""
    for step in finding.witness:
        if step.role in ("escape", "leave"):
            text += f"; {_LABELS[step.role]} at {_place(step)}"
        elif step.role == "serve":
            text += f" => {step.endpoint} -> {_place(step)}"
        elif step.role != "turn":
            text += f" -> {_place(step)}"
    return printable(f"[via {text.removeprefix(' -> ')}]")


def _place(step: Step) -> str:
    return f"{step.path}:{step.line}"
