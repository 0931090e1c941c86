"""The field report: the page is what its data say, the data hold together, and no text in them is anybody else's."""

from __future__ import annotations

import re

import pytest

from tests.field.data import Finding, Label, Reading, Row, answers, findings, labels, readings, unrelated
from tests.field.judge import Judgement, answers_to, disputed, is_found, judge, of_tree, readers, same_place
from tests.field.page import PAGE, render

CODE = {
    "a quotation": re.compile(r"""[`"]|(?<!\w)'|'(?!\w)(?<!s')"""),
    "a call": re.compile(r"\w\("),
    "an operator": re.compile(r"[={}<>\[\]@]"),
    "a statement": re.compile(r"\b(await|except|raise) [a-zA-Z_]+\.|\bself\b|\bexcept [A-Z(]"),
    "a receiver": re.compile(r"(?<![\w./])(?!ray|asyncio|threading|torch_memory_saver)[a-z_]\w*\.(?!py\b)[a-z_]\w*"),
}
TREES = [judge(reading, findings(reading.name)) for reading in readings()]
each_tree = pytest.mark.parametrize("tree", TREES, ids=lambda tree: tree.reading.name)


def words() -> list[str]:
    """Everything in the data that is said in words."""
    rows = [row for tree in TREES for row in tree.reading.rows]
    given = answers()
    return [
        *(row.why for row in rows),
        *(row.miss for row in rows),
        *(row.remark for row in rows),
        *(item.label for item in given),
        *(item.reading for item in given),
        *(alarm.why for alarm in unrelated()[1]),
    ]


def row(line: int, verdict: str = "fault", function: str = "sync") -> Row:
    return Row("a.py", function, line, "pause", verdict, "exception", "it may raise")


def finding(line: int, function: str = "sync") -> Finding:
    return Finding("PR001", "a.py", line, function, "exception", "safe")


def judged(rows: list[Row], found: list[Finding]) -> Judgement:
    return judge(Reading("o+r@c", "o/r", "c", "whole", True, tuple(rows)), found)


def label(line: int, *, flag: bool, checked: str = "reading") -> Label:
    return Label("o/r", "c", "a.py", "sync", line, flag, checked)


def test_the_page_is_what_the_data_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == render(), "run: python -m tests.field.page"


@each_tree
def test_files_are_named_after_their_tree(tree: Judgement) -> None:
    repository, _, commit = tree.reading.name.partition("@")
    assert repository.replace("+", "/") == tree.reading.repository
    assert commit == re.sub(r"\^$", "p", tree.reading.commit)


@each_tree
def test_every_finding_was_read(tree: Judgement) -> None:
    assert [item.finding for item in tree.found if item.verdict == "unread"] == []


@each_tree
def test_every_miss_has_a_reason(tree: Judgement) -> None:
    assert [missed for missed in tree.missed if not missed.miss] == []


@each_tree
def test_every_dispute_is_answered(tree: Judgement) -> None:
    given = answers()
    assert [item for item in disputed(of_tree(labels(), tree.reading), tree) if not answers_to(item, given)] == []


def test_every_answer_is_about_a_label() -> None:
    known = labels()
    assert [item for item in answers() if not any(answers_to(label, [item]) for label in known)] == []


@each_tree
def test_answers_call_a_miss_what_is_one(tree: Judgement) -> None:
    mine = [
        item for item in answers() if (item.repository, item.commit) == (tree.reading.repository, tree.reading.commit)
    ]
    missed = [item for item in mine if any(same_place(item, row) for row in tree.missed)]
    assert [item for item in mine if "known miss" in item.reading] == missed


@each_tree
def test_every_defect_that_a_label_found_by_reading_is_reported(tree: Judgement) -> None:
    wanted = [item for item in of_tree(labels(), tree.reading) if item.flag and item.checked == "reading"]
    assert [item for item in wanted if not is_found(item, tree)] == []


def test_labels_are_about_trees_that_were_read() -> None:
    read = {(tree.reading.repository, tree.reading.commit) for tree in TREES}
    assert {(item.repository, item.commit) for item in labels()} <= read


def test_97_of_100_findings_are_real_and_92_of_100_of_them_are_fixed_or_shown() -> None:
    real = sum(tree.count("real") for tree in TREES)
    assert real >= 0.97 * sum(len(tree.found) for tree in TREES)
    assert sum(tree.count("real", fix) for tree in TREES for fix in ("safe", "unsafe")) >= 0.92 * real


def test_unrelated_trees_are_judged_finding_by_finding() -> None:
    packages, alarms = unrelated()
    assert sum(item.findings for item in packages) == len(alarms)
    assert {item.judgement for item in alarms} <= {"real", "false"}


@pytest.mark.parametrize("what", CODE)
def test_no_text_quotes_code(what: str) -> None:
    assert [text for text in words() if CODE[what].search(text)] == []


@pytest.mark.parametrize(
    "text, what",
    [
        ("It says 'go on'.", "a quotation"),
        ("then get(refs) raises", "a call"),
        ("if rank == 0", "an operator"),
        ("await engine.pause", "a statement"),
        ("then engine.pause raises", "a receiver"),
    ],
)
def test_quoted_code_is_recognised(text: str, what: str) -> None:
    assert CODE[what].search(text)


def test_ordinary_sentences_quote_nothing() -> None:
    text = "The trainer's ray.get of engines' refs (line 7, a.py:12) raises; Trainer.fit resumes (9, 11)."
    assert [what for what, pattern in CODE.items() if pattern.search(text)] == []


def test_a_finding_is_about_the_nearest_row_of_its_function() -> None:
    tree = judged([row(10), row(12, "ok"), row(10, function="other")], [finding(12), finding(11, "other")])
    assert [item.verdict for item in tree.found] == ["false", "real"]
    assert tree.missed == (row(10),)


def test_a_fault_goes_before_what_is_none_on_the_same_line() -> None:
    assert judged([row(10, "ok"), row(10)], [finding(10)]).count("real", "safe") == 1


def test_a_finding_far_from_every_row_is_unread() -> None:
    assert judged([row(10)], [finding(13)]).count("unread") == 1


def test_two_faults_of_one_line_are_met_by_one_finding() -> None:
    assert judged([row(10), row(10)._replace(kind="partial")], [finding(10)]).missed == ()


def test_a_second_reader_is_a_label_made_by_reading() -> None:
    assert readers(row(10), [label(30, flag=True)]) == 2
    assert readers(row(10), [label(10, flag=True, checked="shape")]) == 1


def test_disputed_is_silence_about_a_fault_and_noise_about_none() -> None:
    quiet, loud = label(10, flag=False), label(10, flag=True)
    assert disputed([quiet], judged([row(11)], [])) == (quiet,)
    assert disputed([loud], judged([row(11, "ok")], [])) == (loud,)
    assert disputed([quiet, loud], judged([row(11)], [])) == ()
