"""Reads the texts of a question "who wrote this text?": unknown texts, and those of each candidate.

In: paths of unknown texts, a path or ``Corpus`` of candidates' texts, and options of reading.
Out: a ``NamingQuestion`` of ``Text`` and ``KnownText``, the rows (from 0) of known texts that are not learned from,
remarks and notes. InputError if a text cannot be read, there are fewer than two candidates, a candidate has no text, or
languages differ.

Raven refuses input that would make every answer wrong before it computes anything: a candidate without text, texts in
several languages. It does not learn from a candidate's text that also occurs in an unknown text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ravenbench.errors import InputError, counted
from ravenbench.ext.case.compare.material import SHARED
from ravenbench.reading.by_author import KnownText, read_candidates
from ravenbench.reading.load import load_corpus
from ravenbench.reading.remarks import prepared_otherwise
from ravenbench.reading.tables import kind_of
from ravenbench.reading.texts import Text, TextReader, doubts_of
from ravenbench.text.common_words import by_language
from ravenbench.text.copies import runs, share_passages
from ravenbench.text.passages import cleaner
from ravenbench.text.tokens import count_words
from ravenbench.types import Corpus


@dataclass(frozen=True)
class NamingQuestion:
    """Unknown texts and known texts; for each unknown text (by place), remarks on known texts that occur in it.

    ``copied`` has the rows of known texts that are not learned from, because they share passages with an unknown text.
    """

    unknown: tuple[Text, ...]
    known: tuple[KnownText, ...]
    copied: tuple[int, ...]
    remarks: Mapping[int, tuple[str, ...]]
    notes: tuple[str, ...]

    @property
    def candidates(self) -> list[str]:
        """Names of the candidates with texts to learn from, sorted."""
        return sorted({k.author for i, k in enumerate(self.known) if i not in self.copied})


def read_question(
    unknown: Sequence[str], candidates: str | Corpus, reading: Mapping[str, Any]
) -> NamingQuestion:
    """Read and check all texts. Raises InputError if a text cannot be read, there are fewer than two candidates, a
    candidate has no text, or texts are in several languages."""
    reader = TextReader(reading["encoding"])
    tables = [path for path in unknown if kind_of(Path(path)) is not None]
    texts = tuple(reader.all(Path(path) for path in unknown if path not in tables))
    texts += tuple(text for table in tables for text in _rows(Path(table), reading))
    strip = reading.get("strip_shared", False)
    known, notes = read_candidates(candidates, reading, strip)
    reader.faults.check()
    notes += reader.notes
    if strip:
        plain = _cleaner(texts, known)
        every = [*(text.text for text in texts), *(one.text for one in known)]
        changed = sum(plain(text) != text for text in every)
        known = [k._replace(text=text) for k in known if (text := plain(k.text)).strip()]
        texts = tuple(t.of(plain(t.text)) for t in texts)
        notes = [note for note in notes if "--strip-shared" not in note]
        notes.append(
            f"Raven removes passages from {counted(changed, 'text')} because several authors share"
            " them"
        )
    questioned = [(None, text) for text in texts]
    questioned_texts = [(text.name, text.text) for text in texts]
    notes += map(
        str, prepared_otherwise(questioned_texts, (one.text for one in known), "known texts")
    )
    notes += map(str, doubts_of(questioned, [one.author for one in known]))
    copied, remarks = _copies(texts, known)
    question = NamingQuestion(texts, tuple(known), copied, remarks, tuple(dict.fromkeys(notes)))
    gone = sorted({k.author for k in known} - set(question.candidates))
    if len(question.candidates) < 2 or gone:
        _too_few(known, gone)
    _check_languages(known)
    return question


def _rows(table: Path, reading: Mapping[str, Any]) -> list[Text]:
    """The texts of a table, called by their ids; who wrote each is what is asked."""
    how = {**reading, "author": "id", "topic": None, "strip_shared": False}
    corpus = load_corpus(table, **how, pairs=False, anonymous=True)
    return [Text(table, d.text, count_words(d.text), called=d.author or d.id) for d in corpus]


def _too_few(known: Sequence[KnownText], gone: Sequence[str]) -> None:
    names = sorted({k.author for k in known})
    if len(names) < 2:
        raise InputError(
            "only one candidate: attribution needs at least two",
            found=", ".join(names),
            fix=(
                "raven compare --questioned TEXT --known FOLDER --background OTHERS answers whether"
                " this candidate wrote it"
            ),
        )
    raise InputError(
        "no text is left of a candidate: the unknown texts include all of them",
        found=", ".join(gone),
        fix="add other texts by the candidate, or remove the candidate",
    )


def _check_languages(known: Sequence[KnownText]) -> None:
    """Refuse candidates whose texts are in several languages: by their labels, else by their words."""
    labels = sorted({k.language for k in known if k.language})
    texts: dict[str, list[str]] = {}
    for one in known:
        texts.setdefault(one.author, []).append(one.text)
    groups = by_language(texts)
    if len(labels) > 1 or len(groups) > 1:
        raise InputError(
            "the candidates' texts are in several languages, so Raven would distinguish languages,"
            " not authors",
            found=", ".join(labels)
            or " and ".join(f"{g[0]!r} (and {len(g) - 1} more)" for g in groups[:4]),
            fix="keep texts in the language of the unknown text",
        )


def _cleaner(unknown: Sequence[Text], known: Sequence[KnownText]) -> Callable[[str], str]:
    """What takes out of a text what texts of several authors share; the unknown texts count as those of one."""
    authors = [*(k.author for k in known), *[None] * len(unknown)]
    return cleaner([*(k.text for k in known), *(t.text for t in unknown)], authors)


def _copies(
    unknown: Sequence[Text], known: Sequence[KnownText]
) -> tuple[tuple[int, ...], dict[int, tuple[str, ...]]]:
    """Known texts that share more than a tenth of their passages, or of an unknown text's, with an unknown text; what
    texts of several authors share does not count."""
    plain = _cleaner(unknown, known)
    of_unknown = [runs(plain(text.text)) for text in unknown]
    copied: set[int] = set()
    remarks: dict[int, list[str]] = {}
    for row, one in enumerate(known):
        here = runs(plain(one.text))
        for place, there in enumerate(of_unknown):
            same = unknown[place].text.split() == one.text.split()
            if same or share_passages(there, here, SHARED):
                share = 1.0 if same else len(here & there) / max(1, len(there))
                copied.add(row)
                remarks.setdefault(place, []).append(
                    f"{share:.0%} of its passages also occur in {one.name} by {one.author}, so"
                    " Raven did not learn from that text: this is copying or quotation, a separate"
                    " finding"
                )
    return tuple(sorted(copied)), {place: tuple(said) for place, said in remarks.items()}
