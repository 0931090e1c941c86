"""What a pause of vLLM's engine is: in its own process, and over HTTP, with its own server.

The tests of the report stand on this: requests wait while generation is paused, and pausing or resuming once more does
no harm.
"""

from __future__ import annotations

import asyncio
import inspect
import itertools
import os
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Protocol

import pytest

from tests.engine.processes import LONG, QUIET, SHORT, START, ask, listening, vllm_options

PROMPT = "the engine is"
FEW, MANY = 8, 3000
"""Tokens of an answer: at once, and of one that is long under way."""
GRACE = 0.5
"""Seconds after which a request has reached the scheduler."""


class Engine(Protocol):
    """What both are asked."""

    modes: bool

    def pause(self, mode: str = "keep") -> None:
        """Pauses."""

    def resume(self) -> None:
        """Resumes."""

    def is_paused(self) -> bool:
        """Whether it is paused."""

    def request(self, tokens: int = FEW) -> Future[tuple[int, str | None]]:
        """Asks for tokens; comes to how many there were, and why there are no more."""


class InProcess:
    """vLLM's engine in this process, on a loop in a thread of its own."""

    def __init__(self, model: Path, device: str) -> None:
        from tests.engine.programs import llm

        self._llm = llm
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._numbers = itertools.count()
        self._engine = self._call(self._start(model, device), START)
        self.modes = "mode" in inspect.signature(self._engine.pause_generation).parameters

    async def _start(self, model: Path, device: str) -> Any:
        return self._llm.start(model, device)

    def _call(self, work: Coroutine[Any, Any, Any], patience: float = LONG) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(patience)

    def pause(self, mode: str = "keep") -> None:
        """Pauses."""
        self._call(self._llm.pause(self._engine, mode))

    def resume(self) -> None:
        """Resumes."""
        self._call(self._engine.resume_generation())

    def is_paused(self) -> bool:
        """Whether it is paused."""
        return bool(self._call(self._engine.is_paused()))

    def request(self, tokens: int = FEW) -> Future[tuple[int, str | None]]:
        """Asks for tokens."""

        async def ask_for() -> tuple[int, str | None]:
            got, reason = await self._llm.generate(self._engine, PROMPT, f"contract-{next(self._numbers)}", tokens)
            return len(got), reason

        return asyncio.run_coroutine_threadsafe(ask_for(), self._loop)

    def close(self) -> None:
        """Ends it."""
        self._loop.call_soon_threadsafe(self._engine.shutdown)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(LONG)


class OverHttp:
    """vLLM's own server, with its development endpoints."""

    def __init__(self, address: str, model: Path) -> None:
        self.address = address
        self.model = model
        self.modes = "mode" in [one["name"] for one in self._parameters()]

    def _parameters(self) -> list[Any]:
        given: list[Any] = ask(self.address, "/openapi.json")["paths"]["/pause"]["post"].get("parameters", [])
        return given

    def pause(self, mode: str = "keep") -> None:
        """Pauses."""
        if self.modes:
            ask(self.address, f"/pause?mode={mode}", {})
        else:
            ask(self.address, f"/pause?wait_for_inflight_requests={str(mode != 'abort').lower()}", {})

    def resume(self) -> None:
        """Resumes."""
        ask(self.address, "/resume", {})

    def is_paused(self) -> bool:
        """Whether it is paused."""
        return bool(ask(self.address, "/is_paused")["is_paused"])

    def request(self, tokens: int = FEW) -> Future[tuple[int, str | None]]:
        """Asks for tokens."""
        body = {"model": str(self.model), "prompt": PROMPT, "max_tokens": tokens, "temperature": 0, "ignore_eos": True}
        return in_thread(lambda: self._completion(body))

    def _completion(self, body: dict[str, Any]) -> tuple[int, str | None]:
        answer = ask(self.address, "/v1/completions", body)
        return answer["usage"]["completion_tokens"], answer["choices"][0]["finish_reason"]


def in_thread(work: Callable[[], tuple[int, str | None]]) -> Future[tuple[int, str | None]]:
    """Does the work in a thread that keeps no process alive."""
    future: Future[tuple[int, str | None]] = Future()

    def do() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=do, daemon=True).start()
    return future


@pytest.fixture(scope="module", params=["in process", "over HTTP"])
def running(
    request: pytest.FixtureRequest, model: Path, device: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    """An engine that is ended after the tests."""
    if request.param == "in process":
        os.environ.update(QUIET)
        here = InProcess(model, device)
        try:
            yield here
        finally:
            here.close()
    else:
        folder = tmp_path_factory.mktemp("api")
        program = ("-m", "vllm.entrypoints.openai.api_server", *vllm_options(model, device))
        with listening(*program, cwd=folder, log=folder / "api.log") as address:
            yield OverHttp(address, model)


@pytest.fixture
def engine(running: Engine) -> Iterator[Engine]:
    """The engine, not paused; left that way."""
    assert not running.is_paused()
    yield running
    running.resume()


def test_a_request_waits_while_paused_and_completes_after_the_resume(engine: Engine) -> None:
    engine.pause()
    assert engine.is_paused()
    request = engine.request()
    assert_waits(request)
    engine.resume()
    assert not engine.is_paused()
    assert request.result(LONG) == (FEW, "length")


def test_pausing_twice_is_undone_by_one_resume(engine: Engine) -> None:
    engine.pause()
    engine.pause()
    assert engine.is_paused()
    assert_waits(request := engine.request())
    engine.resume()
    assert not engine.is_paused()
    assert request.result(LONG) == (FEW, "length")


def test_resuming_what_is_not_paused_is_harmless(engine: Engine) -> None:
    engine.resume()
    assert engine.request().result(LONG) == (FEW, "length")
    engine.pause()
    engine.resume()
    engine.resume()
    assert not engine.is_paused()
    assert engine.request().result(LONG) == (FEW, "length")


def test_a_pause_ends_what_is_in_flight_if_it_is_told_to(engine: Engine) -> None:
    request = under_way(engine)
    engine.pause("abort")
    got, reason = request.result(LONG)
    assert (got < MANY, reason) == (True, "abort")
    assert_waits(late := engine.request())
    engine.resume()
    assert late.result(LONG) == (FEW, "length")


def test_a_pause_waits_for_what_is_in_flight_if_it_is_told_to(engine: Engine) -> None:
    request = under_way(engine)
    engine.pause("wait")
    assert request.result(SHORT) == (MANY, "length")
    assert_waits(late := engine.request())
    engine.resume()
    assert late.result(LONG) == (FEW, "length")


def test_a_pause_keeps_what_is_in_flight_if_it_is_told_to(engine: Engine) -> None:
    if not engine.modes:
        pytest.skip("this vLLM cannot keep what is in flight: it ends it or waits for it")
    request = under_way(engine)
    engine.pause("keep")
    assert_waits(request)
    engine.resume()
    assert request.result(LONG) == (MANY, "length")


def under_way(engine: Engine) -> Future[tuple[int, str | None]]:
    """A request that has begun and is not done."""
    request = engine.request(MANY)
    time.sleep(GRACE)
    assert not request.done()
    return request


def assert_waits(request: Future[tuple[int, str | None]]) -> None:
    """The request gets no answer."""
    with pytest.raises(TimeoutError):
        request.result(SHORT)
