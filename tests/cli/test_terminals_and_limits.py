"""Terminals of few characters, memory that is too small, and SIGTERM when all is done: no tracebacks, right codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from itertools import cycle

import pytest

pytestmark = pytest.mark.usefixtures("undrawn")

RAVEN = "import sys; from ravenbench.cli.main import run; run()"


def raven(*arguments, before=None, **variables):
    return subprocess.run(
        [sys.executable, "-c", (before or "") + RAVEN, *arguments],
        capture_output=True,
        env=os.environ | variables,
        check=False,
    )


ASCII = (
    {"PYTHONIOENCODING": "ascii"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
)


COMMANDS = (["--help"], ["run", "--help"], ["list", "verifiers"], ["corpus", "list"], ["doctor"])


@pytest.mark.parametrize(("command", "variables"), [*zip(COMMANDS, cycle(ASCII))])
def test_terminals_that_show_ascii_alone(command, variables):
    done = raven(*command, **variables)
    assert b"Traceback" not in done.stderr and done.returncode in (0, 1) and len(done.stdout) > 300


def test_what_they_lack_is_written_by_what_is_like_it():
    shown = raven("corpus", "list", PYTHONIOENCODING="ascii").stdout
    assert shown.isascii() and b"-+----" in shown and b"|access" in shown


def test_json_stays_the_same_value(tmp_path):
    rows = [
        json.dumps({"text": f"A text, number {i}.", "author": f"Ä’{i % 2}", "topic": "“t”"})
        for i in range(8)
    ]
    (tmp_path / "c.jsonl").write_text("\n".join(rows))
    plain, usual = (
        raven("corpus", "info", str(tmp_path / "c.jsonl"), "--json", PYTHONIOENCODING=name)
        for name in ("ascii", "utf-8")
    )
    assert plain.stdout.isascii() and json.loads(plain.stdout) == json.loads(usual.stdout.decode())


LAST = (
    "import atexit, os, signal, ravenbench.cli.main as m\n"
    "m.build = lambda wanted: (lambda **how: atexit.register(os.kill, os.getpid(), signal.SIGTERM))\n"
)
UNHEARD = (
    "import os, signal, ravenbench.cli.main as m\n"
    "def command():\n    try:\n        os.kill(os.getpid(), signal.SIGTERM)\n        import time; time.sleep(10)\n"
    "    except BaseException:\n        pass\n"
    "m.build = lambda wanted: (lambda **how: command())\n"
)
TELLING = (
    "import os, signal, ravenbench.cli.main as m\nfrom ravenbench.errors import InputError\n"
    "def command():\n    raise InputError('x')\n"
    "def secho(*a, **k):\n    os.kill(os.getpid(), signal.SIGTERM)\n    import time; time.sleep(10)\n"
    "m.build = lambda wanted: (lambda **how: command())\nm.typer.secho = secho\n"
)


WITHIN = (
    "import ravenbench.cli.main as m\nm.build = lambda wanted: lambda **how: exec('import os, time; "
    "os.kill(os.getpid(), 15); time.sleep(10)')\nm.run()\n"
)


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_a_signal_within_text_that_python_executes_gives_its_code(tmp_path):
    (tmp_path / "within.py").write_text(WITHIN)
    done = subprocess.run([sys.executable, "-m", "within"], cwd=tmp_path, capture_output=True)
    assert done.returncode == 143 and b"repeat the same command" in done.stderr


DROPPED = (
    "import os, signal, time, ravenbench.cli.main as m\nclass Gone:\n    def __del__(self):\n"
    "        os.kill(os.getpid(), signal.SIGTERM)\n        time.sleep(0.01)\n"
    "def command(**how):\n    Gone()\n    time.sleep(20)\nm.build = lambda wanted: command\n"
)
LOADED = (
    "import os, signal, sys, time, ravenbench.cli.main as m\nclass Finder:\n    def find_spec(self, name, *more):\n"
    "        if name == 'atexit':\n            os.kill(os.getpid(), signal.SIGTERM)\n"
    "def command(**how):\n    sys.meta_path.insert(0, Finder())\n    del sys.modules['atexit']\n"
    "    import polars\n    assert 'atexit' in sys.modules\n    time.sleep(20)\nm.build = lambda wanted: command\n"
)
"""polars asks for this module from Rust, where an error is a panic."""


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
@pytest.mark.parametrize("before", [DROPPED, LAST, UNHEARD, TELLING, LOADED])
def test_sigterm_gives_its_code_whenever_it_comes(before):
    done = raven("list", before=before)
    assert done.returncode == 128 + signal.SIGTERM and b"Traceback" not in done.stderr
    assert b"panicked" not in done.stderr


@pytest.mark.parametrize(
    ("raised", "fix"),
    [
        ("MemoryError()", b"give the process more"),
        (
            "type('PanicException', (BaseException,), {})('could not spawn threads')",
            b"give the process more",
        ),
        ("int('9' * 5000)", b"shorten the number"),
    ],
)
def test_memory_or_a_limit_of_python_that_does_not_do_is_one_line(raised, fix):
    before = f"import ravenbench.cli.main as m\ndef command(**how): raise {raised}\nm.build = lambda wanted: command\n"
    done = raven("list", before=before)
    assert (
        done.returncode == 2
        and len(done.stderr.splitlines()) == 2
        and b"fix: " + fix in done.stderr
    )


@pytest.mark.skipif(
    sys.platform != "linux", reason="other systems do not limit or tell a process's memory so"
)
@pytest.mark.parametrize("limit", [700])
def test_parquet_under_a_limit_of_memory(limit, tmp_path):
    import polars as pl

    texts = {
        "text": [f"A text, number {i}." for i in range(40)],
        "author": ["a", "b"] * 20,
        "topic": ["s", "t"] * 20,
    }
    pl.DataFrame(texts).write_parquet(tmp_path / "c.parquet")
    before = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({limit} * 2**20,) * 2)\n"
    done = raven("corpus", "info", str(tmp_path / "c.parquet"), before=before)
    assert (
        done.returncode in (0, 2)
        and b"Traceback" not in done.stderr
        and b"panicked" not in done.stderr
    )
    if done.returncode:
        assert done.stderr.startswith(b"error: ") and len(done.stderr.splitlines()) <= 4
