"""Small jobs of every task and every command that writes, and all that they write and say, cut into named pieces.

A piece is a paragraph of a page, a field of a JSON object, a file of numbers. What depends on the day, the machine or
the clock is taken out and numbers are kept to four significant digits, so that one answer has one text everywhere.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import extensions
from contracts.commands import raven
from contracts.tasks import TASKS, options, write_data
from ravenbench.cli.main import commands

CLOCK = {
    "seconds",
    "cpu_seconds",
    "fit_seconds",
    "score_seconds",
    "wall",
    "started",
    "finished",
    "created",
    "built",
    "since",
    "date",
    "python",
    "platform",
    "machine",
    "host",
    "packages",
    "versions",
    "environment",
    "raven",
    "digest",
    "sha256",
    "numpy",
    "memory",
    "megabytes",
    "peak",
}
"""Fields whose values are of the day or the machine."""
EVALUATED = ("--trials", "200", "--replicates", "100")
LONG = re.compile(r"-?\d+\.\d{5,}(?:e[-+]?\d+)?")
NPZ_RECORDS = {".npz", ".npy"}
MANY = {"folds", "cells", "export", "downloads", "problems", "imported"}
"""Folders of many small files, which are compared together."""


CLOCKS = ("perf_counter", "process_time", "thread_time")


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Commands are given in a folder, in a terminal of 80 columns, by clocks that stand still."""
    kept, here = {name: os.environ.get(name) for name in ("COLUMNS", "TZ")}, Path.cwd()
    clocks = {name: getattr(time, name) for name in CLOCKS}
    for name in CLOCKS:
        setattr(time, name, lambda: 1.0)
    os.environ.update(COLUMNS="80", TZ="UTC")
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)
        for name, clock in clocks.items():
            setattr(time, name, clock)
        for name, value in kept.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})


def _run(*more: str) -> tuple[str, ...]:
    return (
        "run",
        "corpus.jsonl",
        "--topics",
        "4",
        "--folds",
        "2",
        "--pools",
        "1",
        "--samplers",
        "hits, random",
        "--docs-per-topic",
        "12",
        "--workers",
        "1",
        *more,
    )


JOBS: dict[str, tuple[tuple[str, ...], ...]] = {
    "run": (
        _run("--verifiers", "char-ngram, length", "--out", "run"),
        ("report", "run"),
        ("report", "run", "--json"),
        ("site", "run", "-o", "site"),
        ("export", "run", "-o", "export"),
        ("evaluate", "run", "--out", "of-run", *EVALUATED),
    ),
    "sweep": (
        _run(
            "--verifiers",
            "function-words, length",
            "--probe",
            "none",
            "--topics",
            "3,4",
            "--out",
            "run",
        ),
        ("report", "run"),
    ),
    "pan14": (
        ("pan14", "toy", "--verifiers", "char-ngram, length", "--workers", "1", "--out", "run"),
    ),
    "evaluate": (
        ("evaluate", "toy/test/truth.txt", "a.txt", "b.txt", "--out", "page", *EVALUATED),
        ("evaluate", "toy/test/truth.txt", "a.txt", "b.txt", "--json", *EVALUATED),
    ),
    "verify": (
        (
            "verify",
            "char-ngram",
            "--train",
            "toy",
            "--test",
            "toy",
            "--out",
            "answers.jsonl",
            "--folder",
            "run",
            "--save",
            "saved",
            "--workers",
            "1",
        ),
        (
            "verify",
            "char-ngram",
            "--load",
            "saved",
            "--test",
            "toy/test",
            "--out",
            "again.jsonl",
            "--folder",
            "second",
            "--workers",
            "1",
        ),
    ),
    "attribute": (
        (
            "attribute",
            "corpus.jsonl",
            "--methods",
            "svm, burrows-delta",
            "--min-docs",
            "2",
            "--min-topics",
            "2",
            "--out",
            "run",
            "--workers",
            "1",
        ),
    ),
    "obfuscate": (
        ("obfuscate", "identity", "texts", "--out", "hidden", "--folder", "run", "--workers", "1"),
        ("diff", "texts", "hidden", "--out", "pages"),
    ),
    "safety": (
        (
            "safety",
            "toy",
            "--train",
            "toy",
            "--obfuscators",
            "identity, other-author",
            "--verifiers",
            "length",
            "--out",
            "run",
            "--workers",
            "1",
        ),
        ("report", "run", "--json"),
    ),
    "lists": (
        ("list",),
        ("corpus", "list"),
        ("corpus", "info", "corpus.jsonl"),
        ("problems", "corpus.jsonl", "--out", "problems"),
        ("sample", "corpus.jsonl", "--topics", "4"),
        ("corpus", "import", "corpus.jsonl", "--out", "imported"),
        *(("report", folder) for folder in ("toy", "nothing")),
    ),
} | extensions.rows("GOLDEN")


WITH_WORDNET = ("obfuscate", "safety", *sorted(extensions.names("GOLDEN_WITH_WORDNET")))
"""Jobs whose outputs hold what WordNet proposes, where it is there; without it they have others."""


def data(folder: Path) -> Path:
    """What the jobs read."""
    write_data(folder)
    _write_inbox(folder / "inbox")
    truth = [
        line.split() for line in (folder / "toy" / "test" / "truth.txt").read_text().splitlines()
    ]
    for name, shift in (("a", 1), ("b", 3)):
        rows = (
            (case, (3 * n * shift) % 7 / 7 * 0.6 + 0.3 * (answer == "Y"))
            for n, (case, answer) in enumerate(truth)
        )
        (folder / f"{name}.txt").write_text(
            "".join(f"{case} {value:.3f}\n" for case, value in rows)
        )
    return folder


SENTENCES = (
    "I would not have thought of it, but the boat was quick; we sailed it home.",
    "There is, of course, nothing that one could do about the weather of this coast.",
    "She never asked me why the letters had come back, and I never told her either.",
)


def _write_inbox(inbox: Path) -> None:
    """Mails, a chat and a page by three people."""
    inbox.mkdir(parents=True)
    for number, (sender, text) in enumerate(
        zip(("Ann Roe", "Ben Low", "Ann Roe"), SENTENCES, strict=True)
    ):
        head = f"From: {sender} <{sender[:3].lower()}@example.org>\nTo: you@example.org\nSubject: Note {number}\n"
        mail = (
            f"{head}Date: Mon, 0{number + 2} Mar 2026 10:00:00 +0000\n\n{text}\n\n-- \n{sender}\n"
        )
        (inbox / f"mail{number}.eml").write_text(mail, "utf-8")
    chat = "".join(
        f"0{n + 1}/03/2026, 10:0{n} - {name}: {SENTENCES[n % 3]}\n"
        for n, name in enumerate(["Eva", "Tom", "Eva"])
    )
    (inbox / "WhatsApp Chat with Eva.txt").write_text(chat, "utf-8")
    (inbox / "notes.xyz").write_text("nothing that is read", "utf-8")


def pieces_of_job(name: str, folder: Path) -> dict[str, str]:
    """Everything that a job writes and says, a text by the name of each piece; ``folder`` holds the data."""
    pieces: dict[str, str] = {}
    before = {p for p in folder.rglob("*") if p.is_file()}
    with inside(folder):
        for number, command in enumerate(JOBS[name]):
            if command[0] not in commands():
                continue  # of an extension that was taken out
            ended = raven(*command)
            pieces[f"{number} {command[0]}: code and words"] = (
                f"{ended.code}\n{steady(ended.said, folder)}"
            )
        files = [
            p
            for p in folder.rglob("*")
            if p.is_file() and p not in before and not p.name.startswith(".")
        ]
        for place in sorted(
            p for p in files if p.suffix not in (".png", ".pdf", ".zip") and p.name != "log.txt"
        ):
            shown = Path(re.sub(r"\b[0-9a-f]{64}$", "HASH", str(place.relative_to(folder))))
            for part, text in pieces_of_file(place, folder):
                many = (len(shown.parts) > 1 and shown.parts[-2] in MANY) or shown.parts[0] in MANY
                if many:
                    whole = f"{'/'.join(shown.parts[:2])}: every {shown.suffix}"
                    pieces[whole] = pieces.get(whole, "") + f"{shown}{part}\n{text}\n"
                else:
                    pieces[f"{shown}{part}"] = text
    # What a saved verifier has learned, to the last bit, which is the processor's, is part of its answers' keys.
    return {
        name: KEY_OF_SAVED.sub("KEY", text) if name.startswith("second/") else text
        for name, text in pieces.items()
    }


KEY_OF_SAVED = re.compile(r"\b[0-9a-f]{24}\b")


def pieces_of_help() -> dict[str, str]:
    """What ``--help`` says of every command, and the plan of every task."""
    with inside(Path.cwd()):
        return {
            f"raven {name} --help": raven(*name.split(), "--help").said
            for name in sorted(options())
        }


def pieces_of_plans(folder: Path) -> dict[str, str]:
    """What ``--plan --json`` says of every task."""
    pieces = {}
    with inside(folder):
        for task in TASKS.values():
            ended = raven(
                *task.arguments(Path(), Path(task.name)), "--plan", "--json", "--workers", "1"
            )
            pieces[f"raven {task.name} --plan --json"] = (
                f"{ended.code}\n{steady_json(ended.said, folder)}"
            )
    return pieces


def pieces_of_file(place: Path, folder: Path) -> Iterator[tuple[str, str]]:
    """Parts of one file: fields, sections, arrays or the whole."""
    if place.suffix in NPZ_RECORDS:
        loaded = np.load(place, allow_pickle=False)
        arrays = (
            {name: loaded[name] for name in loaded.files}
            if place.suffix == ".npz"
            else {"": loaded}
        )
        for name, array in arrays.items():
            values = " ".join(_rounded(value) for value in array.ravel().tolist())
            yield f" [{name}]", f"{array.dtype} {array.shape}\n{values}"
        return
    if place.suffix in (".cell", ".block"):
        head, _, content = place.read_bytes().partition(b"\n")
        envelope = json.loads(head)
        yield (
            " record",
            steady(json.dumps(_timeless(envelope["record"]), ensure_ascii=False), folder),
        )
        for name, kind, shape in envelope["arrays"]:
            size = np.dtype(kind).itemsize * int(np.prod(shape))
            values, content = np.frombuffer(content[:size], dtype=kind), content[size:]
            yield (
                f" [{name}]",
                f"{kind} {shape} {' '.join(_rounded(value) for value in values.tolist())}",
            )
        return
    if place.suffix == ".parquet":
        rows = pl.read_parquet(place).rows(named=True)
        yield "", steady("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), folder)
        return
    text = place.read_text("utf-8", "replace")
    if place.suffix == ".json":
        value = json.loads(text)
        if isinstance(value, dict):
            yield " keys", " ".join(value)
            for key, inner in value.items():
                if key not in CLOCK:
                    yield (
                        f" {key}",
                        steady(json.dumps(_timeless(inner), indent=1, ensure_ascii=False), folder),
                    )
            return
    if place.suffix == ".jsonl":
        rows = [_timeless(json.loads(line)) for line in text.splitlines()]
        text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    if place.suffix == ".svg":
        text = _drawn(text)
    if place.suffix == ".html":
        text = re.sub(r"<svg\b.*?</svg>", lambda m: _drawn(m[0]), text, flags=re.DOTALL)
        # Sheets and scripts are the same on all pages of a kind.
        text = re.sub(
            r"(<(style|script)\b[^>]*>)(.+?)(?=</\2>)",
            lambda m: m[1] + _digest(m[3]),
            text,
            flags=re.DOTALL,
        )
        for number, part in enumerate(re.split(r"(?=<section|<h2|<h3)", text)):
            head = re.search(r"<h[23][^>]*>(.*?)</h", part)
            yield (
                f" §{number} {re.sub('<.*?>', '', head.group(1))[:50] if head else ''}",
                steady(part, folder),
            )
        return
    yield "", steady(text, folder)


def steady_json(text: str, folder: Path) -> str:
    """JSON without clock and machine; another text as it is."""
    try:
        return steady(json.dumps(_timeless(json.loads(text)), indent=1, ensure_ascii=False), folder)
    except ValueError:
        return steady(text, folder)


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: "…" if k in CLOCK else _timeless(v) for k, v in value.items()}
    return [_timeless(v) for v in value] if isinstance(value, list) else value


def _rounded(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


WORDS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\+00:00| UTC)?)?", "DATE"),
    # Of answers, whose last digits are the processor's.
    (r"(?<!\.)\b(?:[0-9a-f]{16}|[0-9a-f]{32,64})\b", "HASH"),
    (r"\b\d[\d,.]* (?:ms|s|seconds?|minutes?|min|CPU seconds?|CPU s|MB|GB|MiB|kB)\b", "AMOUNT"),
    (r"\b\d\d?:\d\d(?::\d\d)?\b", "TIME"),
    (r'"(?:seconds|cpu_seconds|wall|fit_seconds|score_seconds)": [^,\n}]+', '"seconds": …'),
    (r"[━╸╺ ]{12,}", " "),
    # Progress, which is told only where work takes long.
    (r"^.*, after (?:AMOUNT|\d+ s)(?:, about (?:AMOUNT|\d+ s) left)?\n", ""),
    (r"[ \t]+$", ""),
)


def steady(text: str, folder: Path) -> str:
    """A text without what is of the day and the machine."""
    text = (
        text.replace(str(folder.resolve()), "FOLDER")
        .replace(str(folder), "FOLDER")
        .replace("\r\n", "\n")
    )
    for pattern, into in WORDS:
        text = re.sub(pattern, into, text, flags=re.MULTILINE)
    return LONG.sub(lambda found: f"{float(found.group()):.4g}", text)


LONGEST = 12_000
"""Characters of a piece that are kept at most; of the rest, which is data or a figure, a digest."""
FIRST = 8
"""Lines that are kept of a piece that is not kept whole; of the rest a digest."""
WHOLE = re.compile(r"code and words$|report/report\.json ")
"""Pieces that are kept whole: what commands say, and the report of ``REPORTED`` jobs."""
REPORTED = ("run", "pan14", "evaluate", "attribute", "safety")
HEAD = "▶▶▶ "
"""What the line begins with that names a piece."""


def kept_form(text: str, most: int | None = None) -> str:
    """A piece as it is kept, so that a difference can be read: of one that is longer than ``most`` lines, or than
    ``LONGEST`` characters, the beginning, and a digest."""
    text = "\n".join(line.rstrip() for line in text.splitlines())
    text = re.sub(r"[\x00-\x08\x0b-\x1f]", lambda match: f"\\x{ord(match[0]):02x}", text)
    lines = text.split("\n")
    if len(text) <= LONGEST and (most is None or len(lines) <= most + 1):
        return text
    beginning = text if most is None else "\n".join(lines[:most])
    if len(beginning) > LONGEST // 4:
        beginning = beginning[: LONGEST // 4].rpartition(" ")[0].rstrip()
    words, numbers = _apart(text)
    mean_size = f"{_size(numbers):.5g}"
    return f"{beginning}\n… its words {_digest(words)}, its numbers {len(numbers)} of mean size {mean_size}"


def _size(numbers: list[float]) -> float:
    return sum(map(abs, numbers)) / max(1, len(numbers))


def _apart(text: str) -> tuple[str, list[float]]:
    """A text without its decimal fractions, and these: their last digits are the processor's."""
    return DECIMAL.sub("#", text), [float(number) for number in DECIMAL.findall(text)]


DECIMAL = re.compile(r"(?<![\w.])\d*\.\d+(?:e[-+]?\d+)?(?![\w.])")


def alike(before: str, now: str) -> bool:
    """Whether two kept pieces differ by no more than the last digits of numbers, which are the processor's."""
    (words, numbers), (others, values) = _apart(before), _apart(now)
    return words == others and bool(np.allclose(numbers, values, rtol=2e-3, atol=2e-3))


TEXTS = re.compile(r"<text\b[^>]*>([^<]*)|<!--(.*?)-->", re.DOTALL)


def _drawn(svg: str) -> str:
    """A figure's texts, and how many elements it has of each kind: layouts turn with the last digits of numbers."""
    texts = [text.strip() for found in TEXTS.findall(svg) for text in found]
    counts = Counter(re.findall(r"<(\w+)", svg))
    return "\n".join(
        [
            *sorted(filter(None, texts)),
            *(f"{name} × {count}" for name, count in sorted(counts.items())),
        ]
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def write_pieces(pieces: dict[str, str], job: str = "") -> str:
    """A job's pieces as one text; one that stood before is named where it stood."""
    first: dict[str, str] = {}
    parts = []
    for name, text in pieces.items():
        reported = job.partition("-")[0] in REPORTED or "report.json" not in name
        whole = job in ("help", "plans") or (WHOLE.search(name) and reported)
        form = kept_form(text, None if whole else FIRST)
        earlier = first.setdefault(form, name)
        same = earlier != name and len(form) > 200
        parts.append(f"{HEAD}{name}\n{f'as in {earlier}' if same else form}\n")
    return "".join(parts)


def read_pieces(text: str) -> dict[str, str]:
    """What ``write_pieces`` wrote, by name."""
    pieces = {}
    for part in re.split(rf"^{HEAD}", text, flags=re.MULTILINE)[1:]:
        name, _, content = part.partition("\n")
        content = content.removesuffix("\n")
        pieces[name] = (
            pieces[content.removeprefix("as in ")] if content.startswith("as in ") else content
        )
    return pieces
