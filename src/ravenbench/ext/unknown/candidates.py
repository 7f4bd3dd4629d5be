"""Reads the texts of a question "who wrote this one?": unknown ones, and those of each candidate.

In: paths of unknown texts, a path or ``Corpus`` of candidates' texts, and options of reading.
Out: a ``NamingQuestion`` of ``Text`` and ``Known``, the rows (from 0) of known texts that are not learned from, remarks
and notes. InputError if a text cannot be read, there are fewer than two candidates, one has no text, or languages
differ.

What would make any answer wrong is refused before anything is computed: a candidate without text, texts in several
languages. A candidate's text that stands in an unknown one is not learned from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ravenbench.errors import FormatError, InputError, first_names
from ravenbench.ext.case.compare.material import SHARED, Text, TextReader, is_copy, runs
from ravenbench.reading.account import ACCOUNT
from ravenbench.reading.documents import account_of, list_documents
from ravenbench.reading.load import is_corpus_folder, load_corpus
from ravenbench.reading.pan_attribution import is_attribution, read_attribution
from ravenbench.reading.remarks import Seen, names_person, plain_words, signed
from ravenbench.reading.tables import kind_of
from ravenbench.text.common_words import by_language
from ravenbench.text.names import person_words
from ravenbench.text.passages import cleaner
from ravenbench.types import Corpus, Labels


@dataclass(frozen=True)
class Known:
    """A text of a candidate: its author, name, topic and language where known."""

    author: str
    name: str
    text: str
    topic: str | None = None
    language: str | None = None


@dataclass(frozen=True)
class NamingQuestion:
    """Unknown texts and known ones; of each unknown text (by place) the known ones that stand in it and how.

    ``copied`` has the rows of known texts that are not learned from: they share passages with some unknown text.
    """

    unknown: tuple[Text, ...]
    known: tuple[Known, ...]
    copied: tuple[int, ...]
    remarks: Mapping[int, tuple[str, ...]]
    notes: tuple[str, ...]

    @property
    def candidates(self) -> list[str]:
        """Names of the candidates who are learned from, sorted."""
        return sorted({k.author for i, k in enumerate(self.known) if i not in self.copied})


def read_question(
    unknown: Sequence[str], candidates: str | Corpus, reading: Mapping[str, Any]
) -> NamingQuestion:
    """Read and check all texts. InputError if a text cannot be read, there are fewer than two candidates, one has no
    text, or texts are in several languages."""
    reader = TextReader(reading["encoding"])
    texts = tuple(reader.all([Path(path) for path in unknown]))
    strip = reading.get("strip_shared", False)
    known = _known(candidates, reader, {**reading, "strip_shared": None if strip else False})
    reader.faults.check()
    reader.notes += map(str, account_of([t.document for t in texts if t.document is not None]))
    if strip:
        plain = _cleaner(texts, known)
        changed = sum(
            plain(text) != text for text in [*(t.text for t in texts), *(k.text for k in known)]
        )
        known = [replace(k, text=text) for k in known if (text := plain(k.text)).strip()]
        texts = tuple(t.of(plain(t.text)) for t in texts)
        reader.notes = [note for note in reader.notes if "--strip-shared" not in note]
        reader.notes.append(f"passages of several authors were taken out of {changed:,} texts")
    reader.notes += _names_within(texts, known)
    copied, remarks = _copies(texts, known)
    question = NamingQuestion(texts, tuple(known), copied, remarks, tuple(reader.notes))
    gone = sorted({k.author for k in known} - set(question.candidates))
    if len(question.candidates) < 2 or gone:
        _too_few(known, gone)
    _check_languages(known)
    return question


def _names_within(unknown: Sequence[Text], known: Sequence[Known]) -> list[str]:
    """Sentences on names of candidates that stand in unknown texts and in texts of candidates."""
    people = {
        name: words for name in {k.author for k in known} if len(words := person_words(name)[1]) > 1
    }
    texts = [(t.name, "", plain_words(t.text)) for t in unknown]
    texts += [(k.name, k.author, plain_words(k.text)) for k in known]
    within = [
        f"{name}: {person}"
        for name, author, text in texts
        for person, words in people.items()
        if person != author and names_person(text, words)
    ]
    said = (
        f"names of candidates stand in texts: {first_names(within)}; that is no style: take them"
        " out if they sign"
    )
    authors = Labels.of(k.author for k in known)
    own = signed(Seen([k.text for k in known], authors, [k.name for k in known]))
    return [*[said] * bool(within), *map(str, own)]


def _too_few(known: Sequence[Known], gone: Sequence[str]) -> None:
    names = sorted({k.author for k in known})
    if len(names) < 2:
        raise InputError(
            "one candidate is no choice: attribution needs at least two",
            found=", ".join(names),
            fix=(
                "raven compare --questioned TEXT --known FOLDER --background OTHERS answers whether"
                " this one wrote it"
            ),
        )
    raise InputError(
        "nothing is left of a candidate: all their texts stand in an unknown text too",
        found=", ".join(gone),
        fix="add other texts of theirs, or leave the candidate out",
    )


def _known(candidates: str | Corpus, reader: TextReader, reading: Mapping[str, Any]) -> list[Known]:
    if isinstance(candidates, Corpus):
        return _of_corpus(candidates, reader)
    path = Path(candidates)
    if path.is_dir() and is_attribution(path):
        problems = read_attribution(
            path, encoding=reader.encoding, strip_shared=reading["strip_shared"] is None
        )
        if len(problems) > 1:
            raise InputError(
                "these are several attribution problems",
                file=path,
                found=", ".join(p.name for p in problems[:4]),
                fix="give one problem's folder; or `raven attribute FOLDER` answers them all",
            )
        (problem,) = problems
        return [
            Known(a, f"{a}/{i}", t, None, problem.language)
            for a in problem.candidates
            for i, t in enumerate(problem.candidates[a], 1)
        ]
    for place in sorted(path.iterdir()) if path.is_dir() and not is_corpus_folder(path) else ():
        if place.is_dir() and not place.name.startswith(".") and not list_documents(place)[0]:
            raise InputError(
                "a candidate's folder holds no text that is read",
                file=place,
                fix="add texts, or remove it",
            )
    try:
        return _of_corpus(load_corpus(candidates, **reading, pairs=False), reader)
    except FormatError:
        if not (path.is_file() and kind_of(path) is not None):
            raise
        # A table need not have topics; what else is wrong with it is said now.
        return _of_corpus(load_corpus(path, **{**reading, "topic": None}, pairs=False), reader)


def _of_corpus(corpus: Corpus, reader: TextReader) -> list[Known]:
    reader.notes += map(str, corpus.notes.get(ACCOUNT, ()))
    documents = corpus.columns.get("document")
    return [
        Known(
            d.author or "",
            (documents[i] if documents is not None else None) or d.id,
            d.text,
            d.topic,
            d.language,
        )
        for i, d in enumerate(corpus)
        if d.author is not None
    ]


def _check_languages(known: Sequence[Known]) -> None:
    """Refuse candidates whose texts are in several languages: by their labels, else by their words."""
    labels = sorted({k.language for k in known if k.language})
    texts: dict[str, list[str]] = {}
    for one in known:
        texts.setdefault(one.author, []).append(one.text)
    groups = by_language(texts)
    if len(labels) > 1 or len(groups) > 1:
        raise InputError(
            "the candidates' texts are in several languages, which would be told apart instead of"
            " authors",
            found=", ".join(labels)
            or " and ".join(f"{g[0]!r} (and {len(g) - 1} more)" for g in groups[:4]),
            fix="keep texts in the language of the unknown text",
        )


def _cleaner(unknown: Sequence[Text], known: Sequence[Known]) -> Callable[[str], str]:
    """What takes out of a text what texts of several authors share; the unknown texts count as those of one."""
    authors = [*(k.author for k in known), *[None] * len(unknown)]
    return cleaner([*(k.text for k in known), *(t.text for t in unknown)], authors)


def _copies(
    unknown: Sequence[Text], known: Sequence[Known]
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
            if same or is_copy(there, here, SHARED) or is_copy(here, there, SHARED):
                share = 1.0 if same else len(here & there) / max(1, len(there))
                copied.add(row)
                remarks.setdefault(place, []).append(
                    f"{share:.0%} of its passages stand in {one.name} by {one.author}, which was"
                    " not learned from: that is copying or quotation, a finding of its own"
                )
    return tuple(sorted(copied)), {place: tuple(said) for place, said in remarks.items()}
