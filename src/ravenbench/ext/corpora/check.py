"""Lists everything that reading a path finds: corpora, problems, truth, answers and single texts.

In: a name or path, and the options of reading. Out: ``Checked``: its content and every ``Note`` on it, the most
important effect first; as blocks for a terminal, JSON and a page. If the path cannot be read, the reader's error is raised.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

from rich.padding import Padding
from rich.text import Text

from ravenbench.engine.options import READING
from ravenbench.errors import counted, remarks_gathered
from ravenbench.outputs import check_file, whole_file
from ravenbench.reading.account import EFFECTS, Note
from ravenbench.reading.answers import read_systems, read_truth
from ravenbench.reading.catalogue import fetched
from ravenbench.reading.documents import account_of, read_documents, without_signs
from ravenbench.reading.kinds import kind_at
from ravenbench.reading.load import is_named, load_corpus
from ravenbench.reading.pan_attribution import read_attribution
from ravenbench.reading.problems import read_problem_sets
from ravenbench.reading.remarks import Seen, corpus_notes, odd_texts
from ravenbench.reports.page import render
from ravenbench.reports.view import Table, col, table
from ravenbench.text.passages import cleaner
from ravenbench.types import Labels

TITLES = {
    "refused": "Refused",
    "left out": "Left out",
    "joined": "Joined",
    "doubt": "Doubts",
    "fact": "Facts",
}


@dataclass(frozen=True)
class Checked:
    """The content of a path, in words, and the notes on it."""

    source: str
    holds: str
    notes: tuple[Note, ...]

    @property
    def summary(self) -> str:
        """Return a sentence with the number of notes of each effect."""
        counts = {effect: sum(note.effect == effect for note in self.notes) for effect in EFFECTS}
        shown = [f"{TITLES[effect].lower()}: {number}" for effect, number in counts.items()]
        return f"Raven can read {self.source}: {self.holds}; {', '.join(shown)}"

    def groups(self) -> Iterator[tuple[str, list[Note]]]:
        """Yield the notes of each effect that occurs, with its title."""
        for effect in EFFECTS:
            notes = [note for note in self.notes if note.effect == effect]
            if notes:
                yield TITLES[effect], notes

    def shown(self) -> Iterator[Any]:
        """Yield what the terminal shows."""
        yield self.summary
        for title, notes in self.groups():
            yield Text(f"\n{title}", "bold")
            for note in notes:
                yield Text(f"{note.code} ({note.count:,})")
                yield Padding(Text(note.sentence), (0, 0, 0, 4), expand=False)
                if note.fix:
                    yield Padding(Text(f"fix: {note.fix}"), (0, 0, 0, 4), expand=False)

    def json(self) -> dict[str, Any]:
        """Return the notes for JSON."""
        return {
            "source": self.source,
            "holds": self.holds,
            "notes": [note.record() for note in self.notes],
        }

    def tables(self) -> list[Table]:
        """Return the page's tables, one for each effect."""
        return [
            table(
                title.lower().replace(" ", "-"),
                title,
                notes,
                col("code", attrgetter("code"), text=True),
                col("count", attrgetter("count"), digits=0),
                col("what", attrgetter("sentence"), text=True),
                col("places", lambda note: "; ".join(note.places), text=True),
                col("fix", attrgetter("fix"), text=True),
            )
            for title, notes in self.groups()
        ]

    def write(self, page: Path) -> Path:
        """Write the page. InputError if its path is taken or is an input."""
        place = check_file(page, inputs=[self.source], mark=b"raven corpus check")
        with whole_file(place) as file:
            file.write(
                render(
                    "ravenbench.ext.corpora:check.html.j2", tables=self.tables(), checked=self
                ).encode()
            )
        return place


def checked(source: str, reading: dict[str, Any]) -> Checked:
    """Read a path or name, and collect every note on it. InputError if it cannot be read."""
    with remarks_gathered() as said:
        holds, more = _read(source, reading)
    notes = [note for note in said if isinstance(note, Note)]
    notes += [note for note in more if note not in notes]
    notes.sort(key=lambda note: (EFFECTS.index(note.effect), -note.count))
    return Checked(source, holds, tuple(notes))


def _read(source: str, reading: dict[str, Any]) -> tuple[str, list[Note]]:
    """What is there, and notes that its reader hands over without saying them."""
    path = Path(fetched(source))
    encoding = reading["encoding"]
    strip_shared = bool(reading.get("strip_shared"))
    kind = "corpus" if is_named(source) else kind_at(path, encoding)
    if kind == "attribution":
        problems = read_attribution(path, encoding=encoding, strip_shared=strip_shared)
        return counted(len(problems), "problem"), []
    if kind == "problems":
        how: dict[str, Any] = {name: bool(reading.get(name)) for name in READING}
        sets = read_problem_sets(path, encoding=encoding, **how)
        return counted(sum(map(len, sets)), "problem"), []
    if kind == "truth":
        return f"truth of {counted(len(read_truth(path)), 'problem')}", []
    if kind == "answers":
        systems = read_systems(path)
        number = sum(len(system.ids) for system in systems)
        return counted(number, "answer"), [n for system in systems for n in system.notes]
    if kind == "text":
        documents = read_documents(path, encoding)
        names = [document.name for document in documents]
        texts = [document.text for document in documents]
        if strip_shared:
            texts = list(map(cleaner(texts, names, empty=False), texts))
        seen = Seen(texts, Labels.of(()), names)
        plain = list(map(without_signs, documents))
        return counted(len(documents), "text"), [*account_of(plain), *odd_texts(seen)]
    corpus = load_corpus(source, **{"pairs": False, **reading})
    columns = (corpus.texts, corpus.author, corpus.ids, corpus.topic, corpus.columns)
    holds = f"{counted(len(corpus), 'text')} by {counted(len(corpus.author.names), 'author')}"
    return holds, corpus_notes(*columns) if is_named(source) else []
