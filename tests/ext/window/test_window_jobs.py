"""Jobs of windows: started, cancelled, refused, and found again after the window ended, however it ended."""

from __future__ import annotations

import http.client
import json
import os
import signal
import time
from pathlib import Path

import pytest
from windows import window

from ravenbench.ext.window.jobs import jobs_of
from ravenbench.limits import ENDING

pytestmark = pytest.mark.extra
LONG = {"corpus": "synthetic(authors=400, documents=4000)", "out": "raven-runs/long"}
"""What a form of ``raven run`` has, for a job that takes minutes."""


@pytest.fixture
def folder(tmp_path, need_extra):
    need_extra("starlette")
    need_extra("uvicorn")
    place = tmp_path / "a 'folder' <b>"
    place.mkdir()
    truth = [{"id": f"p{i}", "same": bool(i % 2)} for i in range(12)]
    answers = [{"id": f"p{i}", "value": (i * 5 % 12) / 12} for i in range(12)]
    for name, rows in (("truth", truth), ("-answers", answers)):
        (place / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    yield place
    for job in jobs_of(place).values():
        job.cancel()


def one_job(folder: Path):
    (job,) = jobs_of(folder).values()
    return job


def until(met, seconds=60):
    limit = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < limit
        time.sleep(0.1)


def test_a_job_ends_with_its_page_and_can_be_planned_first(folder):
    with window(folder) as opened:
        job = opened.start(
            "evaluate", truth="truth.jsonl", answers="-answers.jsonl", out="raven-runs/<i>"
        )
        page = opened.ended(job)
        assert "raven evaluate '--out=raven-runs/<i>' -- truth.jsonl -answers.jsonl" in page
        assert "Open the page" in page and "<h1>Done</h1>" in page
        status, headers, _ = opened.ask(f"job/{job}?open")
        assert status == 303 and headers["Location"].endswith(f"/result/{job}/index.html")
        assert "evaluation" in opened.ask(headers["Location"])[2].lower()
        assert opened.ask(f"result/{job}/../../truth.jsonl")[0] == 404
        assert opened.ask(f"result/{job}/.raven.json/../../../truth.jsonl")[0] == 404
        plan = opened.start("run", "yes", corpus="synthetic(authors=9)", folds="1000")
        assert "Raven needs something else" in opened.ended(plan)
        status, headers, _ = opened.ask(f"job/{plan}", {"act": "again"})
        again = headers["Location"].rpartition("/")[2].partition("?")[0]
        assert status == 303 and again != plan
        assert jobs_of(folder)[again].words == [
            word for word in jobs_of(folder)[plan].words if word != "--plan"
        ]
        opened.ended(again)
        assert (
            "form/evaluate?truth=truth.jsonl&amp;answers=-answers.jsonl"
            in opened.ask(f"job/{job}")[2]
        )


def test_an_error_is_shown_in_plain_text(folder):
    with window(folder) as opened:
        job = opened.start("evaluate", truth="<b>gone</b>.jsonl", answers="-answers.jsonl")
        opened.ended(job)
        page = opened.ask(f"job/{job}")[2]
        assert "Raven needs something else" in page and "&lt;b&gt;gone&lt;/b&gt;" in page
        assert "<b>gone" not in page and "error: &lt;b&gt;gone" in page
        assert "not done" in opened.ask()[2]


def test_a_job_is_cancelled_as_by_ctrl_c_and_continues_when_it_is_started_again(folder):
    with window(folder) as opened:
        job = opened.start("run", **LONG)
        assert opened.start("run", **LONG) == job, "the same command is not started twice"
        until(lambda: ", after " in one_job(folder).output(), 120)
        assert opened.ask(f"job/{job}", {"act": "cancel"})[0] == 200
        page = opened.ended(job)
        assert "<h1>Cancelled</h1>" in page and "repeat the same command" in page
        assert one_job(folder).code == 130
        assert opened.ask(f"job/{job}", {"act": "cancel"})[0] == 200  # nothing is left to cancel
        again = opened.ask(f"job/{job}", {"act": "again"})[1]["Location"]
        again = again.rpartition("/")[2].partition("?")[0]
        assert again != job and jobs_of(folder)[again].words == jobs_of(folder)[job].words
        until((folder / "raven-runs" / ".window" / again / "pid").exists)
        assert opened.ask(f"job/{again}", {"act": "cancel"})[0] == 200  # as early as can be
        assert "<h1>Cancelled</h1>" in opened.ended(again)


def test_a_job_outlives_a_window_that_is_killed_and_two_windows_show_it(folder):
    with window(folder) as first:
        job = first.start("run", **LONG)
        first.process.kill()
        first.process.wait()
    until((folder / "raven-runs" / ".window" / job / "pid").exists)
    assert one_job(folder).state == "running"
    with window(folder) as second, window(folder) as third:
        for opened in (second, third):
            assert "Raven is working" in opened.ask(f"job/{job}?open")[2]
            assert "running" in opened.ask()[2]
            assert opened.start("run", **LONG) == job
        assert first.address != second.address != third.address
        third.ask(f"job/{job}", {"act": "cancel"})
        assert "<h1>Cancelled</h1>" in second.ended(job)
        status, headers, text = second.ask(f"events/{job}?0")
        assert status == 200 and headers["Content-Type"].startswith("text/event-stream")
        assert "repeat the same command" in text and text.endswith("event: end\ndata:\n\n")
        later = second.ask(f"events/{job}?0", headers={"Last-Event-ID": "100000"})[2]
        assert later == "event: end\ndata:\n\n"


def test_a_job_whose_processes_were_killed_has_stopped(folder):
    with window(folder) as opened:
        job = opened.start("run", **LONG)
        place = folder / "raven-runs" / ".window" / job
        until((place / "pid").exists)
        os.killpg(int((place / "pid").read_text()), signal.SIGKILL)
        assert "stopped before its end" in opened.ended(job)
        assert "stopped" in opened.ask()[2]


def test_ctrl_c_closes_a_window_and_no_job(folder):
    with window(folder) as opened:
        job = opened.start("run", **LONG)
    assert opened.process.returncode == 0
    until((folder / "raven-runs" / ".window" / job / "pid").exists)
    assert one_job(folder).state == "running"
    assert signal.SIGINT in ENDING


def write_job(folder: Path, id: str, **parts: bytes) -> Path:
    """The files of a job that has ended; ``parts`` replace them, and an empty ``output`` is left out."""
    place = folder / "raven-runs" / ".window" / id
    place.mkdir(parents=True)
    record = json.dumps({"words": ["map", "x"], "values": {"corpus": "x"}}).encode()
    (place / "job.json").write_bytes(parts.get("record", record))
    (place / "code").write_bytes(parts.get("code", b"0"))
    if output := parts.get("output", b"said"):
        (place / "output.txt").write_bytes(output)
    return place


def test_a_damaged_job_is_named_and_the_others_are_shown(folder):
    damaged = {
        "empty": {"record": b""},
        "list": {"record": b"[]"},
        "deep": {"record": b"[" * 100_000},
        "words": {"record": b'{"words": [1], "values": {}}'},
        "values": {"record": b'{"words": ["map"], "values": 1}'},
        "none": {"record": b'{"words": [], "values": {}}'},
        "output": {"output": b""},
    }
    for id, parts in damaged.items():
        write_job(folder, id, **parts)
    write_job(folder, "code", code=b"x")
    write_job(folder, "whole")
    with window(folder) as opened:
        status, _, page = opened.ask()
        assert status == 200 and "raven map x" in page and page.count(", damaged<") == len(damaged)
        for id in damaged:
            assert f"raven-runs/.window/{id}<" in page and opened.ask(f"job/{id}")[0] == 404
        assert "stopped before its end" in opened.ended("code")
        assert "<h1>Done</h1>" in opened.ended("whole")
        assert "corpus is named" in opened.ended(opened.start("map", corpus="nothing"))


def test_of_a_long_output_only_the_end_is_read_and_nothing_of_it_is_obeyed(folder):
    write_job(folder, "long", output=b"<b>\x1b[31m\xe2\x80\xae" * 1_000_000)
    with window(folder) as opened:
        for place in ("job/long", "events/long?0"):
            text = opened.ask(place)[2]
            assert len(text) < 1_000_000 and "\x1b" not in text and "\u202e" not in text
    assert len((folder / "raven-runs/.window/long/output.txt").read_bytes()) > 10_000_000


def test_what_cannot_be_written_is_said_on_a_page(folder):
    (folder / "raven-runs").write_text("a file")
    with window(folder) as opened:
        status, headers, page = opened.ask("form/map", {"corpus": "x", "-start": ""})
        assert status == 500 and "this is a file" in page and "move or remove" in page
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


def test_ctrl_c_says_nothing_although_a_page_follows_a_job(folder):
    with window(folder) as opened:
        job = opened.start("run", **LONG)
        connection = http.client.HTTPConnection(opened.host, timeout=60)
        connection.request("GET", f"{opened.base}events/{job}?0", headers={"Host": opened.host})
        assert connection.getresponse().status == 200
        opened.process.send_signal(signal.SIGINT)
        said = opened.process.stdout.read()
    assert said.startswith("Ctrl-C closes it.") and said.count("\n") == 1
