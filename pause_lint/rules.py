"""The rules: their codes, and the pages that explain them. Plain data.

`pause-lint rule` and the documentation print these pages; nothing here looks at code.
"""

from __future__ import annotations

from typing import Literal, NamedTuple


class Rule(NamedTuple):
    """One rule.

    default: "on", "opt-in" (reported when selected), or "cli" (on, in the command line tool only).
    advice: what to do about a finding, in a line.
    fixable: how often `fix` can mend it, in a word; "no" if never.
    reports, why, when_not, fix_safety: paragraphs of the page, in Markdown.
    bad, good: examples, as Python source.
    """

    code: str
    name: str
    summary: str
    advice: str
    default: Literal["on", "opt-in", "cli"]
    fixable: str
    reports: str
    why: str
    bad: str
    good: str
    when_not: str
    fix_safety: str


_AFTER_A_FAILURE = """\
Know what that means: after a failed, half-done update the engine goes back to serving requests, and it may do so
with weights that are only partly new: from a model that may be broken. Usually that is still what you want: the
exception ends the step and is seen, while an engine that hangs hides it."""

_CHOOSING_OTHERWISE = """\
If your engines must not serve in that state, keep them paused on purpose: hand a failed one to whoever restarts it,
resume only after success, and say so on the line of the pause, where the finding would stand:

```python
async def update_weights(self, meta):
    await self.rollout_engine.pause_generation()  # noqa: PR001 a failed engine is restarted, not resumed
    try:
        await self.rollout_engine.load(meta.path)
    except BaseException:
        self.supervisor.restart(self.rollout_engine)
        raise
    await self.rollout_engine.continue_generation()
```"""

_WHERE_A_FINALLY_ENDS = """\
A `finally` runs on every way out that the process lives to take, and resumes what is paused then. It does not run in
a process that is killed: whatever starts the job again has to resume. And it undoes no pause that comes later: where
the pause is at the other end of a request, and the request is given up while it is under way, a server that pauses
after the resume stays paused."""

RULES: tuple[Rule, ...] = (
    Rule(
        code="PR001",
        name="pause-not-resumed",
        summary="a path leaves the function with generation still paused",
        advice="resume in a `finally`, so that every way out of the function resumes",
        default="on",
        fixable="usually",
        reports="""\
A pause, and a path from it out of the function on which nothing resumes: because the resume is missing, because
the function returns before it, because a call in between raises, or because an `await` in between is cancelled.
The finding stands at the pause. Its numbered notes are that path: where it pauses, what happens then, where it
leaves.""",
        why="""\
An engine that stays paused accepts requests and never answers them. Nothing crashes and nothing is logged: the
trainer waits for its next rollout, the collectives of the other ranks wait for the trainer, and the job stands
still until someone looks at it. If the pause is left by an exception, that exception is often caught and retried
further up, so that even the traceback is gone.""",
        bad="""\
async def update_weights(self, meta):
    await self.rollout_engine.pause_generation()
    self.save(meta.path)  # the disk is full: the resume below is never reached
    await self.rollout_engine.load(meta.path)
    await self.rollout_engine.continue_generation()
""",
        good="""\
async def update_weights(self, meta):
    await self.rollout_engine.pause_generation()
    try:
        self.save(meta.path)
        await self.rollout_engine.load(meta.path)
    finally:
        await self.rollout_engine.continue_generation()
""",
        when_not="""\
- The pause is meant to outlive the function, and other code resumes. If that code has an answering name in the
  same class or module (`begin_update`/`end_update`, `_quiesce`/`_unquiesce`, `__enter__`/`__exit__`), the two are
  taken for halves of a pair and nothing is reported. Otherwise give them such names, or suppress the finding and
  say who resumes.
- The engine must not serve after a failure (see below). Then suppress the finding and say so.
- A call that the notes blame cannot raise. Name it in `quiet-calls`.""",
        fix_safety=f"""\
`fix` puts what stands between the pause and the resume into a `try`, and the resume, under the condition it had,
into its `finally`. A resume that is missing is written as the file spells it elsewhere for the same receiver.
Collectives such as `barrier()` never move into a `finally`.

Where nothing raises, the fixed function makes the same calls in the same order as before. Where something raises,
generation is now resumed and the same exception leaves the function.

{_AFTER_A_FAILURE}

{_CHOOSING_OTHERWISE}

{_WHERE_A_FINALLY_ENDS}

The fix is *unsafe*, and applied only with `--unsafe-fixes`, where the resume had to be guessed from the pair, or
where a path would change in another way; `fix` says which.""",
    ),
    Rule(
        code="PR002",
        name="partial-pause",
        summary="engines are paused outside the `try` that resumes them: if one fails, the others stay paused",
        advice="pause inside the `try` whose `finally` resumes",
        default="on",
        fixable="usually",
        reports="""\
Several engines are paused by one statement (a loop, `ray.get([...])`, `asyncio.gather(...)`) that stands before
the `try` whose `finally` resumes them. If pausing one of them raises, the `try` is never entered. It is reported
only if this is the only way out that leaves something paused; if there are others, the finding is PR001.""",
        why="""\
One dead worker of sixteen is an ordinary event. The fifteen that were paused before the error came back stay
paused, and a retry then finds engines that no longer answer. It looks like the dead worker took the others with
it.""",
        bad="""\
def refit(self):
    ray.get([engine.pause_generation.remote() for engine in self.engines])  # the third raises
    try:
        self.transport.move_weights()
    finally:
        ray.get([engine.continue_generation.remote() for engine in self.engines])
""",
        good="""\
def refit(self):
    try:
        ray.get([engine.pause_generation.remote() for engine in self.engines])
        self.transport.move_weights()
    finally:
        ray.get([engine.continue_generation.remote() for engine in self.engines])
""",
        when_not="""\
- Resuming an engine that was not paused does harm, as releasing a lock that one does not hold does. Then keep a
  list of the engines that were paused, and resume those.
- The pausing call is all or nothing: it undoes itself for all engines if one fails. Suppress the finding and say
  so.""",
        fix_safety="""\
`fix` moves the pausing statement into the `try`. That is safe for pairs whose resume does nothing to an engine
that was not paused, which holds for all presets but `lock`; for other pairs the fix is unsafe. If the pause
fails, engines that were never paused are now told to resume, and if that raises too, its exception stands in
front of the first one (which stays attached as its context). The update has not begun then: the engines serve the
weights that they had. What the `finally` does after a failed, half-done update is as it was before the fix; the page
of PR001 says what that means.""",
    ),
    Rule(
        code="PR003",
        name="resume-skipped-by-cleanup",
        summary="in a `finally` or handler, cleanup that can raise stands before the resume",
        advice="resume before anything else in the cleanup, or in a `finally` of its own",
        default="on",
        fixable="usually",
        reports="""\
A `finally` block or an exception handler that resumes, but only after another statement that can raise. It is
reported only if every path that leaves generation paused is of that kind; otherwise the finding is PR001. It
stands at the pause, and its notes name the statement in the way.""",
        why="""\
Cleanup fails when other things have failed already: the process group is gone, the socket is closed, the file was
never written. That is exactly when the resume matters, and exactly when it is skipped.""",
        bad="""\
async def update(self, step):
    await self.engine.pause_generation()
    try:
        await self.group.transfer(step)
    finally:
        await self.group.destroy()  # raises after a failed transfer
        await self.engine.resume_generation()
""",
        good="""\
async def update(self, step):
    await self.engine.pause_generation()
    try:
        await self.group.transfer(step)
    finally:
        try:
            await self.group.destroy()
        finally:
            await self.engine.resume_generation()
""",
        when_not="""\
- The cleanup before the resume cannot raise: name the call in `quiet-calls`.
- The resume would be wrong if the cleanup failed, say because the engine would serve from memory that was not
  freed. Suppress the finding and say so.""",
        fix_safety=f"""\
`fix` nests a second `try`/`finally` into the block, so that the order of cleanup and resume stays as it was. If
the cleanup raises, the engine is now resumed and the same exception leaves the function. If both raise, the
exception of the resume leaves, with that of the cleanup as its context.

{_AFTER_A_FAILURE}

If your engines must not serve in that state, leave the order as it is and suppress the finding with the reason. The
page of PR001 shows how a failed engine is kept from serving.""",
    ),
    Rule(
        code="PR004",
        name="resume-not-awaited",
        summary="a pause or resume coroutine is created and never awaited",
        advice="await the coroutine, return it, or hand it to something that runs it",
        default="on",
        fixable="no",
        reports="""\
A call of a pausing or resuming coroutine function whose result is dropped: not awaited, not scheduled as a task,
not returned, not passed on. A function is known to be one by its `async def` in the tree, or because the other
half of the pair is awaited on the same receiver. A resume of this kind resumes nothing, so that the pause before
it is reported as PR001 as well.""",
        why="""\
The line is there, it reads right, and it does nothing. Python's only word on it is a `RuntimeWarning` when the
coroutine is collected, somewhere in the output of sixteen workers.""",
        bad="""\
async def update(self):
    self.engine.pause_generation()  # makes a coroutine and drops it: the engine runs on
    try:
        await self.engine.load()
    finally:
        await self.engine.continue_generation()
""",
        good="""\
async def update(self):
    await self.engine.pause_generation()
    try:
        await self.engine.load()
    finally:
        await self.engine.continue_generation()
""",
        when_not="""\
- The two halves really differ, and the resume is an ordinary function. Declare it where the tool can see it
  (`def` in the tree), or suppress the finding.""",
        fix_safety="""\
There is no fix. In an `async` function, add the `await`; the pause or the resume then happens, and what it raises is
raised, neither of which was the case before. Elsewhere, whether to run an event loop is for the author to say.""",
    ),
    Rule(
        code="PR005",
        name="resume-failure-swallowed",
        summary="the failure of the resume itself is suppressed or only logged",
        advice="let the failure out, so that the engine that stays paused is noticed",
        default="opt-in",
        fixable="no",
        reports="""\
A resume inside a `try` whose handler neither re-raises nor resumes again, or under `contextlib.suppress`: if the
resume fails, the function goes on as if it had worked.""",
        why="""\
A resume that failed leaves the engine paused as surely as one that is missing. Logged at best, it shows as a
rollout that never comes back, often on another machine and much later.""",
        bad="""\
def release(self):
    try:
        self.engine.continue_generation()
    except Exception:
        logger.warning("could not resume")  # and now it stays paused
""",
        good="""\
def release(self):
    try:
        self.engine.continue_generation()
    except Exception:
        self.health.mark_failed(self.engine)  # somebody restarts it
        raise
""",
        when_not="""\
- The process ends right after, or the engine is thrown away.
- Something else watches the engine and restarts it. That is common, and why this rule is opt-in.""",
        fix_safety="There is no fix: what to do when a resume fails is for the author to say.",
    ),
    Rule(
        code="PR006",
        name="early-resume",
        summary="a callee or handler resumes what its caller still holds paused",
        advice="leave the resume to the function that paused",
        default="opt-in",
        fixable="no",
        reports="""\
Between a pause and its resume, a call of a function, or a request to a handler, that leaves the same receiver
resumed. From there on the caller works on an engine that is running, although its own code reads as if it were
paused. The effects of functions are those of the whole tree, so the callee may stand in another file, or behind an
endpoint of a server.

A function that pauses and resumes by itself does the same harm there, and is not reported yet: seen from outside it
leaves everything as it was.""",
        why="""\
This is the opposite of a hang: generation runs while weights are swapped. Requests are answered from a mixture of
old and new weights, and the only symptom is a reward curve that is a little worse.""",
        bad="""\
class Trainer:
    def update(self):
        self.engine.pause_generation()
        try:
            self.send_weights()  # resumes when it is done
            self.send_scales()  # runs while generation is going on
        finally:
            self.engine.continue_generation()

    def send_weights(self):
        self.transport.send(self.weights)
        self.engine.continue_generation()

    def send_scales(self):
        self.transport.send(self.scales)
""",
        good="""\
class Trainer:
    def update(self):
        self.engine.pause_generation()
        try:
            self.send_weights()  # expects to be called while paused
            self.send_scales()
        finally:
            self.engine.continue_generation()

    def send_weights(self):
        self.transport.send(self.weights)

    def send_scales(self):
        self.transport.send(self.scales)
""",
        when_not="""\
- The engine counts its pauses, so that an inner resume does not end the outer pause.
- The caller knows that the callee resumes and does nothing after it that needs the pause.""",
        fix_safety="There is no fix: which of the two functions owns the pause is for the author to say.",
    ),
    Rule(
        code="PR007",
        name="split-pair",
        summary="paused in one function and resumed in another, and nothing guarantees that the other runs",
        advice="resume in a `finally` here, or make sure that the other function always runs",
        default="opt-in",
        fixable="no",
        reports="""\
A function that only pauses, whose answering half (`begin`/`end`, `before`/`after`, `offload`/`onload`, ...)
resumes. Both are right in themselves. Reported is that only callers can put them together. The effects of
functions are those of the whole tree; a caller that uses both halves is held to it by PR001, and this rule names
the pairs that rely on it.""",
        why="""\
A pair of methods is a promise that every caller has to keep on every path, in other files and in other projects,
where no check can see it. A context manager keeps it once.""",
        bad="""\
class Updater:
    def begin_update(self):
        self.engine.pause_generation()

    def end_update(self):
        self.engine.continue_generation()
""",
        good="""\
from contextlib import contextmanager


class Updater:
    @contextmanager
    def updating(self):
        self.engine.pause_generation()
        try:
            yield
        finally:
            self.engine.continue_generation()
""",
        when_not="""\
- The two halves are the interface of a framework (callbacks, hooks) that calls them for you and answers for the
  second.
- Pause and resume are two requests of a protocol. That is common, and why this rule is opt-in.""",
        fix_safety="There is no fix: turning two methods into a context manager changes the interface.",
    ),
    Rule(
        code="PR900",
        name="ineffective-suppression",
        summary="a suppression comment that suppresses nothing, or is spelt so that it cannot",
        advice="delete or correct the comment",
        default="cli",
        fixable="no",
        reports="""\
A comment that is meant to suppress one of these rules and does not: there is nothing to suppress on its line (any
more); the code does not exist; or it is spelt in a way that flake8, whose reading counts, does not understand.
flake8 reads `# noqa` with exactly one blank after the `#`, a colon right behind it, and codes in capitals,
separated by commas or blanks. It reads the first `# noqa` of a line only, and looks at the line on which the
finding stands, not at the last line of a call.

The name of a rule in the place of its code, as in `# noqa: partial-pause`, leaves a bare `# noqa`, which hides the
findings of every tool: that is reported also where there is something to hide. Other comments that name none of our
codes, a bare `# noqa` among them, are never reported.""",
        why="""\
A suppression that has outlived its reason hides the next fault on that line. One that is misspelt makes its
author believe that a decision was written down; and where it reads as a bare `# noqa`, it hides the findings of
every tool.""",
        bad="""\
async def update(self):
    await self.engine.pause_generation()
    try:
        await self.engine.load()  # noqa: PR001
    finally:
        await self.engine.continue_generation()
""",
        good="""\
async def update(self):
    await self.engine.pause_generation()
    try:
        await self.engine.load()
    finally:
        await self.engine.continue_generation()
""",
        when_not="""\
- The comment is for a configuration that was not in force in this run, say for a preset that only another job
  turns on. Then leave PR900 out there: `--ignore PR900`.""",
        fix_safety="There is no fix. Delete the comment, or write it as the message says.",
    ),
    Rule(
        code="PR901",
        name="suppression-without-reason",
        summary="a suppression comment that does not say why",
        advice="write the reason into the comment",
        default="opt-in",
        fixable="no",
        reports="""\
A comment that hides one of these findings and gives no reason: a `# noqa`, with codes or without, or a line
`# flake8: noqa`. The reason is text behind the codes, on the same line; flake8 reads over it. Comments for other tools
are no reason, nor are codes and numbers alone. `--require-reason` turns this rule on.

Only the command line tool has it: what flake8 has hidden, no plugin of flake8 sees.""",
        why="""\
A suppression says that an engine may stay paused here. Whoever reads it a year later has to know who resumes it, or
they will neither dare to keep the comment nor to delete it.""",
        bad="""\
async def drain(self):
    await self.engine.pause_generation()  # noqa: PR001
    await self.engine.wait_until_idle()
""",
        good="""\
async def drain(self):
    await self.engine.pause_generation()  # noqa: PR001 the supervisor resumes when the node is back
    await self.engine.wait_until_idle()
""",
        when_not="""\
- Reasons are kept elsewhere, say in the messages of commits. Then leave the rule off.""",
        fix_safety="""\
There is no fix, for nobody but you knows the reason. `pause-lint fix --add-noqa --reason TEXT` writes it into the
comments that it adds.""",
    ),
)

BY_CODE = {rule.code: rule for rule in RULES}

_DEFAULTS = {
    "on": "This rule is on by default.",
    "opt-in": "This rule is off by default. Turn it on with `--extend-select {code}`, or in the configuration.",
    "cli": "This rule is on in the command line tool. The flake8 plugin does not have it.",
}


def page(rule: Rule) -> str:
    """The page of `rule`, in Markdown."""
    sections = [
        f"# {rule.name} ({rule.code})",
        f"{rule.summary[0].upper()}{rule.summary[1:]}.",
        f"{_DEFAULTS[rule.default].format(code=rule.code)} {_fix_line(rule)}",
        f"## What it reports\n\n{rule.reports}",
        f"## Why it matters\n\n{rule.why}",
        f"## Example\n\n```python\n{rule.bad}```\n\nUse instead:\n\n```python\n{rule.good}```",
        f"## When not to follow it\n\n{rule.when_not}",
        f"## How to suppress it\n\n{_suppressing(rule)}",
        f"## Fix safety\n\n{rule.fix_safety}",
    ]
    return "\n\n".join(sections) + "\n"


def _fix_line(rule: Rule) -> str:
    return "It has no fix." if rule.fixable == "no" else f"`pause-lint fix` {rule.fixable} mends it."


def _suppressing(rule: Rule) -> str:
    if rule.code in ("PR900", "PR901"):
        return (
            f"Name it in the comment itself, `# noqa: PR001, {rule.code}`, or leave it out with `--ignore {rule.code}`."
        )
    return (
        "At the end of the line that the finding names, with the reason behind the code:\n\n"
        f"```python\nself.engine.pause_generation()  # noqa: {rule.code} the supervisor resumes it\n```\n\n"
        "A line `# flake8: noqa` hides every finding of every rule in its file, also those of other tools that follow\n"
        f"flake8. `--ignore {rule.code}`, or `ignore` in the configuration, turns the rule off everywhere."
    )


def table() -> str:
    """All rules in a Markdown table."""
    rows = [("Code", "Name", "Reports", "Default", "Fix")]
    rows += [(rule.code, rule.name, rule.summary, rule.default, rule.fixable) for rule in RULES]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines) + "\n"
