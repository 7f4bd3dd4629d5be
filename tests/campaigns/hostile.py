"""Strangers' data at their worst: a megabyte that asks for time, one bad item among many, and the moments of a kill."""

from __future__ import annotations

import importlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from email.message import EmailMessage
from functools import partial
from pathlib import Path

from campaigns.outcome import Outcome
from contracts.commands import Ended, Starter, command, warm
from ravenbench.limits import ENDING

SIZE = 2**20
"""Bytes of a text that asks for time."""
MOST = 10
"""CPU seconds that a reader may take for it."""
PATIENCE = 5.0
"""Seconds after its parent's death in which a process must be gone, and that a command may take to obey a signal."""

_UNITS = {
    "letters without blanks": "a",
    "quotes and dots": "\".'",
    "blanks": " ",
    "line ends": "\n",
    "tabs and blanks": "\t ",
    "open tags": "<pre><p ",
    "open brackets": "[({",
    "quotations": "> > ",
    "headers": "From: a\nTo: b\n",
    "introductions": "On 1 May he wrote:\n",
    "separators": "-- \n",
    "phones": "Sent from my phone\n",
    "closings": "regards,  \n",
    "accents": "a\u0301\u0301\u0301",
    "addresses": "a@b.",
    "rules": "_-=*",
    "digits": "1,1.",
    "commas": 'a,"b',
    "messages": "[1/1/20, 10:10] A: a\n",
    "entities": "&lt;&amp;",
    "dates": "<date>a</date><post>",
    "braces": "{\\b ",
    "escapes": '\\u0041\\"',
}
"""What is repeated in a text that asks for time."""


def long(kind: str, size: int = SIZE) -> str:
    """A text of a kind, of so many bytes or nearly."""
    unit = _UNITS[kind]
    return unit * (size // len(unit.encode()))


READ = """
import json, resource, sys, time
from pathlib import Path
sys.path.insert(0, {tests!r})
from campaigns.hostile import READERS, long
from ravenbench.errors import RavenError

def used():
    every = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(u.ru_utime + u.ru_stime for u in every)

reader, folder = sys.argv[1], Path(sys.argv[2])
for kind in sys.argv[3:]:
    began = used()
    try:
        READERS[reader](long(kind), folder)
        told = ""
    except RavenError:
        told = "refused with an error of Raven's"
    except Exception as error:
        told = f"{{type(error).__name__}}: {{error}}"[:200]
    from ravenbench.reading import apart
    for server in [*apart._servers]:
        server.stop()
        apart._servers.clear()
    print(json.dumps([kind, used() - began, told]), flush=True)
"""


def _documents(name: str, before: str = "", after: str = "") -> Callable[[str, Path], object]:
    def read(text: str, folder: Path) -> object:
        from ravenbench.reading.documents import read_documents

        (folder / name).write_text(before + text + after, "utf-8")
        return read_documents(folder / name)

    return read


def _table(
    name: str, before: str, after: str, *, escape: Callable[[str], str]
) -> Callable[[str, Path], object]:
    def read(text: str, folder: Path) -> object:
        from ravenbench.reading.load import load_corpus
        from ravenbench.text.mail import signs_of_mail

        (folder / name).write_text(before + escape(text) + after, "utf-8")
        signs_of_mail(text)
        return load_corpus(folder / name)

    return read


def _own_words(text: str, folder: Path) -> object:
    from ravenbench.text.mail import signs_of_mail
    from ravenbench.text.tokens import count_words, words

    return signs_of_mail(text), count_words(text), words(text)


def _json(text: str) -> str:
    return json.dumps(text)[1:-1]


_HEAD = "From: a@x.org\nSubject: s\nDate: Thu, 01 Jan 2020 00:00:00 +0000\n"
_ROW = '{"text": "one two three four", "author": "a", "topic": "x"}\n{"text": "five", "author": "b", "topic": "x"}\n'
READERS: dict[str, Callable[[str, Path], object]] = {
    "plain text": _documents("a.txt"),
    "mail": _documents("a.eml", _HEAD + "\n"),
    "mail's header": _documents("a.eml", _HEAD + "X-Note: ", "\n\nbody of it\n"),
    "mail in HTML": _documents("a.eml", _HEAD + "Content-Type: text/html\n\n<p>"),
    "mailbox": _documents("a.mbox", f"From a Thu Jan 01 00:00:00 2020\n{_HEAD}\n"),
    "page": _documents("a.html", "<html><body><p>mine "),
    "Rich Text": _documents("a.rtf", "{\\rtf1 mine ", "}"),
    "chat of WhatsApp": _documents("b.txt", "[1/1/20, 10:10] A: hi\n[1/1/20, 10:11] B: "),
    "chat of Signal": _documents(
        "data.json",
        '{"sender": "A", "body": "',
        '"}\n',
    ),
    "words and signs": _own_words,
    "table of lines": _table(
        "a.jsonl", _ROW + '{"author": "a", "topic": "x", "text": "', '"}\n', escape=_json
    ),
    "table with commas": _table(
        "a.csv", "text,author,topic\none two,a,x\nthree,b,x\n", ",a,x\n", escape=lambda t: t
    ),
}
"""Readers, each given a text that asks for time in the place of a person's."""


def ask_for_time(
    outcome: Outcome, scratch: Path, kinds: int | None = None, readers: int | None = None
) -> None:
    """Every reader with a megabyte of every kind, in processes of their own."""
    tests = str(Path(__file__).parents[1])
    wanted = list(_UNITS)[:kinds]
    for reader in list(READERS)[outcome.tried // len(wanted) : readers]:
        if not outcome.wants(sys.maxsize):
            return
        folder = scratch / "asking"
        folder.mkdir(parents=True)
        command = [sys.executable, "-c", READ.format(tests=tests), reader, str(folder), *wanted]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=2 * MOST * len(wanted)
        )
        answers = {
            kind: (seconds, told)
            for kind, seconds, told in map(json.loads, done.stdout.splitlines())
        }
        for kind in wanted:
            seconds, told = answers.get(kind, (0.0, f"nothing was said: {done.stderr[-200:]}"))
            own = told in ("", "refused with an error of Raven's")
            outcome.count(own and seconds <= MOST, f"{reader}, {kind}: {seconds:.1f} s; {told}")
            if told and own:
                outcome.note(told)
        shutil.rmtree(folder, ignore_errors=True)


GOOD = 3


def _mail(number: int) -> bytes:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = f"p{number}@x.org", f"s{number}"
    mail.set_content(f"These are the words of person {number}, who wrote nothing else today.\n")
    return bytes(mail)


_DEEP = b"".join(
    b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (i, i) for i in range(2000)
)
_BAD_MAILS = {
    "an attachment's name in no charset": b"From: e@x.org\nSubject: s\n"
    b"Content-Type: multipart/mixed; boundary=b\n\n--b\n"
    b'Content-Disposition: attachment; filename="=?no-such?q?=41?="\n\nx\n--b\n\nhello\n--b--\n',
    "parts nested deep": b"From: e@x.org\nSubject: s\n" + _DEEP,
    "bytes in no charset that is named": b"From: e@x.org\nSubject: s\n\nhello \x81\xfe\x90\n",
    "a charset that is none": b'From: e@x.org\nSubject: s\nContent-Type: text/plain; charset="\\""\n\nhello \xff\n',
    "half a character in UTF-7": b"From: e@x.org\nSubject: s\nContent-Type: text/plain; charset=utf-7\n\nA +2AA- b\n",
    "a NUL": b"From: e@x.org\nSubject: s\n\na\0b\n",
    "no headers": b"\nhello\n",
    "base64 that is none": b"From: e@x.org\nSubject: s\nContent-Transfer-Encoding: base64\n\n%%%\n",
    "half a character in its subject": b"From: e@x.org\nSubject: =?utf-7?q?+2AA-?=\n\nhello\n",
    "half a character in its sender": b"From: =?unicode_escape?q?=5Cud800?= <e@x.org>\nSubject: s\n\nhello\n",
    "half a character in its date": b"From: e@x.org\nSubject: s\nDate: =?utf-7?q?+2AA-?=\n\nhello\n",
    "half a character in a quotation": b"From: e@x.org\nSubject: s\nContent-Type: text/plain; charset=utf-7\n\n"
    b"hello\n\n> quoted +2AA- b\n",
    "half a character in a signature": b"From: e@x.org\nSubject: s\nContent-Type: text/plain; charset=utf-7\n\n"
    b"hello\n\n-- \nE +2AA-\n",
    "half a character in an attachment's name": b"From: e@x.org\nSubject: s\n"
    b"Content-Type: multipart/mixed; boundary=b\n\n--b\n"
    b"Content-Disposition: attachment; filename*=utf-7''+2AA-\n\nx\n--b\n\nhello\n--b--\n",
    "headers in no charset": b"From: =?no-such?b?AAAA?= <e@x.org>\nSubject: =?x?z?=\nDate: \xff\n\nhello\n",
}
_BAD_LINES = {
    "cut short": '{"sender": "A", "bo',
    "a list": "[1, 2]",
    "a number": "7",
    "a sender that is a list": '{"sender": ["A"], "body": "x"}',
    "a quotation that is a list": '{"sender": "A", "body": "x", "quote": [1]}',
    "half a character": '{"sender": "A", "body": "\\ud800"}',
    "a NUL": '{"sender": "A", "body": "a\\u0000b"}',
    "nested deep": "[" * 100_000,
    "a body that is a list": '{"sender": "A", "body": ["x"]}',
    "a sender that is half a character": '{"sender": "\\udc00", "body": "x"}',
}
_BAD_FILES: dict[str, tuple[str, bytes]] = {
    "a sender called index.html": (
        "bad.eml",
        b"From: index.html\nSubject: s\n\nMy own words stand here.\n",
    ),
    "a sender called texts.json": (
        "bad.eml",
        b"From: texts.json\nSubject: s\n\nMy own words stand here.\n",
    ),
    "a sender called authors.csv": (
        "bad.eml",
        b"From: authors.csv\nSubject: s\n\nMy own words stand here.\n",
    ),
    "a sender called author unknown": (
        "bad.eml",
        b"From: author unknown\nSubject: s\n\nMy own words stand here.\n",
    ),
    "a page cut short": ("bad.html", b"<html><body><p>mine"),
    "bytes of no encoding": ("bad.txt", bytes(range(128, 256)) * 8),
    "a NUL": ("bad.txt", b"a\0b"),
    "an empty file": ("bad.docx", b""),
    "a name that commands": ("bad\x1b]0;x\x07\u202e.txt", b"My own words stand here."),
}


def spoil_batches(outcome: Outcome, scratch: Path) -> None:
    """Mailboxes, chats and inboxes with one bad item: every good one is read, and the bad one named."""
    from ravenbench.ext.documents.report import extract_texts

    tries: list[tuple[str, dict[str, bytes]]] = []
    for what, mail in _BAD_MAILS.items():
        mails = [*map(_mail, range(GOOD)), mail]
        box = b"".join(
            b"From x Thu Jan 01 00:00:00 2020\n" + each.rstrip(b"\n") + b"\n\n" for each in mails
        )
        tries += [
            (f"a mailbox with {what}", {"a.mbox": box}),
            (f"an inbox with {what}", _inbox({"bad.eml": mail})),
        ]
    for what, line in _BAD_LINES.items():
        good = [
            json.dumps({"sender": f"p{i}@x.org", "body": f"These are the words of {i}."})
            for i in range(GOOD)
        ]
        tries.append((f"a chat with {what}", {"data.json": "\n".join([*good, line]).encode()}))
    tries += [
        (f"an inbox with {what}", _inbox({name: data})) for what, (name, data) in _BAD_FILES.items()
    ]
    for what, content in tries[outcome.tried :]:
        folder, out = scratch / "batch", scratch / "batch-out"
        folder.mkdir(parents=True)
        for name, data in content.items():
            (folder / name).write_bytes(data)
        try:
            found = extract_texts(folder, out)
            lacking = {f"p{i}@x.org" for i in range(GOOD)} - {one.author for one in found.texts}
            told = (
                len(found.texts) > GOOD or found.left_out or any(one.notes for one in found.texts)
            )
            wrong = (
                f"lost {sorted(lacking)}" if lacking else "" if told else "the bad one is not named"
            )
        except Exception as error:  # whatever it is, the batch is lost
            wrong = f"{type(error).__name__}: {str(error)[:200]}"
        outcome.count(not wrong, f"{what}: {wrong}")
        shutil.rmtree(folder)
        shutil.rmtree(out, ignore_errors=True)


def _inbox(bad: dict[str, bytes]) -> dict[str, bytes]:
    return {**{f"{i}.eml": _mail(i) for i in range(GOOD)}, **bad}


def _alive(tag: str) -> list[int]:
    """Living processes that have this variable in their environment."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            dead = (place / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[
                0
            ] == "Z"
            if not dead and f"{tag}=".encode() in (place / "environ").read_bytes():
                found.append(int(place.name))
        except (OSError, IndexError):
            continue
    return found


WORK = """
import sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from campaigns.job import work
work(Path({folder!r}), 2)
"""


def kill_parents(outcome: Outcome, scratch: Path, kills: int, seed: int) -> None:
    """A job with two workers, and an inbox that is read, whose own process is killed alone: nothing lives after it."""
    rng = random.Random(f"parents-{seed}-{outcome.tried}")
    tests, long_job = str(Path(__file__).parents[1]), 6.0
    inbox = scratch / "parents-inbox"
    inbox.mkdir(parents=True, exist_ok=True)
    for i in range(40):
        (inbox / f"{i}.eml").write_bytes(_mail(i) + b"word " * 20_000)
    while outcome.wants(kills):
        number = outcome.tried
        tag, folder = f"RAVEN_CAMPAIGN_{os.getpid()}_{number}", scratch / f"parents-{number}"
        code = WORK.format(tests=tests, folder=str(folder))
        if number % 2:
            code = "from ravenbench.ext.documents.report import extract_texts\n"
            code += f"extract_texts({str(inbox)!r}, {str(folder)!r})"
        began = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "-c", code],
            env={**os.environ, tag: "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            process.wait(rng.uniform(0.2, long_job))
            long_job = max(2.0, 0.5 * long_job + 0.5 * (time.monotonic() - began))
        except subprocess.TimeoutExpired:
            pass
        process.kill()
        process.wait()
        until = time.monotonic() + PATIENCE
        while (left := _alive(tag)) and time.monotonic() < until:
            time.sleep(0.1)
        for each in left:
            os.kill(each, signal.SIGKILL)
        outcome.count(not left, f"seed {seed}, kill {number}: {len(left)} processes live on")
        shutil.rmtree(folder, ignore_errors=True)


IMPORTED = (
    "ravenbench.cli.show",
    "ravenbench.cli.tasks",
    "ravenbench.ext.corpora.command",
    "ravenbench.ext.freeze.manifests",
    "ravenbench.ext.documents.report",
    "ravenbench.tasks.run.task",
    "ravenbench.tasks.run.report",
    "ravenbench.tasks.evaluate.evaluation",
    "sklearn.linear_model",
    "polars",
    "matplotlib.figure",
)
"""What the commands below import, each for longer than it works."""


def stopping(arguments: Sequence[str]) -> None:
    """A command that sends itself a signal at one of its steps on the disk; at moment 0 it says how many it has."""
    moment, number, *rest = arguments
    seen = 0

    def watch(event: str, _: object) -> None:
        nonlocal seen
        if event in ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "shutil.rmtree"):
            seen += 1
            if seen == int(moment):
                os.kill(os.getpid(), int(number))

    sys.addaudithook(watch)
    try:
        command(rest)
    finally:
        if moment == "0":
            print("moments", seen, file=sys.stderr)


def _commands(data: Path) -> dict[str, list[str]]:
    table, run = str(data / "c.jsonl"), str(data / "run")
    return {
        "corpus import": ["corpus", "import", table, "-o"],
        "freeze": ["freeze", run, "-o"],
        "thaw": ["thaw", str(data / "frozen.json"), table, "-o"],
        "export": ["export", run, "-o"],
        "problems": ["problems", table, "--known", "1", "-o"],
        "texts": ["texts", str(data / "inbox"), "-o"],
        "evaluate": ["evaluate", run, "--replicates", "20", "-o"],
    }


def stop_late(outcome: Outcome, scratch: Path, tries: int, seed: int) -> None:
    """Commands without a run's folder, ended at one of their last steps; the same command is repeated and goes well."""
    rng, data = random.Random(f"late-{seed}-{outcome.tried}"), scratch / "late-data"
    for name in IMPORTED:
        importlib.import_module(name)
    raven = partial(_raven, Starter(warm()), scratch / "said")
    if not data.exists():
        (data / "inbox").mkdir(parents=True)
        for i in range(GOOD):
            (data / "inbox" / f"{i}.eml").write_bytes(_mail(i))
        raven(
            "corpus",
            "generate",
            "synthetic(documents=120, authors=12, topics=6, words=40)",
            "-o",
            str(data / "parts"),
        )
        rows = [
            {"text": f"{w} " * 30 + f"of {i} and {a}", "author": f"a{a}", "topic": f"t{i % 4}"}
            for i in range(16)
            for a, w in enumerate(("one", "two", "three", "four"))
        ]
        (data / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        made = raven(
            "run",
            str(data / "c.jsonl"),
            "--verifiers",
            "length",
            "--folds",
            "2",
            "--topics",
            "2",
            "--probe",
            "none",
            "--workers",
            "1",
            "--out",
            str(data / "run"),
        )
        assert made.code == 0, made.said
        made = raven("freeze", str(data / "run"), "-o", str(data / "frozen.json"))
        assert made.code == 0, made.said
    commands, moments = _commands(data), dict[str, int]()
    while outcome.wants(tries):
        number = outcome.tried
        name = list(commands)[number % len(commands)]
        out = scratch / "late" / "out"
        shutil.rmtree(out.parent, ignore_errors=True)
        out.parent.mkdir()
        # The first time also fills caches, which is no step of the second.
        for _ in range(0 if name in moments else 2):
            whole = raven(*commands[name], str(out))
            assert whole.code == 0, (name, whole.said)
            moments[name] = int(whole.said.rpartition("moments ")[2])
            shutil.rmtree(out.parent)
            out.parent.mkdir()
        how = (signal.SIGKILL, *ENDING)[number // len(commands) % 4]
        moment = max(1, moments[name] - rng.randrange(4))
        ended = raven(*commands[name], str(out), moment=moment, how=how)
        expected = (-9,) if how == signal.SIGKILL else (128 + how, 0)
        wrong = (
            "" if ended.code in expected and "Traceback" not in ended.said else f"it ended {ended}"
        )
        again = raven(*commands[name], str(out))
        wrong = wrong or (f"the repeat said {again.said[-300:]}" if again.code else "")
        left = [p.name for p in out.parent.iterdir() if p.name.startswith(".")]
        wrong = wrong or (f"left behind: {left}" if left else "")
        outcome.count(
            not wrong,
            f"seed {seed}, {name}, {how.name} at step {moment} of {moments[name]}: {wrong}",
        )


def _raven(
    starter: Starter, said: Path, *arguments: str, moment: int = 0, how: int = signal.SIGKILL
) -> Ended:
    process = starter.start([str(moment), str(int(how)), *arguments], said, stopping)
    process.join(300)
    told = said.read_text("utf-8", "replace") if said.exists() else ""
    said.unlink(missing_ok=True)
    return Ended(process.exitcode, told)
