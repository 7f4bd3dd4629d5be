"""Methods and programs of strangers that misbehave: their own cells fail, and no other answer changes."""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from campaigns.job import OPTIONS, state
from campaigns.outcome import Outcome
from engine.test_strangers import FAILING, STRANGERS
from ravenbench.errors import RavenError
from ravenbench.ext.programs.verifier import Command
from ravenbench.store.store import Store
from ravenbench.testing import toy_problems

ENDING = """
class Leaves(Base):
    def verify(self, problems):
        os._exit(0)

class Crashes(Base):
    def verify(self, problems):
        ctypes.string_at(0)

class KillsItself(Base):
    def fit(self, problems, same):
        os.kill(os.getpid(), 9)

class Short(Base):
    def verify(self, problems):
        return np.full(len(problems) - 1, 0.5)

class Large(Base):
    def verify(self, problems):
        return np.full(len(problems), 1.5)

class Changes(Base):
    def verify(self, problems):
        problems.known_index[:] = 0
        return super().verify(problems)

class Nothing(Base):
    def verify(self, problems):
        return None

class Closes(Base):
    def verify(self, problems):
        os.close(1)
        raise ValueError("closed")
"""
ALONE = ("Aborts", "Leaves", "Crashes", "KillsItself")
OTHERS = (*FAILING, "Short", "Large", "Changes", "Nothing", "Closes")
MAY_ANSWER = ("Changes",)
"""What it overwrites is its own copy."""

PROGRAM = """
import json, os, signal, subprocess, sys, time
given, out = sys.argv[1:]
ids = [json.loads(line)["id"] for line in open(given + "/pairs.jsonl")]
place = out + "/answers.jsonl"
def write(values, end="\\n"):
    with open(place, "w") as file:
        for name, value in values:
            file.write(json.dumps({"id": name, "value": value}) + end)
"""
PROGRAMS = {
    "says nothing": "",
    "exits with 3": "write([(i, .7) for i in ids]); sys.exit(3)",
    "answers an empty file": "open(place, 'w')",
    "answers NaN": "write([(i, float('nan')) for i in ids])",
    "answers text": "write([(i, 'yes') for i in ids])",
    "answers true": "write([(i, True) for i in ids])",
    "answers beyond 1": "write([(i, 1.5) for i in ids])",
    "answers below 0": "write([(i, -.5) for i in ids])",
    "leaves a problem out": "write([(i, .7) for i in ids[1:]])",
    "answers one twice": "write([(i, .7) for i in ids + ids[:1]])",
    "answers one that is not there": "write([(i, .7) for i in [*ids, 'more']])",
    "cuts its last line": "write([(i, .7) for i in ids]); os.truncate(place, os.path.getsize(place) - 5)",
    "writes one long line": "write([(i, .7) for i in ids], end='')",
    "writes bytes": "open(place, 'wb').write(bytes(range(256)) * 40)",
    "writes an old Mac's lines": "write([(i, .7) for i in ids], end='\\r')",
    "puts a folder there": "os.mkdir(place)",
    "puts a link to another file there": "os.symlink('/etc/hostname', place)",
    "puts a link to itself there": "os.symlink(place, place)",
    "puts a pipe there": "os.mkfifo(place)",
    "crashes": "import ctypes; ctypes.string_at(0)",
    "kills itself": "os.kill(os.getpid(), signal.SIGKILL)",
    "never ends": "time.sleep(600)",
    "ignores to be told": "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(1)",
    "spins": "while True: pass",
    "leaves a child": "subprocess.Popen(['sleep', '600']); write([(i, .7) for i in ids]); sys.exit(4)",
    "leaves a child of another session": "subprocess.Popen(['sleep', '600'], start_new_session=True, env={}); sys.exit(4)",
    "shouts": "sys.stdout.write('x' * 10**7); sys.stderr.write('\\x1b[31m' * 10**5); sys.exit(5)",
    "takes all memory": "held = bytearray(8 * 2**30); held[::4096] = b'x' * len(held[::4096])",
    "fills the disk": "f = open(out + '/more', 'wb')\nwhile True: f.write(bytes(2**24))",
    "removes its input": "import shutil; shutil.rmtree(given, ignore_errors=True); shutil.rmtree(out); sys.exit(6)",
}


def plugins(outcome: Outcome, scratch: Path, expected: dict[str, str], *, ending: bool) -> None:
    """A run with every method of a stranger beside ``length``, whose answers must be those of the undisturbed job."""
    folder = scratch / f"strangers-{ending}"
    folder.mkdir()
    (folder / "strangers.py").write_text(STRANGERS + ENDING)
    names = ALONE if ending else OTHERS
    options = OPTIONS | {"verifiers": ", ".join(["length", *(f"strangers:{n}" for n in names)])}
    code = f"from ravenbench.tasks.api import run\nrun(out='run', workers={2 if ending else 1}, **{options!r})"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        outcome.count(
            False, f"the run of strangers ended with {done.returncode}: {done.stderr[-400:]}"
        )
        return
    store, found = Store.open(folder / "run"), state(folder / "run")
    changed = [
        c
        for c in (f"cells/{store.keys['length', f]}.cell" for f in store.plan.folds)
        if found[c] != expected[c]
    ]
    for name in names:
        cells = [store.cell(f"strangers:{name}", fold) for fold in store.plan.folds]
        answered = [
            fold
            for fold, cell in zip(store.plan.folds, cells, strict=True)
            if cell and cell.error is None
        ]
        well = not changed and (not answered or name in MAY_ANSWER)
        outcome.count(well, f"{name}: answered {answered}, cells of length changed: {changed}")


def programs(
    outcome: Outcome, scratch: Path, names: list[str] | None = None, timeout: float = 5
) -> None:
    """Every outside program, tried on toy problems: an error of Raven's, no process and no file left behind."""
    folder, temporary = scratch / "programs", scratch / "temporary"
    folder.mkdir()
    temporary.mkdir()
    kept, tempfile.tempdir = tempfile.tempdir, str(temporary)
    train, same = toy_problems(4)
    test = toy_problems(4, seed=2, words=20)[0].blind()
    try:
        for name in names or PROGRAMS:
            place = folder / f"{name.replace(' ', '-').replace(chr(39), '')}.py"
            place.write_text(PROGRAM + PROGRAMS[name])
            line = (
                f"{shlex.quote(sys.executable)} {shlex.quote(str(place))} $inputDataset $outputDir"
            )
            try:
                Command(line, timeout=timeout, memory=1.0, disk=0.1, format="pairs").fit(
                    train, same
                ).verify(test)
                told = "its answers were taken"
            except RavenError:
                told = ""
            except Exception as error:
                told = f"{type(error).__name__}: {error}"
            left = [p.name for p in temporary.iterdir() if p.name.startswith("raven-")]
            outcome.count(not told and not left, f"{name}: {told}; left behind: {left}")
    finally:
        tempfile.tempdir = kept
    alive = [p.name for p in Path("/proc").glob("[0-9]*") if str(folder) in _line(p)]
    outcome.count(not alive, f"processes that a program started live on: {alive}")


def _line(process: Path) -> str:
    try:
        return (process / "cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""
