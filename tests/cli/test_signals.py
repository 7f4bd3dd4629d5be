"""SIGTERM and the death of the process: nothing stays behind, and the same command goes on."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from contracts.commands import raven
from ravenbench.ext.programs.process import obstacle
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.testing import toy_problems

SLOW = """
import os, sys, time
given, out = sys.argv[1:]
time.sleep({seconds})
with open(out + "/answers.txt", "w") as file:
    for name in sorted(os.listdir(given)):
        if os.path.isdir(os.path.join(given, name)):
            print(name, 0.7, file=file)
"""


def started(tmp_path: Path, seconds: float, confine: str) -> tuple[list[str], dict[str, str]]:
    """A command with two programs on two workers, and its environment, which its processes can be known by."""
    (tmp_path / "slow.py").write_text(SLOW.format(seconds=seconds))
    (tmp_path / "scratch").mkdir(exist_ok=True)
    for split, seed in (("train", 1), ("test", 2)):
        if not (tmp_path / "toy" / split).exists():
            write_pan_problems(tmp_path / "toy" / split, *toy_problems(6, seed=seed, words=20))
    program = f"{shlex.quote(sys.executable)} {tmp_path}/slow.py $inputDataset $outputDir"
    verifiers = ",".join(
        f"command({program!r}, release={r!r}, format='problems', confine={confine!r})" for r in "ab"
    )
    out = str(tmp_path / "run")
    command = [
        sys.executable,
        "-m",
        "ravenbench.cli.main",
        "pan14",
        str(tmp_path / "toy"),
        "--out",
        out,
    ]
    command[1:3] = ["-c", "from ravenbench.cli.main import run; run()"]
    return [*command, "--verifiers", verifiers, "--workers", "2"], {
        **os.environ,
        "TMPDIR": str(tmp_path / "scratch"),
    }


def running(tmp_path: Path) -> list[str]:
    """Command lines of living processes that name the test's folder."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = place.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(tmp_path) in line and "pytest" not in line.split("--out")[0].split(str(tmp_path))[0]:
            found.append(line)
    return found


def interrupted(
    tmp_path: Path, how: signal.Signals, confine: str
) -> subprocess.CompletedProcess[str]:
    """The command, sent a signal once both programs run."""
    command, environment = started(tmp_path, 600, confine)
    process = subprocess.Popen(
        command,
        env=environment,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(
            signal.SIGHUP, signal.SIG_DFL
        ),  # tests may have it ignored, as under nohup
    )
    until = time.monotonic() + 120
    while sum("slow.py" in line and "supervisor" in line for line in running(tmp_path)) < 2:
        assert time.monotonic() < until and process.poll() is None
        time.sleep(0.2)
    process.send_signal(how)
    said = process.communicate(timeout=60)
    until = time.monotonic() + 20
    while running(tmp_path) and time.monotonic() < until:
        time.sleep(0.2)
    return subprocess.CompletedProcess(command, process.returncode, *said)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are not shown as files here")
@pytest.mark.parametrize(("how", "confine"), [(signal.SIGTERM, "auto"), (signal.SIGHUP, "off")])
def test_a_signal_to_end_leaves_nothing_behind(
    tmp_path: Path, how: signal.Signals, confine: str
) -> None:
    if confine == "auto" and obstacle() is not None:
        pytest.skip(str(obstacle()))
    done = interrupted(tmp_path, how, confine)
    assert (
        done.returncode == 128 + how
        and "repeat the same command" in done.stderr
        and "Traceback" not in done.stderr
    )
    assert running(tmp_path) == []
    assert [p.name for p in (tmp_path / "scratch").iterdir() if p.name.startswith("raven-")] == []
    command, _ = started(tmp_path, 0, confine)
    again = raven(*command[3:-1], "1")
    assert again.code == 0, again.said


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are not shown as files here")
def test_workers_and_programs_end_with_a_killed_process(tmp_path: Path) -> None:
    interrupted(tmp_path, signal.SIGKILL, "off")
    assert running(tmp_path) == []


def test_ctrl_c_while_the_command_is_imported_ends_it_quietly():
    code = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # one started in the background ignores it
        "class Finder:\n"
        "    def find_spec(self, name, *more):\n"
        "        if name == 'typer':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "sys.argv = ['raven', '--help']\n"
        "from ravenbench.__main__ import run\n"
        "run()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 130 and "Traceback" not in done.stderr, done
