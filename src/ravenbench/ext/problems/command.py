"""Cuts verification problems from a corpus, as the PAN-2014 organisers built theirs (``raven problems``).

In: ``build``: a ``ProblemsSpec`` and a folder to write; ``build_problems``: a ``Corpus`` with options (minimum and
maximum known documents, columns, minimum words, number of problems).
Out: ``build``: a folder in PAN's form, and a dict of what was made; ``build_problems``: ``Built``, n problems, truth
(n,), half of them True (same author), counts of unused documents by reason. InputError for an option that does not
fit, CorpusError if the corpus is too small. ``cut`` (by author) and ``cut_across`` (a dict for each two values) return
``Case``s, rows from 0.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np

from ravenbench.engine.options import PATH, AtLeastOne, AtLeastTwo, CorpusSpec, Option, about
from ravenbench.engine.pool import Progress
from ravenbench.engine.task import Ending, Work
from ravenbench.errors import CorpusError, InputError, counted
from ravenbench.randomness import stream
from ravenbench.text.tokens import words
from ravenbench.types import Bools, Corpus, Ints, Labels, Problems, name_array


class ProblemsSpec(CorpusSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which problems to build from a corpus."""

    corpus: Annotated[
        str, about("A corpus by name, or a file with text, author and topic.", takes=PATH)
    ]
    known: Annotated[str, about("Known documents in each problem: a number, or LEAST-MOST.")] = (
        "1-5"
    )
    match: Annotated[
        str, about("Columns in which all documents of a problem agree, or 'none'.")
    ] = "topic"
    cross: Annotated[
        str | None,
        about(
            "A column in which questioned and known documents differ: COLUMN, or COLUMN=A:B for"
            " known documents of A and a questioned one of B. Raven does not match it."
        ),
    ] = None
    min_words: Annotated[int, about("Leave out shorter documents.", bounds=(0, None))] = 0
    words: Annotated[
        AtLeastOne | None,
        about(
            "Cut every document to this many words; leave out shorter documents.",
            bounds=(1, None),
        ),
    ] = None
    problems: Annotated[
        AtLeastTwo | None,
        about("Number of problems (even); default: as many as possible.", bounds=(2, None)),
    ] = None
    seed: Annotated[int, about("Decides every draw.")] = 0


class BuiltProblems(Work):
    """Build balanced verification problems as the PAN-2014 organisers did.

    Negative problems take their questioned document from another author of the same kind, so that neither the matched
    columns nor the number of known documents shows the truth.

        raven problems essays.csv -o essays/ --known 1-5 --min-words 500 --match term,age_band
        raven problems texts.csv -o mails/ --match none --cross genre=essay:email
        raven problems newsgroups -o across/ --cross topic --known 1
    """

    name = "problems"
    function = "build_problems"
    Spec = ProblemsSpec
    own = (Option("out", "A new folder.", takes=PATH, required=True),)
    arguments = ("corpus",)
    positional = ("corpus", "out")
    order = "corpus out"
    result = "dict[str, Any]"
    reports_progress = False

    @classmethod
    def work(cls, spec: ProblemsSpec, out: str | Path) -> dict[str, Any]:
        return build(spec, Path(out))

    @classmethod
    def ending(cls, values: Mapping[str, Any], progress: Progress) -> Ending:
        from ravenbench.ext.corpora.command import overview

        built = cls.call(values)
        lines = [
            f"{counted(count, 'document')} {reason}"
            for reason, count in built["dropped"].items()
            if count
        ]
        table = overview([{"name": built["corpus"], **built["table"]}])
        return Ending(built, [table, *lines, f"written to {values['out']}"])


def build(spec: ProblemsSpec, out: Path) -> dict[str, Any]:
    """Build and write problems; return what was made, as JSON values. InputError if an option, the corpus or the output
    folder cannot be used.
    """
    from ravenbench.ext.corpora.summary import table_one
    from ravenbench.outputs import check_folder, fresh_folder
    from ravenbench.problems.rewritten import FirstWords
    from ravenbench.reading.load import load_corpus
    from ravenbench.reading.problem_formats.pan_folders import write_pan_problems

    words = spec.words
    least, most = _range(spec.known)
    crossing = None if spec.cross is None else Cross.parse(spec.cross)
    check_folder(out, inputs=[spec.corpus], kind="problems")
    data = load_corpus(spec.corpus, **spec.reading())
    if crossing is not None:
        crossing = replace(crossing, column=data.role_of(crossing.column))
    columns = (
        []
        if spec.match.strip().lower() == "none"
        else [part.strip() for part in spec.match.split(",") if part.strip()]
    )
    columns = [name for name in columns if crossing is None or name != crossing.column]
    built = build_problems(
        data,
        known=(least, most),
        match=columns,
        min_words=max(spec.min_words, words or 0),
        problems=spec.problems,
        seed=spec.seed,
        cross=crossing,
    )
    written = built.problems if words is None else built.problems.map_texts(FirstWords(words))
    languages = () if data.language is None else data.language.names
    with fresh_folder(out, kind="problems") as place:
        write_pan_problems(place, written, built.same, ", ".join(languages) or "unknown")
    return {
        "folder": str(out),
        "corpus": data.name,
        "digest": data.digest(),
        "match": columns,
        "cross": spec.cross,
        "known": [least, most],
        "min_words": spec.min_words,
        "seed": spec.seed,
        "dropped": dict(built.dropped),
        "table": table_one(written),
    }


def _range(text: str) -> tuple[int, int]:
    """The least and the most of a number, or of two with a dash between."""
    match = re.fullmatch(r"\s*(\d{1,9})\s*(?:[-–]\s*(\d{1,9})\s*)?", text)
    if match is None:
        expected = "a number such as 1, or a range such as 1-5"
        raise InputError("--known is not a range", found=text, expected=expected)
    return int(match[1]), int(match[2] or match[1])


@dataclass(frozen=True, eq=False)
class Case:
    """Row numbers of known documents of an author and of another document by the author, all of one kind."""

    author: int
    known: Ints
    questioned: int


@dataclass(frozen=True)
class Cross:
    """Known documents have one value of a column (``topic``, ``genre`` or another), the questioned document has
    another: any two different values if no ``values`` (known, questioned) are given."""

    column: str
    values: tuple[str, str] | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``COLUMN`` or ``COLUMN=KNOWN:QUESTIONED``; InputError if it is neither."""
        column, equals, sides = (part.strip() for part in text.partition("="))
        known, colon, questioned = (part.strip() for part in sides.partition(":"))
        if (
            not column
            or (equals and not (known and colon and questioned))
            or (equals and known == questioned)
        ):
            raise InputError(
                "not a valid crossing of a column",
                found=text,
                expected="COLUMN, or COLUMN=KNOWN:QUESTIONED with two different values",
            )
        return cls(column, (known, questioned) if equals else None)

    def codes(self, labels: Labels) -> tuple[int, int] | None:
        """Return the values' numbers in a column; InputError if one of them is missing."""
        if self.values is None:
            return None
        absent = [value for value in self.values if value not in labels.names]
        if absent:
            raise InputError(
                f"value not found in column {self.column!r}",
                found=", ".join(absent),
                expected=f"two of: {', '.join(labels.names[:20])}",
            )
        return labels.names.index(self.values[0]), labels.names.index(self.values[1])


def cut(
    author: Ints, rows: Ints, least: int, most: int, rng: np.random.Generator
) -> dict[int, list[Case]]:
    """Return the cases of every author among documents of one kind."""
    cases: dict[int, list[Case]] = {}
    for writer in np.unique(author[rows]).tolist():
        own = rng.permutation(rows[author[rows] == writer])
        while len(own) > least:
            k = int(rng.integers(least, min(most, len(own) - 1) + 1))
            cases.setdefault(writer, []).append(Case(writer, own[:k], int(own[k])))
            own = own[k + 1 :]
    return cases


def cut_across(
    author: Ints,
    value: Ints,
    rows: Ints,
    least: int,
    most: int,
    rng: np.random.Generator,
    only: tuple[int, int] | None = None,
) -> list[dict[int, list[Case]]]:
    """Return cases whose questioned document has another value than the known ones: a list entry for each two values.

    Cases of an entry may exchange questioned documents without a change of values. Values of most authors come
    first; documents are used once, so later entries get the rest; values of only one author give no cases.
    """
    left: dict[int, dict[int, list[int]]] = {}
    for row in rng.permutation(rows).tolist():
        left.setdefault(int(author[row]), {}).setdefault(int(value[row]), []).append(row)
    writers: dict[tuple[int, int], list[int]] = {}
    for writer, parts in sorted(left.items()):
        for pair in ((a, b) for a in parts for b in parts if a != b and len(parts[a]) >= least):
            if only in (None, pair):
                writers.setdefault(pair, []).append(writer)
    kinds = []
    for a, b in sorted(
        (pair for pair in writers if len(writers[pair]) > 1), key=lambda p: (-len(writers[p]), p)
    ):
        cases: dict[int, list[Case]] = {}
        for writer in writers[a, b]:
            known = left[writer][a]
            others = left[writer][b]
            while len(known) >= least and others:
                k = int(rng.integers(least, min(most, len(known)) + 1))
                cases.setdefault(writer, []).append(
                    Case(writer, np.array(known[:k], np.int64), others.pop())
                )
                del known[:k]
        kinds.append(cases)
    return kinds


@dataclass(frozen=True, eq=False)
class Built:
    """n problems built from a corpus, with authors, topics and languages (call ``blind()`` before a verifier sees
    them), their truth ``same`` (n,), half of each class, and counts of unused documents, by reason."""

    problems: Problems
    same: Bools
    dropped: Mapping[str, int]


def build_problems(
    corpus: Corpus,
    *,
    known: tuple[int, int] = (1, 5),
    match: Sequence[str] = ("topic",),
    min_words: int = 0,
    problems: int | None = None,
    seed: int = 0,
    cross: Cross | None = None,
) -> Built:
    """Build balanced problems whose documents agree in given columns.

    An author's documents of one kind (equal in every column of ``match``) are put in random order and cut into cases of
    some known documents and a questioned one. An unchanged case is a positive problem; questioned documents exchanged
    between authors of the same kind give the negative problems. Number of known documents, columns and the documents
    themselves are therefore the same in both classes and cannot show the truth.

    ``known`` is the minimum and maximum number of known documents of a problem, drawn uniformly as far as an author has
    them; ``match`` names ``topic``, ``language`` or further columns of the corpus. Documents under ``min_words`` words are
    left out. ``problems`` are made, or as many as possible; a document is in at most one positive and one negative
    problem, as in PAN-2014 (Stamatatos et al. 2014, section 3.1). ``cross`` is a column in which the
    questioned document differs from the known documents: positive and negative problems have the same two values, and the
    column is left out of ``match``.

    InputError if a number is out of range, or a column or a value is not found; CorpusError, with the counts, if too few
    problems can be made.
    """
    least, most = known
    if not 1 <= least <= most:
        raise InputError(
            "the numbers of known documents are out of range",
            found=known,
            expected="1 ≤ least ≤ most",
        )
    if problems is not None and (problems < 2 or problems % 2):
        raise InputError("the number of problems must be even in a balanced set", found=problems)
    match = [name for name in match if cross is None or name != cross.column]
    values = None if cross is None else _column(corpus, cross.column)
    only = None if cross is None or values is None else cross.codes(values)
    dropped: dict[str, int] = {}
    rows = _usable(corpus, match if cross is None else [*match, cross.column], min_words, dropped)
    cells = _cells(corpus, match, rows)
    pairs: list[tuple[Case, Case]] = []
    for number, cell in enumerate(cells):
        rng = stream(seed, "problem-cases", number)
        if values is None:
            kinds = [cut(corpus.author.codes, cell, least, most, rng)]
        else:
            kinds = cut_across(corpus.author.codes, values.codes, cell, least, most, rng, only)
        rng = stream(seed, "problem-order", number)
        for cases in kinds:
            # Author by author in random order.
            writers = [list(cases)[i] for i in rng.permutation(len(cases))]
            pairs += _both([case for writer in writers for case in cases[writer]])
    wanted = len(pairs) if problems is None else problems // 2
    alike = (", ".join(match) or "any") + ("" if cross is None else f"; across {cross.column}")
    if not pairs or wanted > len(pairs):
        lacking = (
            None
            if len(rows)
            else next((name for name in match if (_column(corpus, name).codes < 0).all()), None)
        )
        ways = [
            "match fewer columns" * bool(match),
            "require fewer words" * (min_words > 0),
            f"require fewer known documents than {known[0]}" * (known[0] > 1),
            "require fewer problems" * bool(pairs),
        ]
        raise CorpusError(
            (
                "this corpus cannot give this many problems"
                if pairs
                else "this corpus cannot give problems"
            ),
            found=(
                f"{2 * len(pairs):,} from {len(rows):,} documents in {len(cells):,} kinds ({alike})"
            ),
            expected=f"{2 * max(wanted, 1):,}",
            fix=(
                f"no text has a {lacking}: --match none"
                if lacking
                else "; ".join(filter(None, ways))
            ),
        )
    rng = stream(seed, "problem-choice")
    chosen = [pairs[i] for i in np.sort(rng.permutation(len(pairs))[:wanted])]
    both = [positive for positive, _ in chosen] + [negative for _, negative in chosen]
    order = rng.permutation(len(both))
    cases_drawn = [both[i] for i in order]
    same = order < wanted
    used = np.unique(np.concatenate([[*case.known, case.questioned] for case in cases_drawn]))
    dropped["left over"] = len(rows) - len(used)
    return Built(_columnar(corpus, cases_drawn), same, dropped)


def _column(corpus: Corpus, name: str) -> Labels:
    if name == "language" and corpus.language is not None and name not in corpus.columns:
        return corpus.language
    return corpus.at(name).topic


def _usable(corpus: Corpus, match: Sequence[str], min_words: int, dropped: dict[str, int]) -> Ints:
    """Rows that may be used; counts the others."""
    usable = np.ones(len(corpus), dtype=bool)

    def drop(reason: str, where: Bools) -> None:
        dropped[reason] = int((usable & where).sum())
        usable[where] = False

    drop("without an author", corpus.author.codes < 0)
    for name in match:
        drop(f"without {name}", _column(corpus, name).codes < 0)
    if min_words > 0:
        sizes = np.fromiter(
            (len(words(corpus.texts[i])) for i in range(len(corpus))), np.int64, len(corpus)
        )
        drop(f"shorter than {min_words} words", sizes < min_words)
    return np.flatnonzero(usable).astype(np.int64)


def _cells(corpus: Corpus, match: Sequence[str], rows: Ints) -> list[Ints]:
    """Documents of each kind, kinds in order of their names."""
    if not len(rows):
        return []
    columns = [
        np.zeros(len(rows), dtype=np.int64),
        *(_column(corpus, name).codes[rows] for name in match),
    ]
    cell = np.unique(np.stack(columns), axis=1, return_inverse=True)[1].ravel()
    return [rows[cell == c] for c in range(int(cell.max()) + 1)]


def _both(cases: list[Case]) -> list[tuple[Case, Case]]:
    """A positive with a negative problem, as many as the cases of one kind give."""
    cases = _at_most_half(cases)
    shift = max(Counter(case.author for case in cases).values(), default=0)
    # Authors stand in blocks, so a shift by the longest block brings another author's document to every case.
    exchanged = [
        replace(case, questioned=cases[(i + shift) % len(cases)].questioned)
        for i, case in enumerate(cases)
    ]
    return list(zip(cases, exchanged, strict=False))


def _at_most_half(cases: list[Case]) -> list[Case]:
    """Drop the last cases of an author who has more than all others together."""
    count = Counter(case.author for case in cases)
    seen = Counter[int]()
    fewer = list[Case]()
    for case in cases:
        seen[case.author] += 1
        if seen[case.author] <= len(cases) - count[case.author]:
            fewer.append(case)
    return fewer


def _columnar(corpus: Corpus, cases: list[Case]) -> Problems:
    letters = "".join(
        c for c in (corpus.language.names[0] if corpus.language else corpus.name) if c.isalpha()
    )
    width = max(3, len(str(len(cases))))
    ids = [f"{letters[:2].upper() or 'PR'}{i:0{width}d}" for i in range(1, len(cases) + 1)]
    ptr = np.concatenate([[0], np.cumsum([len(case.known) for case in cases])]).astype(np.int64)
    return Problems(
        corpus.texts,
        name_array(ids),
        ptr,
        np.concatenate([case.known for case in cases]),
        np.array([case.questioned for case in cases], dtype=np.int64),
        author=corpus.author,
        topic=corpus.topic,
        language=corpus.language,
    )
