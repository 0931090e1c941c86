"""`fix --add-noqa`: comments where flake8 reads them, nothing else changed, and nothing on a second run."""

from __future__ import annotations

import ast
import codecs
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pause_lint.check import check_source
from pause_lint.cli import main
from pause_lint.config import ConfigError, Options
from pause_lint.fixing.silence import check_reason, silence
from tests.helpers.commands import Done, flake8, pause_lint

FAULTY = """\
def reload(engine, path):
    engine.pause_generation()
    engine.load(path)
    engine.continue_generation()
"""
REASON = "the supervisor resumes"
Run = Callable[..., Done]


def silenced(source: str, reason: str = "", options: Options | None = None) -> str:
    """The source with its findings hidden; a second run leaves it as it is."""
    options = options or Options()
    data = source.encode()
    report = check_source(data, "a.py", options)
    done = silence(data, "a.py", report.findings, options, reason, ())
    assert done.unhidden == ()
    assert set(done.hidden) == set(report.findings)
    assert check_source(done.data, "a.py", options).findings == ()
    assert ast.dump(ast.parse(done.data)) == ast.dump(ast.parse(data))
    return done.data.decode()


def pause_lines(body: str) -> str:
    """A function with these lines, then a call that can raise."""
    indented = textwrap.indent(textwrap.dedent(body), "    ")
    return f"def reload(engine, path):\n{indented}    engine.load(path)\n    engine.continue_generation()\n"


PLACES: dict[str, tuple[str, str]] = {
    "plain": ("engine.pause_generation()\n", "engine.pause_generation()  # noqa: PR001\n"),
    "trailing blanks": ("engine.pause_generation()  \n", "engine.pause_generation()  # noqa: PR001\n"),
    "a comment": ("engine.pause_generation()  # now\n", "engine.pause_generation()  # now  # noqa: PR001\n"),
    "for others": (
        "engine.pause_generation()  # type: ignore\n",
        "engine.pause_generation()  # type: ignore  # noqa: PR001\n",
    ),
    "codes": (
        "engine.pause_generation()  # noqa: E501\n",
        "engine.pause_generation()  # noqa: E501, PR001\n",
    ),
    "codes with a reason": (
        "engine.pause_generation()  # noqa:E501,W291 long\n",
        "engine.pause_generation()  # noqa:E501,W291, PR001 long\n",
    ),
    "codes and blanks": (
        "engine.pause_generation()  # noqa: E501 \t\n",
        "engine.pause_generation()  # noqa: E501, PR001 \t\n",
    ),
    "a call over several lines": (
        "engine.pause_generation(\n    mode=1,\n)\n",
        "engine.pause_generation(  # noqa: PR001\n    mode=1,\n)\n",
    ),
    "a long string": (
        'engine.pause_generation("""\n    now\n""")\n',
        'engine.pause_generation("""\n    now\n""")  # noqa: PR001\n',
    ),
    "a formatted string": (
        'engine.pause_generation(f"""\n    {path}\n""")\n',
        'engine.pause_generation(f"""\n    {path}\n""")  # noqa: PR001\n',
    ),
    "a backslash": (
        "engine. \\\n    pause_generation()\n",
        "engine. \\\n    pause_generation()  # noqa: PR001\n",
    ),
    "a semicolon": ("engine.pause_generation(); x = 1\n", "engine.pause_generation(); x = 1  # noqa: PR001\n"),
}


@pytest.mark.parametrize("case", PLACES)
def test_where_flake8_reads_it(case: str, tmp_path: Path) -> None:
    body, expected = PLACES[case]
    result = silenced(pause_lines(body))
    assert result == pause_lines(expected)
    (tmp_path / "a.py").write_text(result, encoding="utf-8")
    assert flake8("--select", "PR", "a.py", cwd=tmp_path).out == ""


def test_the_reason_stands_behind_the_codes() -> None:
    assert "# noqa: PR001 the supervisor resumes\n" in silenced(FAULTY, REASON)
    assert silenced(pause_lines("engine.pause_generation()  # noqa: E501\n"), REASON).count(REASON) == 0


def test_several_codes_on_one_line() -> None:
    source = "async def f(engine):\n    await engine.pause_generation(); engine.continue_generation()\n"
    assert silenced(source) == source.replace("continue_generation()", "continue_generation()  # noqa: PR001, PR004")


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", ["", "x"])
@pytest.mark.parametrize("coding", ["utf-8", "utf-8-sig", "latin-1", "cp1252", "shift_jis", "iso2022_jp"])
def test_bytes_in_bytes_out(ending: str, last: str, coding: str) -> None:
    letter = "日" if coding.endswith(("jis", "jp")) else "é"
    mark, coding = (codecs.BOM_UTF8, "utf-8") if coding == "utf-8-sig" else (b"", coding)
    source = f"# coding: {coding}\n\f\nN = '{letter}'\t\n{FAULTY}# {letter}\n{last}".replace("\n", ending)
    data = mark + source.encode(coding)
    findings = check_source(data, "a.py", Options()).findings
    done = silence(data, "a.py", findings, Options(), "", ())
    assert done.unhidden == ()
    comment = b"  # noqa: PR001"
    assert done.data.count(comment) == 1
    assert done.data.replace(comment, b"") == data
    assert done.data.split(comment)[0].endswith(b"engine.pause_generation()")


def test_a_reason_that_the_encoding_has_no_room_for() -> None:
    data = b"# coding: latin-1\n" + FAULTY.encode()
    findings = check_source(data, "a.py", Options()).findings
    done = silence(data, "a.py", findings, Options(), "日本", ())
    assert (done.data, done.hidden) == (data, ())
    assert [why for _, why in done.unhidden] == ["the reason cannot be written in the encoding of the file"]


def test_what_cannot_be_hidden_keeps_nothing_else_from_being_hidden() -> None:
    """The list of codes takes one more; for the reason behind new codes the encoding has no room."""
    source = "# coding: latin-1\n" + FAULTY.replace("pause_generation()", "pause_generation()  # noqa: E501") + "\n\n"
    data = (source + FAULTY.replace("reload", "again")).encode()
    findings = check_source(data, "a.py", Options()).findings
    done = silence(data, "a.py", findings, Options(), "日本", ())
    assert done.data == data.replace(b"E501", b"E501, PR001")
    assert [finding.span.line for finding in done.hidden] == [3]
    assert [finding.span.line for finding, _ in done.unhidden] == [9]


def test_a_string_that_only_looks_like_a_suppression() -> None:
    """flake8 reads no other one on the line, and a string is not to be changed."""
    data = FAULTY.replace("generation()", "generation('# noqa: E501')", 1).encode()
    findings = check_source(data, "a.py", Options()).findings
    done = silence(data, "a.py", findings, Options(), "", ())
    assert (done.data, done.hidden) == (data, ())
    [(_, why)] = done.unhidden
    assert why == "a string on this line holds a `# noqa`, the only one that flake8 reads; split the line"


BEFORE = ["", "# x", "x = 1  # noqa: E501", "'''\n# noqa: PR001\n'''", "x = '\\\n'", "\f", "if path: pass"]
CALLS = ["engine.pause_generation()", "engine.pause_generation(\n    1,\n)", "engine.pause_generation('''\n''')"]
BEHIND = ["", "  # x", "  # noqa: E501", "  # noqa:E501,", "  #noqa", "; x = 1", "  # noqa: E501 # noqa: W291", "\t"]


@given(st.lists(st.tuples(st.sampled_from(BEFORE), st.sampled_from(CALLS), st.sampled_from(BEHIND)), min_size=1))
def test_whatever_stands_around(parts: list[tuple[str, str, str]]) -> None:
    source = ""
    for number, (before, call, behind) in enumerate(parts):
        body = "".join(f"    {line}\n" for line in (before + "\n" + call + behind).split("\n"))
        source += f"def f{number}(engine, path):\n{body}    engine.load(path)\n    engine.continue_generation()\n\n\n"
    options = Options(select=frozenset({"PR001"}))
    silenced(source, options=options)


# Reasons


@pytest.mark.parametrize(
    "reason, why",
    [
        ("H100 only", "it begins with what flake8 takes for a code"),
        ("", "there is no word in it"),
        ("- 12 -", "there is no word in it"),
        ("# noqa: E501", "there is no word in it"),
        ("bidi \u202e turned", "it holds characters that cannot be printed"),
    ],
)
def test_what_is_no_reason(reason: str, why: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_reason(reason)
    assert str(caught.value) == f"pause-lint fix: error: argument --reason: {reason!r}: {why}"


def test_a_reason_is_one_line() -> None:
    assert check_reason(" the supervisor\n  resumes, see #12 ") == "the supervisor resumes, see #12"


# The command


@pytest.fixture
def run(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """`main` in this process; the current folder is a project with a faulty `a.py`."""
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").touch()
    Path("a.py").write_text(FAULTY, encoding="utf-8")

    def call(*arguments: str) -> Done:
        code = main(list(arguments))
        out, err = capfd.readouterr()
        return Done(code, out, err)

    return call


def test_the_command(run: Run) -> None:
    done = run("fix", "--add-noqa", "--reason", REASON)
    assert (done.code, done.err) == (0, "")
    first, last = done.out.splitlines()
    assert first.startswith("a.py:2:5: PR001 ")
    assert first.endswith(" [suppressed]")
    assert last == "Suppressed 1 finding in 1 file."
    assert "    engine.pause_generation()  # noqa: PR001 the supervisor resumes\n" in Path("a.py").read_text("utf-8")
    assert run("check", "--require-reason").code == 0
    assert run("fix", "--add-noqa") == Done(0, "Nothing to suppress.\n", "")


def test_only_where_it_is_asked_for(run: Run) -> None:
    Path("b.py").write_text(FAULTY, encoding="utf-8")
    assert run("fix", "--add-noqa", "b.py").code == 0
    assert run("fix", "--add-noqa", "--select", "PR002").code == 0
    assert Path("a.py").read_text("utf-8") == FAULTY
    assert Path("b.py").read_text("utf-8") != FAULTY


def test_a_diff(run: Run) -> None:
    done = run("fix", "--add-noqa", "--diff")
    assert done.code == 1
    assert "-    engine.pause_generation()\n+    engine.pause_generation()  # noqa: PR001\n" in done.out
    assert done.err == "Would suppress 1 finding in 1 file.\n"
    assert Path("a.py").read_text("utf-8") == FAULTY


def test_standard_input(tmp_path: Path) -> None:
    done = pause_lint("fix", "-", "--add-noqa", cwd=tmp_path, stdin=FAULTY.encode())
    assert done.code == 0
    assert done.out == FAULTY.replace("pause_generation()", "pause_generation()  # noqa: PR001")


def test_comments_without_effect_or_reason_are_left_to_people(run: Run) -> None:
    Path("a.py").write_text(FAULTY + "\n\nx = 1  # noqa: PR002\n", encoding="utf-8")
    Path("b.py").write_text(silenced(FAULTY), encoding="utf-8")
    done = run("fix", "--add-noqa", "--reason", REASON, "--require-reason", "--output-format", "concise")
    assert done.code == 1
    assert [line.split(": ")[1].split()[0] for line in done.out.splitlines() if ".py" in line] == [
        "PR001",
        "PR900",
        "PR901",
    ]
    assert "  not suppressed: delete or correct the comment\n" in done.out
    assert "  not suppressed: write the reason into the comment\n" in done.out
    assert done.out.endswith("Suppressed 1 finding in 1 file, 2 not suppressed.\n")


def test_across_files(run: Run) -> None:
    """A finding that another file leads to, in a file that holds no word of ours."""
    Path("a.py").write_text("def hold(engine):\n    engine.pause_generation()\n", encoding="utf-8")
    caller = "from a import hold\n\n\n" + FAULTY.replace("engine.pause_generation()", "hold(engine)")
    Path("b.py").write_text(caller, encoding="utf-8")
    before = run("check", "--output-format", "json").json["findings"]
    assert [finding["path"] for finding in before] == ["b.py"]
    assert run("fix", "--add-noqa").code == 0
    assert Path("b.py").read_text("utf-8") == caller.replace(
        "hold(engine)\n    e", "hold(engine)  # noqa: PR001\n    e"
    )


def test_a_file_that_may_not_be_written(run: Run) -> None:
    Path("a.py").chmod(0o444)
    done = run("fix", "--add-noqa")
    assert done.code == 2
    assert "a.py: error: not written: " in done.err
    assert Path("a.py").read_text("utf-8") == FAULTY


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("--reason", "x y"), "--reason goes with --add-noqa"),
        (("--add-noqa", "--unsafe-fixes"), "--add-noqa suppresses instead of fixing; leave out --unsafe-fixes"),
        (("--add-noqa", "--require-reason"), "suppressions need a reason here: --reason TEXT"),
        (("--add-noqa", "--reason", "1"), "argument --reason: '1': there is no word in it"),
    ],
)
def test_mistakes(run: Run, arguments: tuple[str, ...], message: str) -> None:
    done = run("fix", *arguments)
    assert done == Done(2, "", f"pause-lint fix: error: {message}\n")
    assert Path("a.py").read_text("utf-8") == FAULTY


def test_once_the_fault_is_gone_the_comment_is_told_of(run: Run) -> None:
    run("fix", "--add-noqa", "--reason", REASON)
    path = Path("a.py")
    path.write_text(path.read_text("utf-8").replace("    engine.load(path)\n", ""), encoding="utf-8")
    done = run("check", "--output-format", "concise", "-q")
    assert done.out == "a.py:2:40: PR900 suppression of PR001 does nothing: nothing to suppress on this line\n"
