"""Runs ``raven attribute --unknown``: which of the candidates wrote a text, or none of them?

In: an ``UnknownSpec`` with paths of unknown texts and of candidates' texts; for the helpers texts and numbers of words.
Out: a folder of the files below that ``naming.analyse`` reads; a cell contains one method's scores by candidate, on its
scale, higher = this candidate, one row for each passage (``Passages``). SpecError for options that exclude each other.
``passage_words``: a number of words; ``passages``: parts of a text; ``divided``, ``open_passages``, ``each_apart`` and
``answered`` serve the cells.

OUT/run.json, plan.json, texts/, cells/   as for a run; a fold is a length of passages, at which a method answers all
                                          unknown texts cut to it; ``Passages`` describes its cell
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import numpy as np

from ravenbench.components import Component, foreign
from ravenbench.engine.apart import Apart, Unsendable, why
from ravenbench.engine.cells import CellUnit, Filled
from ravenbench.engine.guard import runs_program
from ravenbench.engine.options import (
    COMPONENTS,
    PATH,
    PATHS,
    CorpusSpec,
    Option,
    about,
    options_of,
    spec_of,
)
from ravenbench.engine.task import Draft, Task, content_hash, slug
from ravenbench.errors import SpecError, remark
from ravenbench.ext.case.compare.record import Reason, Why
from ravenbench.randomness import stream
from ravenbench.store.records import CellPlace, Plan, Record
from ravenbench.text.segmenters import Detected, detect
from ravenbench.text.splicing import BOTH
from ravenbench.text.tokens import SPACED, count_words
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from ravenbench.ext.unknown.candidates import NamingQuestion
    from ravenbench.store.store import Store

DEFAULT = "raven-style, ppm, cosine-delta"
"""Many views of style, compression, and frequent words."""
LONGEST = 500
SHORTEST = 50
"""Maximum and minimum number of words of a passage."""
FOLDS = 8
TOPICS = 5
GROUPS = 5
"""Numbers of parts of the known texts, of their topics and of the candidates; each part is left out once."""
MOST_PASSAGES = 40
MOST_OF_ALL = 4000
"""Maximum number of passages of a candidate, and of all."""
VERSIONS = 4
"""Minimum number of versions of each passage of an unknown text with other content words."""
PROGRAM = "a program or service answers, and it sees each text together with its versions"
FOREIGN = 0.6
"""An unknown text differs from the known texts if it has less than this proportion of the common words of a typical
known text."""


class UnknownSpec(CorpusSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings that decide the answer."""

    unknown: Annotated[
        tuple[str, ...],
        about(
            "A text by an unknown author, or a folder of such texts. For several repeat the"
            " option.",
            takes=PATHS,
            many=True,
        ),
    ]
    candidates: Annotated[
        str,
        about(
            "Texts by the candidates: candidate/text.txt, Author_Title.txt, a table, or a corpus by"
            " name.",
            takes="str | Path | Corpus",
        ),
    ]
    methods: Annotated[
        str, about(f"Methods whose scores Raven combines. Default: {DEFAULT}.", takes=COMPONENTS)
    ] = DEFAULT
    none: Annotated[
        Annotated[float, msgspec.Meta(gt=0, lt=1)],
        about(
            "Prior probability that none of the candidates wrote a text. Default: 0.5.",
            metavar="P",
        ),
    ] = 0.5
    seed: Annotated[int, about("Seed of every random choice. Default: 0.")] = 0


class KnownRecord(Record, frozen=True, kw_only=True):
    """A candidate's text to learn from: its row among the texts, author's number, topic's number or −1. Texts of an
    author with the same ``name`` are parts of one document."""

    name: str
    row: int
    author: int
    topic: int


class UnknownRecord(Record, frozen=True, kw_only=True):
    """An unknown text: its row among the texts, its number of words, the fold with passages of its length, reasons not
    to answer, and notes."""

    name: str
    row: int
    words: int
    fold: str
    refusals: list[Reason]
    notes: list[str]


class UnknownPlan(Plan, frozen=True, kw_only=True):
    """The manifest: candidates, their texts, unknown texts, and words of a passage by fold. ``left_out`` has the known
    texts that are not learned from, ``topics`` the source of topics ("" without topics)."""

    candidates: list[str]
    known: list[KnownRecord]
    unknown: list[UnknownRecord]
    words: dict[str, int]
    topics: str
    left_out: list[str]
    notes: list[str]


class Unknown(Task):
    """Which of several candidates wrote a text, or none of them: probabilities, and how far to trust them."""

    name = "unknown"
    offers = tuple(
        replace(options_of(UnknownSpec)[name], required=False)
        for name in ("unknown", "candidates", "none")
    )
    report = "ravenbench.ext.unknown.report:UnknownReport"
    answer = "ravenbench.ext.unknown.naming:NamingAnswers"
    freezes = False
    Spec = UnknownSpec
    own = (Option("out", "The folder or URL; default raven-runs/attribute-….", takes=PATH),)
    failure = "{count} method{s} failed, the first: {first}"
    spec: UnknownSpec

    @classmethod
    def of_command(cls, values: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the options if a text by an unknown author is given; the corpus may then give the candidates."""
        if not values.get("unknown"):
            offered = (option.name for option in cls.offers)
            if stray := [
                name for name in offered if values.get(name) is not None and name != "unknown"
            ]:
                raise SpecError(
                    f"--{stray[0]} needs --unknown", fix="give the text by an unknown author"
                )
            return None
        own = {
            option.name: values[option.name] for option in cls.options() if option.name in values
        }
        used = {
            name: value
            for name, value in values.items()
            if value not in (None, False, (), []) and name not in own
        }
        corpus = used.pop("corpus", None)
        if own.get("candidates") is None:
            if corpus is None:
                raise SpecError(
                    "no candidates: --candidates is missing",
                    expected="texts of each candidate",
                )
            own["candidates"] = corpus
            corpus = None
        if corpus is not None:
            raise SpecError(
                "both a corpus and --candidates are given",
                found=str(corpus),
                fix="give only --candidates",
            )
        if stray := list(used):
            raise SpecError(
                f"--{stray[0].replace('_', '-')} cannot be used with --unknown", fix="remove it"
            )
        return own

    def resolve(self) -> None:
        from ravenbench.ext.unknown.candidates import read_question
        from ravenbench.store.plans import content_key
        from ravenbench.tasks.attribute.answers import method_identity, name_methods
        from ravenbench.types import Corpus

        candidates = self.values["candidates"]
        self.named = name_methods(self.values.get("methods", DEFAULT))
        name = candidates.name if isinstance(candidates, Corpus) else str(candidates)
        values = {**self.values, "candidates": name, "methods": ", ".join(self.named)}
        self.spec = spec = spec_of(UnknownSpec, values)
        self.progress("reading the texts", 0, 0)
        source = candidates if isinstance(candidates, Corpus) else name
        self.question = question = read_question(spec.unknown, source, spec.reading())
        remark(question.notes)
        self.data = {
            **{f"unknown {text.name}": content_key(text.text) for text in question.unknown},
            "candidates": content_key(
                [[k.author, k.name, k.text, k.topic] for k in question.known]
            ),
            "methods": content_key([method_identity(method) for method in self.named.values()]),
            "how words are found": str(detect([known.text for known in question.known])),
        }
        stem = slug(spec.unknown[0]) or "text"
        self.folder = self.place_or(
            f"attribute-{stem}-{content_hash([spec.resolved(), self.data])}"
        )

    def draft(self) -> Draft[UnknownPlan]:
        return _draft(self.spec, self.question, self.named)

    def cells(self, store: Store) -> list[str]:
        from ravenbench.engine.pool import run_units

        units = [PassagesUnit(store.path, self.named[c.verifier], (c,)) for c in store.unanswered()]
        return run_units(self.engine, units, self.progress, "learning and answering")

    def notes(self, draft: Draft[Any]) -> list[str]:
        refused = [
            f"{u.name}: no answer, because {reason}."
            for u in draft.plan.unknown
            for reason in u.refusals
        ]
        said = [f"{u.name}: {note}." for u in draft.plan.unknown for note in u.notes]
        return refused + said + [f"Note: {note}." for note in draft.plan.notes]

    def sizes(self, draft: Draft[Any]) -> dict[str, int]:
        return {"unknown texts": len(draft.plan.unknown), "candidates": len(draft.plan.candidates)}


def _draft(
    spec: UnknownSpec, question: NamingQuestion, named: dict[str, Any]
) -> Draft[UnknownPlan]:
    from ravenbench.ext.case.compare.material import evidence_in_words
    from ravenbench.store.plans import content_key
    from ravenbench.store.records import FoldRecord
    from ravenbench.tasks.attribute.answers import method_identity, method_record

    names = question.candidates
    used = [k for i, k in enumerate(question.known) if i not in question.copied]
    texts, rows = TextTable.collect([*(k.text for k in used), *(t.text for t in question.unknown)])
    topic, by = _topics([k.topic for k in used], [k.text for k in used], spec.seed)
    author = [names.index(k.author) for k in used]
    known = [
        KnownRecord(name=k.name, row=int(rows[i]), author=author[i], topic=int(topic[i]))
        for i, k in enumerate(used)
    ]
    unlike = _unlike([k.text for k in used])
    unknown = []
    words = {}
    for place, text in enumerate(question.unknown):
        length = passage_words(text.words, [count_words(k.text) for k in used], author)
        words[f"words-{length}"] = length
        evidence, size = evidence_in_words(text.text)
        short = Reason.of(Why.SHORT, size=size, least=SHORTEST)
        refusals = [short] if evidence < SHORTEST else unlike(text.text)
        unknown.append(
            UnknownRecord(
                name=text.name,
                row=int(rows[len(used) + place]),
                words=text.words,
                fold=f"words-{length}",
                refusals=refusals,
                notes=list(question.remarks.get(place, ())),
            )
        )
    learned = [[k.author, texts.hash(k.row).hex(), k.topic] for k in known]
    detected = str(detect([k.text for k in used]))
    folds = {
        fold: FoldRecord(
            train_digest=content_key([names, learned, length, spec.seed, detected]),
            test_digest=content_key([texts.hash(u.row).hex() for u in unknown if u.fold == fold]),
        )
        for fold, length in sorted(words.items())
    }
    identities = {name: method_identity(method) for name, method in named.items()}
    answered_folds = {one.fold for one in unknown if not one.refusals}
    cells = [
        CellPlace(
            key=content_key([identity, info.train_digest, info.test_digest]),
            verifier=name,
            fold=fold,
        )
        for name, identity in identities.items()
        for fold, info in folds.items()
        if fold in answered_folds
    ]
    plan = UnknownPlan(
        folds=folds,
        verifiers=[method_record(name, method) for name, method in named.items()],
        cells=cells,
        candidates=names,
        known=known,
        unknown=unknown,
        words=words,
        topics=by,
        left_out=[question.known[i].name for i in question.copied],
        notes=list(question.notes),
    )
    return Draft(plan, texts=texts)


def _topics(given: Sequence[str | None], texts: Sequence[str], seed: int) -> tuple[Ints, str]:
    """Topics of the known texts by number, and where they come from: at least two on which texts stand."""
    from ravenbench.ext.case.extract import Extract
    from ravenbench.types import Corpus, Labels

    labels = Labels.of(given)
    by = "the topics given with the texts"
    if (labels.codes < 0).any() or len(labels.names) < 2:
        if len(set(texts)) < 2 * TOPICS:
            return np.full(len(texts), -1), ""
        table, rows = TextTable.collect(texts)
        nobody = Labels.of([None] * len(table))
        corpus = Corpus("", table, tuple(map(str, range(len(table)))), nobody, nobody)
        topics = Extract(clusters=TOPICS, seed=seed).labels(corpus)
        labels = Labels(topics.codes[rows], topics.names)
        by = "topics extracted from the texts"
    return labels.codes.astype(np.int64), by


def _unlike(known: Sequence[str]) -> Callable[[str], list[Reason]]:
    """Says of a text why it is too unlike known ones to be attributed: in its share of their common words, in capitals,
    or for it is no prose."""
    from ravenbench.ext.case.compare.material import capitals, no_prose
    from ravenbench.text.common_words import coverage
    from ravenbench.text.tokens import frequent_words

    common = frozenset(frequent_words(known, 200))
    usual = float(np.median([coverage(text, common) for text in known]))
    usual_capitals = capitals(known)

    def reasons(text: str) -> list[Reason]:
        share = coverage(text, common)
        odd = [Reason(Why.UNLIKE, f"it {why}") for why in no_prose(text, usual_capitals)]
        foreign = Reason.of(Why.UNLIKE, share=share, usual=usual)
        return [*odd, *[foreign] * (share < FOREIGN * usual)]

    return reasons


def passage_words(unknown: int, known: Sequence[int], author: Sequence[int]) -> int:
    """Return the number of words of a passage: the length of an unknown text, at most ``LONGEST``, and short enough
    that half the known texts have it and every candidate has two passages (of more than ten candidates, nine in ten, so
    that a candidate with little text does not shorten all passages). It has two significant digits, so that texts of
    similar length share their passages."""
    of_author = np.sort([own for own in np.bincount(author, weights=known) if own > 0])
    length: int = min(
        unknown, LONGEST, int(np.median(known)), int(of_author[(len(of_author) - 1) // 10] / 2)
    )
    step = 10 ** max(0, len(str(length)) - 2)
    return max(SHORTEST, int(length // step * step))


def passages(text: str, words: int) -> list[str]:
    """Return a text in parts of about this number of words; a rest of less than half belongs to the last part."""
    spans = [match.span() for match in SPACED.finditer(text)] or [(0, 0)]
    starts = [i * words for i in range(max(1, int(len(spans) / words + 0.5)))]
    return [
        text[spans[a][0] : spans[b - 1][1]]
        for a, b in zip(starts, [*starts[1:], len(spans)], strict=True)
    ]


@dataclass(frozen=True, eq=False)
class Passages:
    """The passages that a fold's methods learn from and answer: of known texts (n,) and of unknown texts (u,).

    ``document`` (n,) numbers their documents, ``part`` (n,) the passages that are held out together (of a candidate
    with one text, its stretches). ``away`` (n,) are the same for groups of candidates, ``topic`` (n,) for topics (None
    without topics). ``questioned`` (u,) is the number of the unknown text. ``replaced`` has by replacement
    (``text.splicing``) the same passages, known (n,) and unknown (v, u), with content words of a random candidate's
    text, each candidate equally often; empty if words cannot be found in this language.

    A cell contains scores with the candidates as columns: ``closed`` (n,), by methods that did not learn from the
    passage's part; ``absent`` (n,), from its author; ``topic`` (n,), from its topic; ``moved`` (n,), of replaced
    passages, as closed; ``unknown`` (u,) and ``versions`` (v · u,), by methods that learned from all; ``parts`` (parts,
    u), of unknown passages, by methods that learned from all but one part.
    """

    author: Ints
    document: Ints
    part: Ints
    away: Ints
    topic: Ints | None
    texts: tuple[str, ...]
    questioned: Ints
    unknown: tuple[str, ...]
    replaced: Mapping[str, tuple[Sequence[str], Sequence[str]]]


@lru_cache(maxsize=2)
def open_passages(store: Store, fold: str, contents: bool = True) -> Passages:
    """Return the passages of a fold; without ``contents``, none with content replaced."""
    plan = store.plan_as(UnknownPlan)
    table = store.texts
    words = plan.words[fold]
    seed = int(store.run.spec["seed"])
    document_of = {
        name: i for i, name in enumerate(dict.fromkeys((k.author, k.name) for k in plan.known))
    }
    known = [(k.author, document_of[k.author, k.name], k.topic, table[k.row]) for k in plan.known]
    questioned = [
        (n, text)
        for n, u in enumerate(plan.unknown)
        if u.fold == fold
        for text in passages(table[u.row], words)
    ]
    detected = detect([text for *_, text in known]) if contents else None
    return divided(known, questioned, words, seed, bool(plan.topics), detected)


def divided(
    known: Sequence[tuple[int, int, int, str]],
    questioned: Sequence[tuple[int, str]],
    words: int,
    seed: int,
    topics: bool,
    detected: Detected | None,
) -> Passages:
    """Return passages of known texts (candidate, document, topic, text), numbered, and those to answer (unknown text,
    passage).

    ``detected`` tells how to find content words; without it none are replaced.
    """
    from ravenbench.attribution.posterior import parts

    candidates = 1 + max(a for a, *_ in known)
    most = max(2, min(MOST_PASSAGES, MOST_OF_ALL // candidates))
    rows: list[tuple[int, int, int, int, str]] = []
    texts_of: list[list[tuple[int, int, str]]] = [[] for _ in range(candidates)]
    for a, i, subject, text in known:
        texts_of[a].append((i, subject, text))
    for a, own in enumerate(texts_of):
        whole = [(i, subject, part) for i, subject, text in own for part in passages(text, words)]
        if len(whole) == 1:
            i, subject, text = whole[0]
            whole = [(i, subject, half) for half in passages(text, (count_words(text) + 1) // 2)]
        chosen = [whole[j] for j in np.unique(np.linspace(0, len(whole) - 1, most).astype(int))]
        whole_texts = len({i for i, *_ in own}) > 1
        for j, (i, subject, text) in enumerate(chosen):
            rows.append((a, i, i if whole_texts else j * FOLDS // len(chosen), subject, text))
    author, document, fold, topic = (
        np.array([row[c] for row in rows], dtype=np.int64) for c in range(4)
    )
    part = parts(author, fold, topic, FOLDS, seed)
    groups = stream(seed, "unknown-candidates").permutation(candidates) % min(GROUPS, candidates)
    texts = tuple(row[4] for row in rows)
    unknown = tuple(text for _, text in questioned)
    replaced = _replaced(texts, unknown, author, seed, detected) if detected else {}
    return Passages(
        author,
        document,
        part,
        groups[author],
        topic % TOPICS if topics else None,
        texts,
        np.array([n for n, _ in questioned], dtype=np.int64),
        unknown,
        replaced,
    )


def _replaced(
    known: Sequence[str], unknown: Sequence[str], author: Ints, seed: int, detected: Detected
) -> dict[str, tuple[list[str], list[str]]]:
    from ravenbench.text.splicing import Splicer

    table, rows = TextTable.collect([*known, *unknown])
    code = np.full(len(table), -1, dtype=np.int64)
    code[rows[: len(known)]] = author
    splicer = Splicer(table, author=code, detected=detected)
    usable: Bools = np.array([splicer.cut(int(row)).contents > 0 for row in rows[: len(known)]])
    if splicer.refusal is not None or len(np.unique(author[usable])) < author.max() + 1:
        return {}
    able = [np.flatnonzero(usable & (author == a)) for a in range(int(author.max()) + 1)]
    count = len(able) * -(-VERSIONS // len(able)) if len(able) <= 2 * VERSIONS else 2 * VERSIONS

    def pairs(places: Sequence[int], purpose: str, version: int) -> list[tuple[Any, list[Any]]]:
        made = []
        for n, place in enumerate(places):
            rng = stream(seed, purpose, n)
            donor = able[rng.permutation(len(able))[version % len(able)]]
            drawn = [
                int(row) for row in rng.permutation(donor)[:3] if rows[row] != rows[place]
            ] or [int(donor[0])]
            made.append(
                (splicer.cut(int(rows[place])), [splicer.cut(int(rows[row])) for row in drawn])
            )
        return made

    every = pairs(range(len(known)), "unknown-known", 0)
    for version in range(count):
        every += pairs(range(len(known), len(known) + len(unknown)), "unknown-versions", version)
    made = {way: [text.decode() for text in splicer.splice(every, way)] for way in BOTH}
    return {way: (texts[: len(known)], texts[len(known) :]) for way, texts in made.items()}


Ask = Callable[[Ints, Sequence[Sequence[str]]], Floats]
"""Scores of several calls' texts, one call after the other, by what learned from some rows of known texts."""


def each_apart(method: Any, p: Passages, store: Store, learned: list[Apart]) -> Ask:
    """Answer each call in a process that has learned and has seen no other call; ``learned`` collects what methods
    learned."""
    from sklearn.base import clone

    def ask(rows: Ints, calls: Sequence[Sequence[str]]) -> Floats:
        scores = np.full((sum(map(len, calls)), int(p.author.max()) + 1), np.nan)
        present = np.unique(p.author[rows])
        if len(present) < 2:
            return scores
        # Names of one width sort as the codes do.
        taught = [p.texts[i] for i in rows]
        names = [f"{p.author[i]:08d}" for i in rows]
        learned.append(
            Apart.learned(
                method, store, lambda _, *given: (clone(method).fit(*given), {}), taught, names
            )
        )
        done = 0
        for call in filter(len, calls):
            with learned[-1].process_for(store) as process:
                reply = process.ask(
                    lambda fitted, texts: (fitted, {"scores": np.asarray(fitted.scores(texts))}),
                    call,
                )
            scores[done : done + len(call), present] = reply["scores"]
            done += len(call)
        return scores

    return ask


def answered(method: Any, p: Passages, ask: Ask | None = None) -> dict[str, Floats]:
    """Return the arrays of a cell (see ``Passages``): scores with one column for each candidate, higher = this
    candidate; by default all calls are answered together."""
    from ravenbench.attribution.posterior import held_out, scored

    ask = ask or (
        lambda rows, calls: scored(method, p.texts, p.author, rows, [*chain.from_iterable(calls)])
    )
    n = len(p.texts)
    u = len(p.unknown)
    known = np.arange(len(p.texts))
    closed = np.full((n, int(p.author.max()) + 1), np.nan)
    arrays = {
        "closed": closed,
        **{f"{way}moved": closed.copy() for way in BOTH.values()},
        "parts": np.full((FOLDS, u, closed.shape[1]), np.nan),
    }
    for part in np.unique(p.part):
        out = np.flatnonzero(p.part == part)
        moved = [[texts[i] for i in out.tolist()] for texts, _ in p.replaced.values()]
        scores = ask(known[p.part != part], [[*(p.texts[i] for i in out), *p.unknown], *moved])
        closed[out], arrays["parts"][part], *of_moved = np.split(
            scores, np.cumsum([len(out), u, *map(len, moved)])[:-1]
        )
        for way, of_way in zip(p.replaced, of_moved, strict=True):
            arrays[f"{BOTH[way]}moved"][out] = of_way
    versions = [
        texts[at : at + u] for _, texts in p.replaced.values() for at in range(0, len(texts), u)
    ]
    final = ask(known, [list(p.unknown), *versions])
    arrays["unknown"] = final[:u]
    each = np.split(final[u:], len(BOTH))
    arrays |= {f"{way}versions": one for way, one in zip(BOTH.values(), each, strict=True)}
    arrays["absent"] = held_out(method, p.texts, p.author, p.away)
    if p.topic is not None:
        arrays["topic"] = held_out(method, p.texts, p.author, p.topic)
    return arrays


@dataclass(frozen=True)
class PassagesUnit(CellUnit):
    """A method that learns from parts of the known passages and answers the others, and learns from all and answers the
    unknown passages."""

    def learn(self, store: Store) -> tuple[dict[str, Floats], str | None]:
        """Return the scores, and why an outside method may know more than it was given (as ``CellRecord.exposed``)."""
        passages = open_passages(store, self.cells[0].fold)
        learned = list[Apart]()
        if isinstance(self.method, Component) and runs_program(self.method):
            return answered(self.method, passages), PROGRAM
        if not foreign(self.method):
            return answered(self.method, passages), None
        try:
            scores = answered(
                self.method, passages, each_apart(self.method, passages, store, learned)
            )
        except Unsendable:
            return answered(self.method, passages), why(self.method, store, None)
        return scores, next(filter(None, (why(self.method, store, one) for one in learned)), "")

    def answer(
        self, store: Store, learned: tuple[dict[str, Floats], str | None], place: CellPlace
    ) -> Filled:
        return learned[0], {}

    def exposed(self, store: Store, learned: tuple[dict[str, Floats], str | None]) -> str | None:
        return learned[1]

    def size(self, store: Store, place: CellPlace, filled: Any) -> int:
        return len(filled.get("unknown", ()))
