"""Windows for tests: ``raven window`` as a process of its own, and what answers at its address."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from urllib.parse import urlencode, urlsplit

PATIENCE = 120
"""Seconds that a busy machine may take for a job."""


class Opened:
    """A window that is open: its address and its process."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self.process = process
        self.address = address
        self.host = urlsplit(address).netloc
        self.base = urlsplit(address).path

    def ask(
        self,
        place: str = "",
        sent: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, http.client.HTTPMessage, str]:
        """Status, headers and text of an answer; ``place`` is below the token unless it begins with /."""
        asked = {"Host": self.host, "Origin": f"http://{self.host}", **(headers or {})}
        connection = http.client.HTTPConnection(self.host, timeout=60)
        path = place if place.startswith("/") else self.base + place
        body = None if sent is None else urlencode(sent, errors="surrogateescape")
        connection.request("GET" if sent is None else "POST", path, body, asked)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode("utf-8", "replace")

    def start(self, command: str, plan: str = "", **values: str) -> str:
        """Send a form; the id of the job."""
        status, headers, _ = self.ask(f"form/{command}", {**values, "-start": plan})
        assert status == 303
        return headers["Location"].rpartition("/")[2].removesuffix("?open")

    def ended(self, job: str) -> str:
        """The page of a job once it has ended."""
        limit = time.monotonic() + PATIENCE
        while time.monotonic() < limit:
            page = self.ask(f"job/{job}")[2]
            if "Raven is working" not in page:
                return unescape(page)
            time.sleep(0.3)
        raise AssertionError(f"the job did not end: {page}")


@contextmanager
def window(folder: Path, *options: str) -> Iterator[Opened]:
    """A window on a folder; it is closed by Ctrl-C, if it is still open."""
    command = [sys.executable, "-m", "ravenbench", "window", "--no-browser", *options, str(folder)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ}
    ) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        found = re.search(r"http://\S+", said)
        assert found, said + process.stdout.read()
        try:
            yield Opened(process, found[0])
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)
