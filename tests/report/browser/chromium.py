"""A real browser without a window, driven over its own pipe, and what a page makes it do.

https://chromedevtools.github.io/devtools-protocol/: messages are JSON, each with a zero byte behind it. Needs nothing
but the browser. Whoever waits for something waits for the message that says it, and no longer than `PATIENCE`.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

PATIENCE = 60
"""Seconds after which a browser that says nothing is given up."""
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

_START = """\
import os, sys
from fcntl import F_DUPFD, fcntl
told, says = (fcntl(int(name), F_DUPFD, 10) for name in sys.argv[1:3])
os.dup2(told, 3)
os.dup2(says, 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""
"""Becomes the browser, which reads file descriptor 3 and writes 4."""


def executable() -> str | None:
    """The browser of this machine, if there is one: what CHROMIUM names, or the first of the common names."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)


class Browser:
    """A browser process with a profile of its own."""

    def __init__(self, program: str, profile: Path) -> None:
        told, self._write = os.pipe()
        self._read, says = os.pipe()
        options = [
            "--headless",
            "--no-sandbox",  # which root has to do without
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--hide-scrollbars",
            "--remote-debugging-pipe",
            f"--user-data-dir={profile}",
        ]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, str(told), str(says), program, *options],
            pass_fds=(told, says),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(told)
        os.close(says)
        self._rest = b""
        self._last = 0
        self.events: list[dict[str, Any]] = []

    def close(self) -> None:
        """Ends the process."""
        with suppress(OSError, RuntimeError, TimeoutError):
            self.call("Browser.close")
        os.close(self._write)
        os.close(self._read)
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def call(self, method: str, session: str = "", **parameters: Any) -> Any:
        """Calls a method of the protocol and gives its result. Raises RuntimeError for one that fails."""
        self._last += 1
        number = self._last
        self._send({"id": number, "method": method, "params": parameters} | ({"sessionId": session} if session else {}))
        answer = self._until(lambda one: one.get("id") == number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def wait(self, method: str, session: str) -> dict[str, Any]:
        """The next event of that name."""
        return self._until(lambda one: one.get("method") == method and one.get("sessionId") == session)

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._write, data) :]

    def _until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Reads up to a message, and keeps the events that come before it."""
        end = time.monotonic() + PATIENCE
        while True:
            message = self._next(end)
            if "method" in message:
                self.events.append(message)
            if wanted(message):
                return message

    def _next(self, end: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._read], [], [], max(0.0, end - time.monotonic()))
            data = os.read(self._read, 1 << 16) if ready else b""
            if not data:
                raise TimeoutError("the browser says nothing")
            self._rest += data
        text, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        return message


class Page:
    """A page in a tab of its own, with everything it has made the browser do since it was opened."""

    def __init__(
        self, browser: Browser, url: str, *, width: int = 1100, scheme: str = "light", media: str = ""
    ) -> None:
        self._browser = browser
        self._target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        attached = browser.call("Target.attachToTarget", targetId=self._target, flatten=True)
        self._session: str = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=1, mobile=width < 600
        )
        self.call(
            "Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}]
        )
        self._first = len(browser.events)
        self.call("Page.navigate", url=url)
        browser.wait("Page.loadEventFired", self._session)

    def close(self) -> None:
        """Closes the tab."""
        self._browser.call("Target.closeTarget", targetId=self._target)

    def call(self, method: str, **parameters: Any) -> Any:
        """Calls a method of the protocol in this page."""
        return self._browser.call(method, self._session, **parameters)

    def evaluate(self, script: str) -> Any:
        """The value of an expression of JavaScript; a promise is waited for. Raises RuntimeError for an exception."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "exception"))
        return answer["result"].get("value")

    def press(self, key: str, code: int) -> None:
        """Presses a key and lets it go."""
        text = {"text": "\r"} if key == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, windowsVirtualKeyCode=code, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)

    def screenshot(self, file: Path) -> None:
        """Writes the whole page into `file`, as PNG."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(shot["data"]))

    def pdf(self, file: Path) -> None:
        """Writes the page into `file` as it would be printed."""
        shot = self.call("Page.printToPDF", printBackground=False, preferCSSPageSize=True)
        file.write_bytes(base64.b64decode(shot["data"]))

    def requests(self) -> list[str]:
        """The addresses that were asked for."""
        return [event["params"]["request"]["url"] for event in self._said("Network.requestWillBeSent")]

    def complaints(self) -> list[str]:
        """What came up: messages of the console and of the browser, exceptions, and dialogs."""
        return [
            *(str(event["params"]["args"]) for event in self._said("Runtime.consoleAPICalled")),
            *(event["params"]["exceptionDetails"]["text"] for event in self._said("Runtime.exceptionThrown")),
            *(event["params"]["entry"]["text"] for event in self._said("Log.entryAdded")),
            *(event["params"]["message"] for event in self._said("Page.javascriptDialogOpening")),
        ]

    def _said(self, method: str) -> list[dict[str, Any]]:
        self._browser.call("Browser.getVersion")  # what was on its way is here before the answer
        events = self._browser.events[self._first :]
        return [event for event in events if event["method"] == method and event.get("sessionId") == self._session]
