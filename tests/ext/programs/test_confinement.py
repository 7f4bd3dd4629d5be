"""What an outside program gets hold of, confined and not, and that nothing it starts outlives it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ravenbench.errors import InputError, ProgramError
from ravenbench.ext.programs import process
from ravenbench.ext.programs.process import Rules, obstacle
from ravenbench.programs import noted, private_folder, sweep, ways

CONFINED = pytest.mark.skipif(
    obstacle() is not None, reason=f"programs cannot be confined here: {obstacle()}"
)
BOTH = pytest.mark.parametrize("confine", [pytest.param("required", marks=CONFINED), "off"])

THIEF = """
import json, os, socket, sys
truth, run, port = sys.argv[1:]
def tried(what):
    try:
        return what()
    except OSError as error:
        return type(error).__name__
def environments():
    found = b""
    for name in os.listdir("/proc"):
        if name.isdigit() and name != str(os.getpid()):
            try:
                found += open("/proc/" + name + "/environ", "rb").read()
            except OSError:
                pass
    return "SECRET=of the user" in found.decode(errors="replace")
print(json.dumps({
    "truth": tried(lambda: open("".join(truth.split("+"))).read()),
    "spoils the run": tried(lambda: open("".join(run.split("+")) + "/cell.json", "w").write("mine")),
    "environment": os.environ.get("SECRET"),
    "environments of others": environments(),
    "processes": sum(name.isdigit() for name in os.listdir("/proc")),
    "network": tried(lambda: socket.create_connection(("127.0.0.1", int(port)), 5) and "reached"),
    "password file": tried(lambda: open("/etc/shadow").read() and "read"),
}))
"""

BEAT = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        code = "import time\\nwhile True: open('beat', 'a').write('.'); time.sleep(.02)"
        os.execve(sys.executable, [sys.executable, "-c", code], {})
    os._exit(0)
while not os.path.exists("beat"): time.sleep(.01)
"""


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "private" / "work").mkdir(parents=True)
    return tmp_path / "private" / "work"


@pytest.fixture
def listener() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def stolen(confine: str, tmp_path: Path, work: Path, port: int) -> dict[str, object]:
    """What the thief reports; places are cut in two, so that the command does not name them."""
    run = tmp_path / "run"
    run.mkdir()
    (run / "truth.txt").write_text("EN001 Y")
    hidden = str(run)[:4] + "+" + str(run)[4:]
    ran = Rules(confine).run(
        [sys.executable, "-c", THIEF, f"{hidden}/truth.txt", hidden, str(port)], work, 30
    )
    return dict(json.loads(ran.stdout))


@CONFINED
def test_a_confined_thief_gets_nothing(
    tmp_path: Path, work: Path, listener: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "of the user")
    got = stolen("required", tmp_path, work, listener)
    assert int(str(got.pop("processes"))) <= 2
    assert got.pop("password file") != "read"
    assert got == {
        "truth": "FileNotFoundError",
        "spoils the run": "FileNotFoundError",
        "environment": None,
        "environments of others": False,
        "network": "ConnectionRefusedError",
    }
    assert not (tmp_path / "run" / "cell.json").exists()


def test_an_unconfined_one_gets_what_the_user_has(
    tmp_path: Path, work: Path, listener: int
) -> None:
    got = stolen("off", tmp_path, work, listener)
    assert (
        got["truth"] == "EN001 Y" and got["network"] == "reached" and int(str(got["processes"])) > 2
    )
    assert got["environment"] is None and (tmp_path / "run" / "cell.json").read_text() == "mine"


PATIENCE = 60
"""Seconds that a busy machine may take to start or to end a process."""


def beats(place: Path, seconds: float = 0.5) -> bool:
    """Whether something makes the file longer, within so many seconds."""
    until = time.monotonic() + seconds
    before = length = place.stat().st_size
    while length == before and time.monotonic() < until:
        time.sleep(0.05)
        length = place.stat().st_size
    return length != before


@BOTH
def test_who_clears_the_environment_and_leaves_the_session_does_not_outlive_the_limit(
    work: Path, confine: str
) -> None:
    with pytest.raises(ProgramError, match="stopped it after 4 seconds"):
        Rules(confine).run([sys.executable, "-c", BEAT + "\ntime.sleep(60)"], work, 4)
    assert (work / "beat").exists() and not beats(work / "beat")


def test_what_an_unconfined_program_leaves_behind_is_told(work: Path) -> None:
    with pytest.raises(ProgramError, match="left processes running"):
        Rules("off").run([sys.executable, "-c", BEAT], work, 30)
    assert (work / "beat").exists() and not beats(work / "beat")


@BOTH
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_programs_die_with_their_parent(work: Path, confine: str, how: signal.Signals) -> None:
    code = (
        "import sys; from pathlib import Path; from ravenbench.ext.programs.process import Rules\n"
        f"Rules({confine!r}).run([sys.executable, '-c', {BEAT + 'time.sleep(600)'!r}], Path({str(work)!r}), 600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code])
    until = time.monotonic() + PATIENCE
    while not (work / "beat").exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert beats(work / "beat", PATIENCE)
    os.kill(parent.pid, how)
    parent.wait()
    until = time.monotonic() + PATIENCE
    while (alive := beats(work / "beat")) and time.monotonic() < until:
        pass
    assert not alive


LIMITS = {
    "processes": (
        "import os, time\nfor _ in range(30): os.fork() or time.sleep(20)\ntime.sleep(20)",
        {"processes": 8},
        "processes, more than 8",
    ),
    "memory": (
        "import time\nheld = b'x' * 2**28\ntime.sleep(20)",
        {"memory": 0.1},
        "GiB of memory, more than 0.10",
    ),
    "disk": (
        "import time\nfor i in range(8): open(str(i), 'wb').write(b'x' * 2**20)\ntime.sleep(20)",
        {"disk": 4 / 1024},
        "GiB, more than 0.00",
    ),
    "one file": (
        "open('large', 'wb').write(b'x' * 2**23)",
        {"disk": 4 / 1024},
        "SIGXFSZ|File too large",
    ),
}


@BOTH
@pytest.mark.parametrize("what", LIMITS)
def test_limits_hold(work: Path, confine: str, what: str) -> None:
    code, limits, message = LIMITS[what]
    with pytest.raises(ProgramError, match=message):
        Rules(confine, **limits).run([sys.executable, "-c", code], work, 60)


@CONFINED
def test_it_reads_what_it_is_shown_and_writes_only_its_own(tmp_path: Path, work: Path) -> None:
    model = tmp_path / "model"
    model.mkdir()
    (model / "weights").write_text("kept")
    read = f"print(open('{model}/weights'[0:]).read())"
    script = tmp_path / "script.py"
    script.write_text(read + f"\nopen('mine', 'w').write('x'); open('{model}/weights', 'a')")
    argv = [sys.executable, str(script)]
    with pytest.raises(ProgramError, match=r"FileNotFoundError[\s\S]*it ran confined; readable"):
        Rules("required").run(argv, work, 30)
    with pytest.raises(ProgramError, match="Read-only file system"):
        Rules("required", readable=[str(model)]).run(argv, work, 30)
    assert (work / "mine").exists()


@CONFINED
def test_a_run_within_what_is_shown_stays_hidden(tmp_path: Path, work: Path) -> None:
    for name in ("checkout", "checkout/raven-runs/one"):
        (tmp_path / name).mkdir(parents=True)
    run = tmp_path / "checkout" / "raven-runs" / "one"
    (run / "run.json").write_text("{}")
    (run / "truth").write_text("Y")
    code = "import os\nfor place, _, files in os.walk('checkout'.join(['../../', ''])): print(place, files)"
    ran = Rules("required", readable=[str(tmp_path / "checkout")]).run(
        [sys.executable, "-c", code], work, 30
    )
    assert b"raven-runs/one []" in ran.stdout


def test_how_it_ran_is_noted(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    true = [sys.executable, "-c", ""]
    with noted():
        assert ways() == ""
        Rules("off").run(true, work, 30)
        Rules("off").run(true, work, 30)
        assert ways() == "not confined: confinement is switched off"
    monkeypatch.setattr(process.shutil, "which", lambda name: None)
    obstacle.cache_clear()
    try:
        with noted():
            Rules().run(true, work, 30)
            assert ways() == "not confined: bubblewrap (the program bwrap) is not installed"
        with pytest.raises(
            InputError,
            match=r"cannot confine outside programs here[\s\S]*is not installed[\s\S]*install bubblewrap",
        ):
            Rules("required").check()
    finally:
        obstacle.cache_clear()


def test_private_folders_of_killed_processes_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    code = (
        "import os, tempfile; from ravenbench.programs import private_folder\n"
        f"tempfile.tempdir = {str(tmp_path)!r}\nwith private_folder() as f: (f / 'text').write_text('x'); os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    assert len(list(tmp_path.iterdir())) == 1
    (tmp_path / "raven-program-00000000-1-x").mkdir()
    with private_folder() as mine:
        sweep()
        assert sorted(tmp_path.iterdir()) == sorted([mine, tmp_path / "raven-program-00000000-1-x"])


@BOTH
@pytest.mark.parametrize("kind", ["link", "folder of links", "pipe", "link for the folder"])
def test_what_a_program_leaves_is_files_and_no_ways_elsewhere(
    tmp_path: Path, confine: str, kind: str
) -> None:
    """A link would be followed with the user's rights, to what the program itself may not read."""
    (tmp_path / "secret.txt").write_text("of the user")
    does = {
        "link": "os.symlink(secret, out + '/a.txt')",
        "folder of links": "os.mkdir(out + '/a'); os.symlink(os.path.dirname(secret), out + '/a/b')",
        "pipe": "os.mkfifo(out + '/a.txt')",
        "link for the folder": "os.rmdir(out); os.symlink(os.path.dirname(secret), out)",
    }[kind]
    with private_folder() as home:
        out, work = home / "output", home / "work"
        out.mkdir()
        work.mkdir()
        code = f"import os\nsecret, out = {str(tmp_path / 'secret.txt')!r}, {str(out)!r}\n{does}"
        with pytest.raises(
            ProgramError, match=r"a link|other than a file|cannot be|exit|ended with code"
        ):
            Rules(confine).run([sys.executable, "-c", code], work, 60, (), [out])
