"""Two writers of one folder: the second is refused and told who holds it; the lock of a dead process is taken over."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ravenbench.errors import InputError
from ravenbench.store.resume import LOCK, folder_lock, hold
from ravenbench.tasks.api import run
from small_run import SMALL

OPTIONS = {**SMALL, "samplers": "hits", "verifiers": "length", "workers": 1}
HOLDS = """
import sys, time
from pathlib import Path
from ravenbench.store.resume import folder_lock
with folder_lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, folder], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "held\n"
        yield folder, process
        process.kill()


def test_the_second_writer_is_refused_and_told_who_holds_the_folder(holder):
    folder, process = holder
    with pytest.raises(
        InputError, match=rf"another command is writing[\s\S]*process {process.pid} on .*since 20"
    ):
        run(out=folder, **OPTIONS)
    assert [p.name for p in folder.iterdir()] == [LOCK]


def test_the_lock_of_a_killed_process_is_free(holder):
    folder, process = holder
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert (folder / LOCK).exists()
    assert run(out=folder, **OPTIONS).errors == ()
    assert not (folder / LOCK).exists()


def test_a_folder_made_meanwhile_is_locked_when_it_is_made(tmp_path):
    with folder_lock(tmp_path / "new"):
        (tmp_path / "new").mkdir()
        hold(tmp_path / "new")
        assert json.loads((tmp_path / "new" / LOCK).read_text())["pid"] == os.getpid()
    assert not list((tmp_path / "new").iterdir())


def test_threads_of_one_process_exclude_each_other(tmp_path):
    held, free = threading.Event(), threading.Event()

    def first() -> None:
        with folder_lock(tmp_path):
            held.set()
            free.wait(10)

    thread = threading.Thread(target=first)
    thread.start()
    held.wait(10)
    with pytest.raises(InputError, match="another command is writing"), folder_lock(tmp_path):
        pytest.fail("two hold it")
    free.set()
    thread.join()
    with folder_lock(tmp_path):
        pass


@pytest.mark.parametrize("owner", ["nobody", "living", "dead", "elsewhere", "unreadable"])
def test_where_the_system_keeps_no_locks_the_file_says_who_holds_it(tmp_path, monkeypatch, owner):
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    host, pid = socket.gethostname(), {"living": os.getppid(), "dead": gone.pid}.get(owner, 1)
    told = {
        "host": "elsewhere" if owner == "elsewhere" else host,
        "pid": pid,
        "since": "2026-01-01",
    }
    if owner != "nobody":
        (tmp_path / LOCK).write_text("?" if owner == "unreadable" else json.dumps(told))
    if owner in ("nobody", "dead"):
        with folder_lock(tmp_path):
            assert json.loads((tmp_path / LOCK).read_text())["pid"] == os.getpid()
        assert not (tmp_path / LOCK).exists()
    else:
        with pytest.raises(InputError, match="another command is writing"), folder_lock(tmp_path):
            pytest.fail("two hold it")
        assert (tmp_path / LOCK).exists()


def test_of_many_at_the_same_time_one_wins(tmp_path):
    """Each that gets in stays long enough for all others to try; none is let in beside it."""
    code = f"""
import sys, time
from pathlib import Path
from ravenbench.errors import InputError
from ravenbench.store.resume import folder_lock
time.sleep(max(0, {time.time() + 3} - time.time()))
inside = Path(sys.argv[1]) / "inside"
for _ in range(20):
    try:
        with folder_lock(Path(sys.argv[1])):
            inside.touch(exist_ok=False)
            time.sleep(0.005)
            inside.unlink()
            print("in", flush=True)
    except InputError:
        time.sleep(0.002)
"""
    started = [
        subprocess.Popen([sys.executable, "-c", code, tmp_path], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    outs = [process.communicate()[0] for process in started]
    assert all(process.returncode == 0 for process in started), "two were inside"
    assert "in" in "".join(outs)


def test_a_folder_in_the_place_of_a_cell_is_mended_or_refused(tmp_path):
    store = run(out=tmp_path / "run", **OPTIONS).store
    place = store.cell_path(store.plan.cells[0].key)
    place.unlink()
    place.mkdir()
    assert run(out=tmp_path / "run", **OPTIONS).errors == () and place.is_file()
    place.unlink()
    place.mkdir()
    (place / "mine.txt").write_text("mine")
    with pytest.raises(
        InputError,
        match=r"this is a folder, and Raven needs a file with this name[\s\S]*fix: move or remove the folder",
    ):
        run(out=tmp_path / "run", **OPTIONS)
    assert (place / "mine.txt").read_text() == "mine"


def test_a_file_in_the_place_of_the_cells_is_refused(tmp_path):
    store = run(out=tmp_path / "run", **OPTIONS).store
    for cell in (store.path / "cells").iterdir():
        cell.unlink()
    (store.path / "cells").rmdir()
    Path(store.path / "cells").write_text("a file")
    with pytest.raises(
        InputError, match=r"this is a file, and Raven needs a folder with this name"
    ):
        run(out=tmp_path / "run", **OPTIONS)


def test_a_run_that_lost_its_head_goes_on_and_a_strangers_folder_is_refused(tmp_path):
    store = run(out=tmp_path / "run", **OPTIONS).store
    before = {p.name: p.stat().st_mtime_ns for p in (store.path / "cells").iterdir()}
    (store.path / "run.json").unlink()
    assert run(out=tmp_path / "run", **OPTIONS).errors == ()
    assert {p.name: p.stat().st_mtime_ns for p in (store.path / "cells").iterdir()} == before
    for name in ("run.json", "plan.json"):
        (store.path / name).unlink()
    with pytest.raises(InputError, match="this folder contains other files"):
        run(out=tmp_path / "run", **OPTIONS)


def test_a_run_killed_before_its_head_had_its_name_begins_again(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / ".run.json.m593d027").write_bytes(b'{"form')
    assert run(out=tmp_path / "run", **OPTIONS).errors == ()
