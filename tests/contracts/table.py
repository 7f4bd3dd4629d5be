"""What holds for every task: the columns of the table whose rows are ``tasks.TASKS``.

A contract is a function of a task and a room; it asserts. The ordinary tests do each once; the campaign repeats those
that are ``drawn`` with other draws.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import random
import re
import shutil
import signal
import socket
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from contracts.commands import Ended, Starter, answers, contents, raven, told, umask
from contracts.tasks import Task, change, copied, write_data
from ravenbench.engine.task import task_of
from ravenbench.errors import InputError


@dataclass
class Room:
    """Where a contract works: data that nobody changes, finished folders of every task, a folder of its own."""

    data: Path
    finished: Callable[[Task], Path]
    scratch: Path
    rng: random.Random
    starter: Starter
    scheduler: str = ""
    writes: dict[str, int] = field(default_factory=dict)
    """How many files and folders a job of each task puts in their places, once it was counted."""
    cluster: Callable[[], Any] = lambda: None
    """A Dask cluster of two worker processes, which starts another in the place of one that was killed."""

    def run(self, task: Task, folder: Path, *more: str, data: Path | None = None) -> Ended:
        """The task in this process, on one worker unless more is said."""
        return raven(*task.arguments(data or self.data, folder), "--workers", "1", *more)

    def copy(self, task: Task) -> Path:
        """A finished folder of the task (``run`` within it) with its products, to be disturbed."""
        return Path(shutil.copytree(self.finished(task).parent, self.scratch / "copy")) / "run"

    def same(self, task: Task, folder: Path) -> None:
        """Assert that a folder says and holds what an undisturbed one does, and that nothing half-written stays."""
        whole = self.finished(task)
        assert answers(folder) == answers(whole), "other answers"
        assert without_places(told(folder)) == without_places(told(whole)), "another report"
        for _, name in task.products:
            assert contents(folder.parent / name) == contents(whole.parent / name), (
                f"another {name}"
            )
        assert leftovers(folder.parent) == []


Contract = Callable[[Task, Room], None]
CONTRACTS: dict[str, Contract] = {}
DRAWN: set[str] = set()
"""Contracts whose disturbance is drawn anew each time."""
EXTRA: set[str] = set()
"""Contracts that need the extra ``distributed``."""
COSTLY: set[str] = set()
"""Contracts of the campaign alone."""


def contract(
    *, drawn: bool = False, extra: bool = False, costly: bool = False
) -> Callable[[Contract], Contract]:
    """Make a function a column of the table."""

    def added(check: Contract) -> Contract:
        CONTRACTS[check.__name__] = check
        DRAWN.update({check.__name__} if drawn else ())
        EXTRA.update({check.__name__} if extra else ())
        COSTLY.update({check.__name__} if costly else ())
        return check

    return added


def without_places(value: Any) -> Any:
    """A report without the name of its folder, which is a copy's."""
    return {k: v for k, v in value.items() if k not in ("run", "report", "incomplete")}


def leftovers(place: Path) -> list[str]:
    """Hidden files and folders of a killed command; a mark of what a command wrote, and its log, are none."""
    return sorted(p.name for p in place.rglob(".*") if p.name != ".raven.json")


def plain(ended: Ended) -> None:
    """Assert that a command ended as a user can understand: no traceback, and 0 or one clear error."""
    assert "Traceback" not in ended.said, ended.said[-2000:]
    assert (
        ended.code == 0
        or "error:" in ended.said
        or "could not" in ended.said
        or "failed" in ended.said
    ), ended


@contract()
def one_writer_at_a_time(task: Task, room: Room) -> None:
    """A folder whose lock another holds is refused, and told who; nothing is written."""
    folder = room.copy(task)
    before = contents(folder)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write(
            json.dumps({"host": socket.gethostname(), "pid": os.getpid(), "since": "2026-01-01"})
        )
        lock.flush()
        ended = room.run(task, folder)
    assert (
        ended.code == 2
        and "another command is writing" in ended.said
        and str(os.getpid()) in ended.said
    ), ended
    assert contents(folder) == before


@contract(drawn=True)
def two_at_once(task: Task, room: Room) -> None:
    """Of two that start together one works and the other is refused or comes after; the answers are those of one."""
    folder = room.scratch / "run"
    started = []
    for number in range(2):
        said = room.scratch / f"said{number}"
        started.append(
            (room.starter.start([*task.arguments(room.data, folder), "--workers", "1"], said), said)
        )
        time.sleep(room.rng.uniform(0, 0.3) if number == 0 else 0)
    ends = []
    for process, said in started:
        process.join(300)
        ends.append(Ended(process.exitcode, said.read_text("utf-8", "replace")))
        said.unlink()
    for ended in ends:
        plain(ended)
        # The second may also meet what the first has written already.
        refused = (
            "another command" in ended.said
            or "this folder contains" in ended.said
            or "the output" in ended.said
        )
        assert ended.code == 0 or (ended.code == 2 and refused), ends
    assert any(ended.code == 0 for ended in ends), ends
    room.same(task, folder)


class Stopped(BaseException):
    """The end of the process: nothing catches it."""


@contextmanager
def after_writes(count: int, end: Callable[[], object]) -> Iterator[list[int]]:
    """Whatever takes its name by ``os.replace`` or ``os.rename``: at the one after ``count``, ``end`` is done."""
    kept, seen = (os.replace, os.rename), [0]

    def counting(real: Callable[..., object]) -> Callable[..., object]:
        def move(*arguments: Any, **more: Any) -> object:
            seen[0] += 1
            if seen[0] > count:
                end()
            return real(*arguments, **more)

        return move

    os.replace, os.rename = counting(kept[0]), counting(kept[1])  # type: ignore[assignment]
    try:
        yield seen
    finally:
        os.replace, os.rename = kept


def writes(task: Task, room: Room) -> int:
    """How many files and folders an undisturbed job puts in their places."""
    if task.name in room.writes:
        return room.writes[task.name]
    for _ in range(2):  # the first job also fills caches, which is no step of later ones
        with after_writes(10**9, lambda: None) as seen:
            ended = room.run(task, room.scratch / "counted" / "run")
        assert ended.code == 0, ended
        shutil.rmtree(room.scratch / "counted")
    return room.writes.setdefault(task.name, seen[0])


def _stop() -> None:
    raise Stopped


@contract(drawn=True)
def stopped_between_writes(task: Task, room: Room) -> None:
    """Stopped before any file takes its place, the same command goes on to the same answers."""
    total = writes(task, room)
    count, folder = room.rng.randrange(total), room.scratch / "job" / "run"
    with after_writes(count, _stop), pytest.raises(Stopped):
        room.run(task, folder)
    ended = room.run(task, folder)
    assert ended.code == 0, (count, total, ended)
    room.same(task, folder)


@contract(drawn=True)
def full_disk(task: Task, room: Room) -> None:
    """A disk that is full from some write on is one message; with room again the same command ends well."""
    total = writes(task, room)

    def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    for count in sorted({room.rng.randrange(total), total - 1}):
        folder = room.scratch / str(count) / "run"
        with after_writes(count, full):
            ended = room.run(task, folder)
        plain(ended)
        assert ended.code in (1, 2) and "No space left" in ended.said, (count, total, ended)
        ended = room.run(task, folder)
        assert ended.code == 0, (count, total, ended)
        room.same(task, folder)


@contract(drawn=True)
def signals(task: Task, room: Room) -> None:
    """SIGKILL, SIGTERM or SIGHUP, and SIGINT at random moments: its code and a sentence, then the same answers."""
    folder, said = room.scratch / "run", room.scratch / "said"
    for how in (signal.SIGKILL, room.rng.choice([signal.SIGTERM, signal.SIGHUP]), signal.SIGINT):
        code = 128 + how
        process = room.starter.start([*task.arguments(room.data, folder), "--workers", "1"], said)
        while process.exitcode is None and not said.exists():
            time.sleep(0.01)
        process.join(room.rng.uniform(0, 1.2))
        with suppress(ProcessLookupError):
            os.kill(process.pid, how)
        process.join(120)
        spoken = said.read_text("utf-8", "replace") if said.exists() else ""
        said.unlink(missing_ok=True)
        # A signal may come before the command listens, or after it ended.
        assert process.exitcode in (0, code, -how), (how, process.exitcode, spoken)
        if process.exitcode == code and how != signal.SIGKILL and spoken:
            assert "repeat the same command" in spoken and "Traceback" not in spoken, spoken
    ended = room.run(task, folder)
    assert ended.code == 0, ended
    room.same(task, folder)


def _truncated(place: Path) -> None:
    place.write_bytes(place.read_bytes()[: place.stat().st_size // 2])


def _flipped(place: Path) -> None:
    data = bytearray(place.read_bytes())
    data[len(data) // 2] ^= 1
    place.write_bytes(data)


DAMAGES = {
    "truncated": _truncated,
    "flipped": _flipped,
    "emptied": lambda p: p.write_bytes(b""),
    "removed": Path.unlink,
}


@contract(drawn=True)
def damaged_files(task: Task, room: Room) -> None:
    """A damaged file is named, made again or not needed: never another report, and the same command mends it."""
    names = [p.relative_to(room.finished(task)) for p in _kept(room.finished(task))]
    picked = [Path("run.json"), Path("plan.json"), *room.rng.sample(names, 1)]
    for name in picked:
        how = room.rng.choice(sorted(DAMAGES))
        folder = room.copy(task)
        DAMAGES[how](folder / name)
        case = f"{name} {how}"
        report = raven("report", str(folder))
        assert "Traceback" not in report.said, (case, report.said[-2000:])
        if report.code == 0:
            assert without_places(told(folder)) == without_places(told(room.finished(task))), case
        else:
            named = name.name in report.said or "damaged" in report.said or "missing" in report.said
            assert (
                named
                or "not a run folder" in report.said
                or "before Raven had planned it" in report.said
            ), (case, report)
        ended = room.run(task, folder)
        assert ended.code == 0, (case, ended)
        room.same(task, folder)
        shutil.rmtree(folder.parent)


def _kept(folder: Path) -> list[Path]:
    """Files of a run that it needs: the report is derived, and files without content cannot be damaged."""
    return sorted(
        p
        for p in folder.rglob("*")
        if p.is_file()
        and p.stat().st_size
        and not p.name.startswith(".")
        and p.relative_to(folder).parts[0] not in ("report", "products")
    )


@contract()
def changed_data(task: Task, room: Room) -> None:
    """Other data never mix with earlier answers: the folder is refused and stays as it was."""
    if not task.data:
        return
    data = copied(room.data, room.scratch / "data")
    folder = room.scratch / "job" / "run"
    assert room.run(task, folder, data=data).code == 0
    before = contents(folder)
    change(task, data)
    ended = room.run(task, folder, data=data)
    assert ended.code == 2 and "changed" in ended.said and "fix:" in ended.said, ended
    assert contents(folder) == before


@contract()
def frozen(task: Task, room: Room) -> None:
    """What ``raven freeze`` says of a finished folder is checked before anything is written; a task that makes its own
    problems has no such option, and its folder cannot be frozen."""
    place, folder = room.scratch / "frozen.json", room.scratch / "job" / "run"
    ended, given = (
        raven("freeze", str(room.finished(task)), "-o", str(place)),
        ("--frozen", str(place)),
    )
    if not task_of(task.name).freezes:
        assert ended.code == 2 and "builds its own problems" in ended.said and not place.exists(), (
            ended
        )
        return
    assert ended.code == 0 and room.run(task, room.copy(task), *given).code == 0, ended
    assert room.run(task, folder, *given, "--plan").code == 0 and not folder.exists()
    data = copied(room.data, room.scratch / "data")
    for file in (
        p for p in data.rglob("*") if p.suffix in (".jsonl", ".txt") and p.name != "truth.txt"
    ):
        text = file.read_text("utf-8")
        file.write_text(
            text.replace('"text": "', '"text": "more ')
            if file.suffix == ".jsonl"
            else f"more {text}"
        )
    for more in (("--plan",), ()):
        ended = room.run(task, folder, *given, *more, data=data)
        assert ended.code == 2 and "these problems differ from the frozen problems" in ended.said, (
            ended
        )
        assert not folder.exists() and not list(folder.parent.glob("*"))


@contract()
def unknown_kind(task: Task, room: Room) -> None:
    """A whole folder of a task that this Raven does not have is not called damaged, and is not written into."""
    folder = room.copy(task)
    file = folder / "run.json"
    found = json.loads(file.read_bytes())
    body = json.dumps(found["record"], indent=1, ensure_ascii=False)
    sha = hashlib.sha256(f"divination\n{body}".encode()).hexdigest()
    head = (
        f'{{\n"format": {found["format"]},\n"kind": "divination",\n"sha256": "{sha}",\n"record": '
    )
    file.write_text(head + body + "\n}\n", "utf-8")
    before = contents(folder)
    for ended in (raven("report", str(folder)), room.run(task, folder)):
        assert ended.code == 2 and "unknown task" in ended.said and "divination" in ended.said, (
            ended
        )
        assert "damaged" not in ended.said
    assert contents(folder) == before


@contract()
def outputs_are_not_taken(task: Task, room: Room) -> None:
    """A place that holds something else, or is or holds or lies in an input, is refused before anything is written."""
    data = copied(room.data, room.scratch / "data")
    before = contents(data)
    mine = room.scratch / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("mine")
    (room.scratch / "file").write_text("mine")
    (room.scratch / "link").symlink_to(mine)
    places = [mine, room.scratch / "link", room.scratch / "file", data]
    for name in task.data:
        places += [
            data / name,
            *([data / name / "inside"] if (data / name).is_dir() and name != "known" else []),
        ]
    for place in places:
        ended = raven(*task.arguments(data, place, room.scratch / "products"), "--workers", "1")
        assert ended.code == 2 and "error:" in ended.said and "Traceback" not in ended.said, (
            place,
            ended,
        )
        assert contents(data) == before and contents(mine) == {"thesis.txt": b"mine"}, place
        assert (room.scratch / "file").read_text() == "mine"
    for option, name in task.products:
        for place in (*places, *(data / "toy" / "test" / "truth.txt",)):
            arguments = task.arguments(
                data, room.scratch / "job" / "run", room.scratch / "products"
            )
            arguments[arguments.index(option) + 1] = str(place)
            ended = raven(*arguments, "--workers", "1")
            assert ended.code == 2 and "error:" in ended.said and "Traceback" not in ended.said, (
                option,
                place,
                ended,
            )
            assert contents(data) == before and contents(mine) == {"thesis.txt": b"mine"}, (
                option,
                name,
                place,
            )
            assert (room.scratch / "file").read_text() == "mine"


@contract()
def a_report_that_is_not_its_own(task: Task, room: Room) -> None:
    """What a user put into or in the place of a report is not deleted with it, and is told before any work."""
    folder = room.copy(task)
    (folder / "report" / "notes.txt").write_text("mine")
    for ended in (room.run(task, folder), raven("report", str(folder))):
        assert ended.code == 2 and "notes.txt" in ended.said and "fix:" in ended.said, ended
    shutil.rmtree(folder / "report")
    (folder / "report").mkdir()
    (folder / "report" / "index.html").write_text("mine")
    ended = room.run(task, folder)
    assert ended.code == 2 and (folder / "report" / "index.html").read_text() == "mine", ended


@contract()
def shows_itself(task: Task, room: Room) -> None:
    """In Python a result is its finding, its chart and a link; every table is a frame, every figure matplotlib's."""
    from ravenbench.reports.report import analyse, figures, frames
    from ravenbench.store.store import Store

    store = Store.open(room.finished(task))
    found = analyse(store)
    for one in (store, found):
        assert 10 < len(repr(one)) <= 300 and "\n" not in repr(one)
        html = one._repr_html_()
        assert html.startswith('<div class="raven-result"><p><strong>') and html.endswith("</div>")
        assert "report/index.html" in html and len(html) < 200_000
    tables, drawn = frames(found), figures(found)
    assert tables and all(
        f"<code>.to_polars(…)</code>: {next(iter(tables))}" in html for _ in tables
    )
    assert all(frame.height for frame in tables.values())
    if find_spec("pandas"):
        assert all(
            list(found.to_pandas(name).columns) == frame.columns for name, frame in tables.items()
        )
    else:
        with pytest.raises(InputError, match="pip install pandas"):
            found.to_pandas()
    assert all(type(found.figure(name)).__name__ == "Figure" for name in drawn) and (
        "<svg" in html
    ) == bool(drawn)
    with pytest.raises(InputError, match=next(iter(tables))):
        found.to_polars("no such table")


@contract()
def for_the_paper(task: Task, room: Room) -> None:
    """Tables fit a column or both, with a short caption and the page's numbers; figures come as PDF and PNG; the page
    and BibTeX name what was used."""
    from ravenbench.reports.report import report_of
    from ravenbench.reports.view import plain
    from ravenbench.store.store import Store

    folder = room.copy(task)
    assert raven("report", str(folder), "--figures", "pdf,png").code == 0
    report = report_of(Store.open(folder))
    for name in report.figures():
        place = folder / "report" / "figures" / name
        assert (
            Path(f"{place}.pdf").read_bytes()[:5] == b"%PDF-"
            and Path(f"{place}.png").read_bytes()[1:4] == b"PNG"
        )
        assert b"/Type3" not in Path(f"{place}.pdf").read_bytes()
    entries = (folder / "report" / "references.bib").read_text()
    page = (folder / "report" / "index.html").read_text()
    assert (
        page.count("How to cite") >= 1
        and entries.startswith("@software{raven,")
        and "raven = {" not in entries
    )
    assert all(
        str(paper).split(".")[0] in page and f"{{{paper.key}," in entries
        for paper in report.papers()
    )
    for one in report.tables():
        text = (folder / "report" / "tables" / f"{one.key}.tex").read_text()
        shown = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
        caption = re.search(r"\\caption\{(.*)\}", shown)
        assert caption is not None and len(caption[1].split()) <= 15, caption
        body = re.sub(r"\\textbf|[{}$\s]", "", shown).replace("\\pm", "±")
        for row in one.rows:
            pairs = [
                (v, c) for v, c in zip(row, one.columns, strict=True) if not c.text and c.terminal
            ][:3]
            numbers = [
                re.sub("[†*<]|\\s", "", plain(v, c, short=True)).replace("−", "-") for v, c in pairs
            ]
            assert all(number in body for number in numbers), numbers


@contract()
def modes(task: Task, room: Room) -> None:
    """Nothing is open to more people than the umask says, and folders of texts are the user's alone."""
    for mask in (0o077, 0o022):
        job = room.scratch / f"{mask:o}"
        with umask(mask):
            job.mkdir()
            assert room.run(task, job / "run").code == 0
        wrong = [
            f"{p.relative_to(job)} {stat.S_IMODE(p.lstat().st_mode):o}"
            for p in job.rglob("*")
            if p.lstat().st_mode & mask
        ]
        assert not wrong, wrong
        outer = [p for p in job.iterdir() if p.is_dir()]
        open_ = [
            f"{p.name} {stat.S_IMODE(p.stat().st_mode):o}"
            for p in outer
            if p.stat().st_mode & 0o077
        ]
        assert not open_, open_
    made = room.scratch / "made" / "run"
    made.mkdir(parents=True, mode=0o755)
    made.chmod(0o755)
    assert room.run(task, made).code == 0
    assert stat.S_IMODE(made.stat().st_mode) == 0o755, "a folder that the user made keeps its mode"


@contract()
def no_leaks(
    task: Task, room: Room, marks: tuple[str, ...] = ("KLIENTMARK", "USERMARK", "HOSTMARK")
) -> None:
    """What may be published names files, never the folders, user or machine they lie with."""
    place = room.scratch / "home USERMARK" / "Case KLIENTMARK"
    data = copied(room.data, place / "data")
    real, kept = (
        socket.gethostname,
        {name: os.environ.get(name) for name in ("USER", "LOGNAME", "HOME", "HOSTNAME")},
    )
    os.environ.update(USER="USERMARK", LOGNAME="USERMARK", HOSTNAME="HOSTMARK")
    socket.gethostname = lambda: "HOSTMARK"
    try:
        ended = room.run(task, place / "run", data=data)
    finally:
        socket.gethostname = real
        for name, value in kept.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})
    assert ended.code == 0, ended
    found = [place / "run" / "report", *(place / name for _, name in task.products)]
    if task.name in ("run", "pan14", "safety"):
        assert raven("site", str(place / "run"), "-o", str(place / "site")).code == 0
        found.append(place / "site")
    if task.name in ("run", "pan14"):
        assert raven("export", str(place / "run"), "-o", str(place / "export")).code == 0
        options = ("--trials", "20", "--replicates", "20")
        assert raven(
            "evaluate", str(place / "run"), "--out", str(place / "evaluation"), *options
        ).code in (0, 2)
        found += [
            place / "export",
            *([place / "evaluation"] if (place / "evaluation").exists() else []),
        ]
    if task.name in ("obfuscate", "safety"):
        assert raven("diff", str(place / "run"), "--out", str(place / "pages")).code == 0
        found.append(place / "pages")
    for one in found:
        for name, content in contents(one).items():
            told_ = [
                mark
                for mark in (*marks, str(room.scratch))
                if mark.encode() in content or mark in name
            ]
            assert not told_, f"{one.name}/{name}: {told_}"


HOSTILE = (
    "<script>alert(1)</script>",
    "=cmd('calc')",
    "a\u202eb",
    "x\x1b[2J",
    '"quoted, twice"',
    "a\u0000b"[:1],
    "ａｕｔｈ",
    "\u00e9\u0301",
    "%s%n{0}",
    "$(touch here)",
    "' OR 1=1 --",
    "\\input{/etc/passwd}",
)


@contract()
def hostile_names(task: Task, room: Room) -> None:
    """Names and texts that mean something to pages, terminals, spreadsheets or LaTeX mean nothing to them here."""
    given: dict[str, str] = {}

    def mark(name: str) -> str:
        if name not in given:
            odd = HOSTILE[len(given) % len(HOSTILE)].replace("/", "\u2215")
            stem, dot, suffix = name.partition(".")
            given[name] = f"{odd}{stem}{dot}{suffix}"
        return given[name]

    data = write_data(room.scratch / "data", mark)
    for file in (
        *(data / "toy").rglob("unknown.txt"),
        *(data / "texts").iterdir(),
        data / "questioned.txt",
    ):
        with file.open("a", encoding="utf-8") as text:
            text.write(
                "\n</script><script>alert(1)</script> \u202e\u2028 \x1b[31m ${7*7} {{7*7}}\n"
            )
    folder = room.scratch / "job" / "run"
    ended = room.run(task, folder, data=data)
    plain(ended)
    assert (
        "\x1b[2J" not in ended.said and "\x1b[31m" not in ended.said and "\u202e" not in ended.said
    )
    if ended.code:
        return
    from ravenbench.store.store import Store

    shown = Store.open(folder)._repr_html_()
    assert not re.search(r"<(script|img|iframe|input)|onerror=", shown)
    for name, content in contents(folder / "report").items():
        text = content.decode("utf-8", "replace") if not name.endswith(("png", "pdf")) else ""
        assert "alert(1)</script>" not in text or name.endswith(("json", "tex", "csv")), name
        if name.endswith(".csv"):
            assert not re.search(r'(^|,)"?[=@]', text, re.MULTILINE), name
        if name.endswith(".tex"):
            assert "\\input{" not in text, name


@contract()
def ascii_terminal(task: Task, room: Room) -> None:
    """A terminal that has no more than ASCII is told all the same."""
    folder = room.copy(task)
    for ended in (
        raven(*task.arguments(room.data, folder), "--workers", "1", encoding="ascii"),
        raven("report", str(folder), encoding="ascii"),
        raven("report", str(folder), "--json", encoding="ascii"),
        raven(*task.arguments(room.data, folder), "--plan", encoding="ascii"),
    ):
        assert ended.code == 0, ended.said[-2000:]


@contract(extra=True)
def on_a_cluster(task: Task, room: Room) -> None:
    """A Dask cluster gives the same answers."""
    folder = room.scratch / "job" / "run"
    ended = raven(
        *task.arguments(room.data, folder), "--engine", "dask", "--scheduler", room.scheduler
    )
    assert ended.code == 0, ended
    room.same(task, folder)


@contract(drawn=True, extra=True, costly=True)
def a_worker_killed(task: Task, room: Room) -> None:
    """Of a Dask cluster one worker is killed at a random moment: it ends well, or says what failed and goes on."""
    folder, said = room.scratch / "run", room.scratch / "said"
    cluster = room.cluster()
    workers = sorted(worker.pid for worker in cluster.workers.values() if worker.pid)
    how = ["--engine", "dask", "--scheduler", cluster.scheduler_address]
    process = room.starter.start([*task.arguments(room.data, folder), *how], said)
    time.sleep(room.rng.uniform(0.2, 2.5))
    with suppress(ProcessLookupError):
        os.kill(room.rng.choice(workers), signal.SIGKILL)
    process.join(300)
    plain(Ended(process.exitcode, said.read_text("utf-8", "replace")))
    said.unlink()
    ended = room.run(task, folder)
    assert ended.code == 0, ended
    room.same(task, folder)
