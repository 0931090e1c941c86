"""Suppression comments: what they hide, exactly as flake8 has it, and which of them do nothing."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from pause_lint.check import check_source
from pause_lint.config import Options
from tests.helpers.commands import flake8, pause_lint

FAULTY = """\
def reload(engine, path):
    engine.pause_generation(){comment}
    engine.load(path){below}
    engine.continue_generation()
"""


def on_the_line(comment: str) -> str:
    return FAULTY.format(comment="  " + comment, below="")


def below(comment: str) -> str:
    return FAULTY.format(comment="", below="  " + comment)


def around(first: str, last: str) -> str:
    """A call over several lines, with a comment on the first and on the last."""
    return textwrap.dedent(
        f"""\
        def reload(engine, path):
            engine.pause_generation(  {first}
                mode="keep",
            )  {last}
            engine.load(path)
            engine.continue_generation()
        """
    )


SPELLINGS: dict[str, tuple[str, bool]] = {
    "nothing": (on_the_line(""), False),
    "bare": (on_the_line("# noqa"), True),
    "bare, capitals": (on_the_line("# NOQA"), True),
    "bare, mixed": (on_the_line("# NoQA"), True),
    "bare, with words": (on_the_line("# noqa we know"), True),
    "no blank": (on_the_line("#noqa"), False),
    "no blank, with code": (on_the_line("#noqa: PR001"), False),
    "two blanks": (on_the_line("#  noqa: PR001"), False),
    "tab": (on_the_line("#\tnoqa: PR001"), False),
    "code": (on_the_line("# noqa: PR001"), True),
    "code without blank": (on_the_line("# noqa:PR001"), True),
    "code, capitals": (on_the_line("# NOQA: PR001"), True),
    "code in lower case": (on_the_line("# noqa: pr001"), False),
    "code in mixed case": (on_the_line("# noqa: Pr001"), False),
    "prefix": (on_the_line("# noqa: PR0"), True),
    "prefix of two digits": (on_the_line("# noqa: PR00"), True),
    "no digits": (on_the_line("# noqa: PR"), True),
    "too long": (on_the_line("# noqa: PR0011"), False),
    "unknown": (on_the_line("# noqa: PR01"), False),
    "other code": (on_the_line("# noqa: E501"), False),
    "other rule": (on_the_line("# noqa: PR002"), False),
    "several": (on_the_line("# noqa: E501,PR001"), True),
    "several with blanks": (on_the_line("# noqa: E501, PR001 , W291"), True),
    "several, blanks only": (on_the_line("# noqa: E501 PR001"), True),
    "several, semicolon": (on_the_line("# noqa: E501; PR001"), False),
    "several, run together": (on_the_line("# noqa: E501PR001"), False),
    "comma first": (on_the_line("# noqa:,PR001"), True),
    "two blanks after the colon": (on_the_line("# noqa:  PR001"), True),
    "blank before the colon": (on_the_line("# noqa : PR001"), True),
    "equals": (on_the_line("# noqa=PR001"), True),
    "no colon": (on_the_line("# noqa PR001"), True),
    "in brackets": (on_the_line("# noqa(PR001)"), True),
    "with a reason": (on_the_line("# noqa: PR001 the supervisor resumes"), True),
    "with a reason after a colon": (on_the_line("# noqa: PR001: the supervisor resumes"), True),
    "with a dash": (on_the_line("# noqa: PR001 - the supervisor resumes"), True),
    "behind another comment": (on_the_line("# type: ignore # noqa: PR001"), True),
    "behind words": (on_the_line("# for the supervisor # noqa: PR001"), True),
    "first of two": (on_the_line("# noqa: PR001 # noqa: E501"), True),
    "second of two": (on_the_line("# noqa: E501 # noqa: PR001"), False),
    "word that goes on": (on_the_line("# noqaPR001"), True),
    "in other words": (on_the_line("# see noqa: PR001"), False),
    "line below": (below("# noqa: PR001"), False),
    "line above": (
        FAULTY.format(comment="", below="").replace("    engine.p", "    # noqa: PR001\n    engine.p"),
        False,
    ),
    "first line of a call": (around("# noqa: PR001", ""), True),
    "last line of a call": (around("", "# noqa: PR001"), False),
    "both lines of a call": (around("# noqa: PR001", "# noqa: PR001"), True),
    "behind a backslash": (
        on_the_line("").replace("engine.pause_generation()", "engine. \\\n        pause_generation()  # noqa: PR001"),
        True,
    ),
    "in a string": (
        on_the_line("").replace("pause_generation()", 'pause_generation("# noqa: PR001")'),
        True,
    ),
    "at the end of a long string": (
        on_the_line("").replace("pause_generation()", 'pause_generation("""\n    now\n    """)  # noqa: PR001'),
        True,
    ),
    "inside a long string": (
        on_the_line("").replace("pause_generation()", 'pause_generation("""\n    # noqa: PR001\n    """)'),
        True,
    ),
    "a string below": (
        on_the_line("").replace("engine.load(path)", 'engine.load("""\n    # noqa: PR001\n    """)'),
        False,
    ),
    "after a semicolon": (
        on_the_line("").replace("pause_generation()", "pause_generation(); x = 1  # noqa: PR001"),
        True,
    ),
    "file": ("# flake8: noqa\n" + on_the_line(""), True),
    "file, equals": ("# flake8=noqa\n" + on_the_line(""), True),
    "file, capitals": ("# FLAKE8: NOQA\n" + on_the_line(""), True),
    "file, no blank": ("# flake8:noqa\n" + on_the_line(""), True),
    "file, no blank after the hash": ("#flake8: noqa\n" + on_the_line(""), False),
    "file, with code": ("# flake8: noqa: PR001\n" + on_the_line(""), True),
    "file, with other code": ("# flake8: noqa: E501\n" + on_the_line(""), True),
    "file, indented": (on_the_line("") + "    # flake8: noqa\n", True),
    "file, behind code": (on_the_line("") + "x = 1  # flake8: noqa\n", False),
    "file, on the line": (on_the_line("# flake8: noqa"), False),
    "file, in a docstring": ('"""\n# flake8: noqa\n"""\n' + on_the_line(""), True),
    "carriage returns": (on_the_line("# noqa: PR001").replace("\n", "\r\n"), True),
    "byte order mark": ("\ufeff" + on_the_line("# noqa: PR001"), True),
    "form feed": ("\f\n" + on_the_line("# noqa: PR001"), True),
    "no last newline": ("def f(engine):\n    engine.pause_generation()  # noqa: PR001", True),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one file for each spelling."""
    folder = tmp_path_factory.mktemp("spellings")
    for name, (source, _) in SPELLINGS.items():
        (folder / file_name(name)).write_bytes(source.encode())
    return folder


def file_name(spelling: str) -> str:
    return spelling.replace(" ", "_").replace(",", "") + ".py"


@pytest.fixture(scope="module")
def shown_by_flake8(files: Path) -> set[str]:
    done = flake8("--select", "PR001", ".", cwd=files)
    assert done.err == ""
    return {line.removeprefix("./").partition(":")[0] for line in done.out.splitlines()}


@pytest.fixture(scope="module")
def shown_by_check(files: Path) -> set[str]:
    done = pause_lint("check", "--select", "PR001", "--output-format", "json", ".", cwd=files)
    return {finding["path"] for finding in done.json["findings"]}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_hidden_exactly_where_flake8_hides(spelling: str, shown_by_flake8: set[str], shown_by_check: set[str]) -> None:
    _, hidden = SPELLINGS[spelling]
    name = file_name(spelling)
    assert (name not in shown_by_flake8) == hidden
    assert (name not in shown_by_check) == hidden


# Comments that do nothing, or more than was meant


def useless(source: str, options: Options | None = None) -> list[tuple[int, int, str]]:
    """Line, column and message of each PR900."""
    report = check_source(source.encode(), "a.py", options or Options())
    assert not report.problems
    return [
        (finding.span.line, finding.span.column, finding.message)
        for finding in report.findings
        if finding.code == "PR900"
    ]


@pytest.mark.parametrize(
    "comment, written, codes",
    [
        ("# noqa: partial-pause", "# noqa: partial-pause", "PR002"),
        ("# noqa: pause-not-resumed the supervisor resumes", "# noqa: pause-not-resumed", "PR001"),
        ("# NOQA Pause-Not-Resumed", "# NOQA Pause-Not-Resumed", "PR001"),
        ("# noqa: partial-pause, pause-not-resumed", "# noqa: partial-pause, pause-not-resumed", "PR002, PR001"),
        ("# type: ignore # noqa: early-resume", "# noqa: early-resume", "PR006"),
    ],
)
@pytest.mark.parametrize("hides", [True, False])
def test_the_name_of_a_rule_is_no_code(comment: str, written: str, codes: str, hides: bool) -> None:
    """It leaves a bare `# noqa`: whether or not that hides something, it is not what was meant."""
    source = on_the_line(comment) if hides else f"x = 1  {comment}\n"
    [(line, column, message)] = useless(source)
    text = source.splitlines()[line - 1]
    assert text[column - 1 :].startswith(written)
    assert message == (
        f"`{written}` names no code; write {codes}: flake8 reads it as a bare `# noqa`, which hides the findings of "
        "every tool"
    )


def test_the_name_of_a_rule_that_is_not_read_is_no_code_either() -> None:
    [(_, _, message)] = useless("x = 1  # noqa: E501 # noqa: partial-pause\n")
    assert message == "`# noqa: partial-pause` names no code; write PR002: it is not read"


@pytest.mark.parametrize(
    "comment",
    ["# noqa", "# noqa: E501 partial-pause", "# noqa: partial-pauses", "# noqa: see partial-pause", "# partial-pause"],
)
def test_names_of_rules_elsewhere_are_words(comment: str) -> None:
    assert useless(f"x = 1  {comment}\n") == []


@pytest.mark.parametrize("spelling", [name for name, (_, hidden) in SPELLINGS.items() if hidden])
def test_what_hides_something_is_not_useless(spelling: str) -> None:
    source, _ = SPELLINGS[spelling]
    left = [] if spelling != "both lines of a call" else [4]
    assert [line for line, _, _ in useless(source)] == left


CLEAN = FAULTY.replace("{below}", "").replace("{comment}", "").replace("engine.load(path)", "pass")

SAID: dict[str, tuple[str, str]] = {
    "nothing there": ("# noqa: PR001", "suppression of PR001 does nothing: nothing to suppress on this line"),
    "one of two": ("# noqa: E501, PR003", "suppression of PR003 does nothing: nothing to suppress on this line"),
    "no blank": (
        "#noqa: PR001",
        "`#noqa: PR001` suppresses nothing: write `# noqa: PR001`, with one blank after the `#`",
    ),
    "two blanks": (
        "#  noqa:PR002",
        "`#  noqa:PR002` suppresses nothing: write `# noqa: PR002`, with one blank after the `#`",
    ),
    "no colon": (
        "# noqa PR001",
        "`# noqa PR001` is read as a bare `# noqa` and suppresses nothing: write `# noqa: PR001`",
    ),
    "blank before the colon": (
        "# NOQA : PR001",
        "`# NOQA : PR001` is read as a bare `# noqa` and suppresses nothing: write `# noqa: PR001`",
    ),
    "unknown code": ("# noqa:PR01", "suppression of PR01 does nothing: there is no such rule; did you mean `PR001`?"),
    "lower case": ("# noqa: pr001", "suppression of pr001 does nothing: the case of a code matters; write PR001"),
    "run together": (
        "# noqa: PR001PR002",
        "suppression of PR001PR002 does nothing: codes are separated by commas or blanks; write `# noqa: PR001, PR002`",
    ),
    "semicolon": (
        "# noqa: E501; PR001",
        "suppression of PR001 does nothing: codes are separated by commas or blanks",
    ),
    "second": (
        "# noqa: E501 # noqa: PR001",
        (
            "suppression of PR001 does nothing: "
            "only the first `# noqa` of a line is read, and there is nothing to suppress on it"
        ),
    ),
    "our own word": (
        "# pause-lint: ignore",
        "`# pause-lint: ignore` suppresses nothing: write `# noqa: PR001` with the code of the finding",
    ),
    "another tool": (
        "# pylint: disable=PR001",
        "`# pylint: disable=PR001` is not read here and suppresses nothing: write `# noqa: PR001`",
    ),
    "file level behind code": (
        "# flake8: noqa: PR001",
        "`# flake8: noqa: PR001` suppresses nothing: `# flake8: noqa` must be spelt so and stand on a line of its own",
    ),
}


@pytest.mark.parametrize("case", SAID)
def test_what_is_said_of_a_comment_that_does_nothing(case: str) -> None:
    comment, message = SAID[case]
    source = f"x = 1  {comment}\n"
    ((line, column, said),) = useless(source)
    assert said == message
    assert line == 1
    assert source[column - 1 :].startswith(("#", "PR", "pr"))


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "# noqa: E501",
        "# noqa: PR",
        "# noqa, see PR 123",
        "# noqa: E501 see PR123",
        "# see PR001",
        "# PR123 removed the noqa",
        "# type: ignore[attr-defined]",
        "# pause-lint: pauses",
        "# pause-lint: neutral",
        "# noqa: PR900",
        "# flake8: noqa",
    ],
)
def test_comments_that_name_none_of_our_codes_are_left_alone(comment: str) -> None:
    assert useless(f"x = 1  {comment}\n") == []


def test_a_comment_on_the_wrong_line_is_told_the_right_one() -> None:
    ((line, column, message),) = useless(around("", "# noqa: PR001"))
    assert (line, column) == (4, 16)
    assert message.endswith("nothing to suppress on this line; PR001 stands on line 2: put the comment there")


def test_strings_are_no_comments() -> None:
    assert useless('x = "# noqa: PR001"\n') == []


def test_a_file_level_comment_with_nothing_to_hide() -> None:
    ((line, column, message),) = useless("# flake8: noqa: PR001\n" + CLEAN)
    assert (line, column) == (1, 1)
    assert message == "`# flake8: noqa: PR001` suppresses nothing: there is no finding in this file"


def test_nothing_is_said_under_a_file_level_comment() -> None:
    assert useless("# flake8: noqa\nx = 1  # noqa: PR001\n") == []


def test_rules_that_were_not_looked_for_are_not_judged() -> None:
    assert useless("x = 1  # noqa: PR005\n") == []
    assert len(useless("x = 1  # noqa: PR005\n", Options(select=frozenset({"PR005", "PR900"})))) == 1
    assert useless("x = 1  # noqa: PR001\n", Options(select=frozenset({"PR002", "PR900"}))) == []


def test_only_by_name_does_a_comment_hide_that_it_is_useless() -> None:
    assert useless("x = 1  # noqa: PR001, PR900\n") == []
    assert len(useless("x = 1  # noqa: PR001\n")) == 1
    assert len(useless("x = 1  # noqa PR001\n")) == 1


def test_in_files_that_hold_nothing_else_of_ours(tmp_path: Path) -> None:
    """They are not parsed, but their comments count."""
    (tmp_path / "a.py").write_text("x = 1\ny = 2  # noqa: PR001\n", encoding="utf-8")
    (tmp_path / "b.py").write_text("x = 'PR001'\n", encoding="utf-8")
    done = pause_lint("check", "--output-format", "json", cwd=tmp_path)
    assert done.code == 1
    assert [(finding["path"], finding["line"], finding["code"]) for finding in done.json["findings"]] == [
        ("a.py", 2, "PR900")
    ]
    assert done.json["findings"][0]["kind"] == "suppression"
    assert done.json["findings"][0]["fix"] == "none"
    assert done.json["summary"]["parsed"] == 0
    assert pause_lint("check", "--ignore", "PR900", cwd=tmp_path).code == 0


# Comments that do not say why


def unreasoned(source: str, *also: str) -> list[tuple[int, int, str]]:
    """Line, column and message of each PR901."""
    report = check_source(source.encode(), "a.py", Options(select=frozenset({"PR001", "PR900", "PR901", *also})))
    assert not report.problems
    return [
        (finding.span.line, finding.span.column, finding.message)
        for finding in report.findings
        if finding.code == "PR901"
    ]


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa: PR001 the supervisor resumes",
        "# noqa: PR001: the supervisor resumes",
        "# noqa: PR001 - der Wächter nimmt es zurück",
        "# noqa: PR001 (监督者会恢复)",
        "# noqa: E501, PR001 see #12",
        "# noqa: PR001 # the supervisor resumes",
        "# noqa: PR001  # type: ignore  # the supervisor resumes",
        "# noqa the supervisor resumes",
    ],
)
def test_with_a_reason(comment: str) -> None:
    assert unreasoned(on_the_line(comment)) == []


@pytest.mark.parametrize(
    "comment, written",
    [
        ("# noqa: PR001", "# noqa: PR001"),
        ("# noqa:E501,PR001,", "# noqa:E501,PR001"),
        ("# noqa: PR001 -- 12 ...", "# noqa: PR001"),
        ("# noqa: PR001 # noqa: E501", "# noqa: PR001"),
        ("# noqa: PR001  # type: ignore[misc]", "# noqa: PR001"),
        ("# noqa: PR001  # pragma: no cover", "# noqa: PR001"),
        ("# the supervisor resumes  # noqa: PR001", "# noqa: PR001"),
        ("# noqa", "# noqa"),
        ("# noqa(PR001)", "# noqa"),
    ],
)
def test_without_a_reason(comment: str, written: str) -> None:
    ((line, column, message),) = unreasoned(on_the_line(comment))
    assert (line, column) == (2, on_the_line(comment).splitlines()[1].index(written) + 1)
    assert message == (
        f"`{written}` does not say why: write the reason behind it, as in `# noqa: PR001 the supervisor resumes`"
    )


@pytest.mark.parametrize("spelling", [name for name, (_, hidden) in SPELLINGS.items() if hidden])
def test_only_what_hides_something_needs_a_reason(spelling: str) -> None:
    """Each spelling that hides the finding hides it still, and is told of once if it gives no reason."""
    source, _ = SPELLINGS[spelling]
    has_one = "reason" in spelling or "words" in spelling or "dash" in spelling
    report = check_source(source.encode(), "a.py", Options(select=frozenset({"PR001", "PR901"})))
    assert {finding.code for finding in report.findings} <= {"PR901"}
    if not has_one:
        assert len(report.findings) == 1


@pytest.mark.parametrize("comment", ["", "# noqa: E501", "# noqa: PR002", "#noqa: PR001"])
def test_what_hides_nothing_needs_no_reason(comment: str) -> None:
    assert unreasoned(on_the_line(comment)) == []
    assert unreasoned(f"x = 1  {comment}\n") == []


def test_what_is_not_looked_for_needs_no_reason() -> None:
    """A comment for another tool hides, beside what it is there for, nothing that would be shown."""
    source = "async def f(engine):\n    await engine.pause_generation()  # noqa: PR001 why not\n"
    source += "    engine.continue_generation()  # noqa\n"
    assert unreasoned(source) == []
    assert [line for line, _, _ in unreasoned(source, "PR004")] == [3]


def test_a_file_level_comment_without_a_reason() -> None:
    source = on_the_line("")
    ((line, column, message),) = unreasoned("\n  # flake8: noqa\n" + source)
    assert (line, column) == (2, 3)
    assert message == (
        "`# flake8: noqa` does not say why: write the reason behind it, as in `# flake8: noqa: the supervisor resumes`"
    )
    assert unreasoned("# flake8: noqa: generated\n" + source) == []
    assert unreasoned("# flake8: noqa\n# flake8: noqa: generated\n" + source) == []
    assert len(unreasoned("# flake8: noqa: PR001\n" + source)) == 1
    assert unreasoned("# flake8: noqa\nx = 1\n") == []


def test_only_by_name_does_a_comment_hide_that_it_gives_no_reason() -> None:
    assert unreasoned(on_the_line("# noqa: PR001, PR901")) == []
    assert len(unreasoned(on_the_line("# noqa: PR001"))) == 1


def test_the_option_that_requires_reasons(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(on_the_line("# noqa: PR001"), encoding="utf-8")
    assert pause_lint("check", cwd=tmp_path).code == 0
    for arguments in (["--require-reason"], ["--extend-select", "PR901"], ["--require-reason", "--select", "PR001"]):
        done = pause_lint("check", "--output-format", "concise", "-q", *arguments, cwd=tmp_path)
        assert done.code == 1
        assert done.out.startswith("a.py:2:32: PR901 `# noqa: PR001` does not say why")
    assert flake8("--extend-select", "PR901", "a.py", cwd=tmp_path).code == 0
    assert pause_lint("check", "--select", "PR001,PR901", "--ignore", "PR9", cwd=tmp_path).code == 1
