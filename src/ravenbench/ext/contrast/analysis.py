"""A contrast of two groups of texts, computed: which words each prefers, how surely, and what of it is topic.

That chosen words tell the very texts that chose them is no finding: units are left out in turn, a tenth at a time, and
their slices are placed by words that the others chose.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ravenbench.engine.pool import Progress, shown_by_default
from ravenbench.errors import CorpusError, InputError, counted, did_you_mean
from ravenbench.ext.contrast.spec import ContrastSpec
from ravenbench.ext.contrast.zeta import UnitCounts, by_chance, difference, eder, intervals, keyness, log_ratio
from ravenbench.ext.contrast.zeta import counted as added_up
from ravenbench.ext.map.analysis import Collection, read_texts
from ravenbench.ext.map.word_tables import WordTable, features_of, samples_of, stylo_words
from ravenbench.formats.documents import is_document, read_document
from ravenbench.randomness import stream
from ravenbench.statistics.estimates import percentiles
from ravenbench.text.splicing import Splicer
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Document, Floats, Ints, Labels

if TYPE_CHECKING:
    from scipy.sparse import csr_array

USUAL, PIECES, SHORTEST = 3_000, 6, 20
"""Words of a slice; slices that few texts give at least; fewest words of a slice that is chosen here."""
FEW_AUTHORS, FEW_TEXTS = 5, 5
"""Authors from which on intervals are over them; texts from which on a side's usual length is their median."""
LISTED = 500
"""Most words of a side that are listed, and looked at within topics."""
SHUFFLES, FEWEST_SPLITS, FOLDS = 200, 40, 10
FUNCTION, CONTENT, ONE_TEXT = "function word", "content word", "of one text"
HOLDS, TOPIC, UNCLEAR = "holds in topics", "topic", "unclear"


class Placed(NamedTuple):
    """A text whose slices were placed by words that others chose: shares of those preferred and of those avoided that
    a slice has, means, and how many slices are nearer to the primary side."""

    text: str
    side: str
    slices: int
    preferred: float
    avoided: float
    nearer: int


@dataclass(frozen=True, eq=False)
class ContrastSide:
    """One group: its texts in slices, ``unit`` (s,) of each slice for intervals, and what a unit is."""

    name: str
    documents: tuple[Document, ...]
    words: tuple[Sequence[str], ...]
    slices: tuple[Sequence[str], ...]
    text: Ints
    unit: Ints
    unit_name: str

    @property
    def units(self) -> int:
        """How many authors, texts or slices intervals are over."""
        return int(self.unit.max()) + 1


@dataclass(frozen=True, eq=False)
class ContrastAnalysis:
    """A contrast, computed; arrays are over ``words`` (w,), the most frequent first.

    ``shares`` (2, w) of the slices of both sides that have a word, and how many ``texts`` (2, w); ``zeta`` Craig's with
    ``bounds`` (2, w); ``eder``'s (NaN where one side alone has the word); ``burrows`` 1 and −1 for the words of his
    lists; ``keyness`` signed, and ``ratio`` of frequencies, log2; ``function`` words; ``within`` topics with bounds
    (3, w), NaN where not looked at. ``preferred`` and ``avoided`` are columns in order; ``chance`` the largest Zeta of
    a word that 95 % of shuffles do not exceed; ``right`` the mean of both sides' shares of slices that words chosen by
    others tell, with its interval.
    """

    spec: ContrastSpec
    sides: tuple[ContrastSide, ContrastSide]
    words: tuple[str, ...]
    frequencies: WordTable
    shares: Floats
    texts: Ints
    zeta: Floats
    bounds: Floats
    eder: Floats
    burrows: Ints
    keyness: Floats
    ratio: Floats
    function: Bools
    kept_by: str
    within: Floats
    preferred: Ints
    avoided: Ints
    chance: float | None
    right: tuple[float, tuple[float, float]] | None
    placed: tuple[Placed, ...]
    size: int
    notes: tuple[str, ...] = field(default=())

    def topical(self, word: int) -> str:
        """What is known of a word's topic: whether its preference holds within topics, or else its class; of several
        texts on a side, whether only one of them has it."""
        side = 0 if self.zeta[word] > 0 else 1
        if self.texts[side, word] == 1 < len(self.sides[side].documents):
            return ONE_TEXT
        value, low, high = self.within[:, word]
        if np.isfinite([value, low, high]).all():
            sure, much = low > 0 or high < 0, value / self.zeta[word] >= 0.5
            return HOLDS if sure and much else TOPIC if not (sure or much) or value * self.zeta[word] < 0 else UNCLEAR
        return FUNCTION if self.function[word] else CONTENT


def _texts_of(given: Any, reading: Mapping[str, Any]) -> Collection:
    if isinstance(given, str | Path) and Path(given).is_file() and is_document(Path(given)):
        name, one = Path(given).stem, read_document(given, reading.get("encoding"))
        return Collection(name, [Document(name, one.text, one.author or name)], [], {})
    return read_texts(given, reading)


def _groups(primary: Any, secondary: Any, corpus: Any, spec: ContrastSpec) -> tuple[list[Any], list[str]]:
    """Name and documents of both sides, and notes."""
    if corpus is not None:
        whole = _texts_of(corpus, spec.reading())
        labels = whole.column("by", spec.by)
        for name in filter(None, (primary, secondary)):
            if name not in labels:
                known = [label for label in dict.fromkeys(labels) if label is not None]
                raise InputError(f"no text has this {spec.by}", found=name, fix=did_you_mean(str(name), known))
        pairs = list(zip(whole.documents, labels, strict=True))
        others = {secondary} if secondary is not None else {*labels} - {primary, None}
        sides, notes = [(str(primary), [d for d, label in pairs if label == primary])], whole.notes
        sides.append((str(secondary or "all others"), [d for d, label in pairs if label in others]))
    elif secondary is None:
        raise InputError(
            "a contrast needs a second group of texts",
            fix="give two folders, or one corpus and a name: raven contrast NAME --corpus TEXTS",
        )
    else:
        read = [_texts_of(given, spec.reading()) for given in (primary, secondary)]
        sides, notes = [(one.name, one.documents) for one in read], [note for one in read for note in one.notes]
    if sides[0][0] == sides[1][0]:
        sides = [(f"{name} ({n})", documents) for n, (name, documents) in enumerate(sides, start=1)]
    both = {d.text for d in sides[0][1]} & {d.text for d in sides[1][1]}
    if both:
        raise CorpusError(f"{counted(len(both), 'text')} on both sides", fix="leave each text on one side only")
    return sides, notes


def _usual(lengths: Sequence[int]) -> int:
    """Words of a slice that suits a side: its texts' median, or a sixth of all words where there are few texts."""
    return sorted(lengths)[len(lengths) // 2] if len(lengths) >= FEW_TEXTS else sum(lengths) // PIECES


def _side(
    name: str, documents: Sequence[Document], words: Sequence[Sequence[str]], size: int, overlap: int
) -> ContrastSide:
    """The texts of at least a slice, in slices."""
    long = [i for i, own in enumerate(words) if len(own) >= size]
    if not long:
        raise CorpusError(
            f"no text of {name} has a slice", found=f"{max(map(len, words), default=0)} words at most",
            expected=f"{size} or more", fix="take shorter slices (--text-slice-length)",
        )  # fmt: skip
    rng = np.random.default_rng(0)
    cuts = [samples_of(words[i], "normal", size, overlap, 0, rng) for i in long]
    text = np.repeat(np.arange(len(long)), [len(own) for own in cuts])
    authors = Labels.of(documents[i].author or f"\0{i}" for i in long)
    if len(authors.names) >= FEW_AUTHORS:
        unit, unit_name = authors.codes[text], "author"
    elif len(long) > 1:
        unit, unit_name = text, "text"
    else:
        unit, unit_name = np.arange(len(text)), "slice"
    flat = tuple(cut for own in cuts for cut in own)
    return ContrastSide(
        name, tuple(documents[i] for i in long), tuple(words[i] for i in long), flat, text, unit, unit_name
    )


def _present(slices: Sequence[Sequence[str]], column: Mapping[str, int]) -> csr_array:
    """Which words stand in which slices, (s, w), as 0 and 1."""
    from scipy.sparse import csr_array

    rows = [sorted({column[word] for word in own if word in column}) for own in slices]
    bounds = np.cumsum([0, *map(len, rows)])
    flat = np.array([c for row in rows for c in row], dtype=np.int64)
    return csr_array((np.ones(len(flat)), flat, bounds), shape=(len(slices), len(column)))


def chosen(spec: ContrastSpec, p: Floats, q: Floats, key: Floats) -> tuple[Ints, Ints]:
    """Columns of the words preferred and of those avoided, the most so first, by ``spec.oppose_method``."""
    zeta = p - q
    if spec.oppose_method == "burrows.zeta":
        listed = _burrows(spec, p, q)
        wanted, order = [listed > 0, listed < 0], zeta
    else:
        order = {"craig.zeta": zeta, "eder.zeta": eder(p, q), "keyness": key}[spec.oppose_method]
        least = spec.zeta_filter_threshold
        by = zeta if spec.oppose_method == "keyness" else order
        wanted = [by > least, by < -least]
    ranked = [np.flatnonzero(one) for one in wanted]
    return tuple(  # type: ignore[return-value]
        own[np.argsort(-sign * order[own], kind="stable")] for own, sign in zip(ranked, (1, -1), strict=True)
    )


def _burrows(spec: ContrastSpec, p: Floats, q: Floats) -> Ints:
    least, most = spec.burrows_least, spec.burrows_most
    return ((p >= least) & (q <= most)).astype(np.int64) - ((q >= least) & (p <= most))


def analyse_contrast(
    primary: Any, secondary: Any, corpus: Any, test: Any, spec: ContrastSpec, progress: Progress | None = None
) -> ContrastAnalysis:
    """Everything that a contrast says. Raises InputError if the texts or a setting cannot be used."""
    progress = shown_by_default(progress)
    progress("reading texts", 0, 0)
    groups, notes = _groups(primary, secondary, corpus, spec)
    tokens = [[stylo_words(d.text, spec.corpus_lang, spec.preserve_case) for d in documents] for _, documents in groups]
    tokens = [[features_of(own, spec.analyzed_features, spec.ngram_size) for own in side] for side in tokens]
    usual = [max(SHORTEST, min(USUAL, _usual([len(own) for own in side]))) for side in tokens]
    size = spec.text_slice_length or min(usual)
    one, other = (
        _side(name, documents, words, size, spec.text_slice_overlap)
        for (name, documents), words in zip(groups, tokens, strict=True)
    )
    notes = [f"{note}." for note in notes]
    for side, (_, documents) in zip((one, other), groups, strict=True):
        if short := len(documents) - len(side.documents):
            notes.append(f"{counted(short, 'text')} of {side.name} left out: shorter than a slice of {size:,} words.")
    texts = [*one.words, *other.words]
    counts = [Counter(own) for own in texts]
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    ranked = sorted((w for w, c in total.items() if c > spec.rare_occurrences_threshold), key=lambda w: (-total[w], w))
    column = {word: i for i, word in enumerate(ranked)}
    sides = (one, other)
    present = [_present(side.slices, column) for side in sides]
    seen = np.flatnonzero(sum(np.asarray(part.sum(axis=0)).ravel() for part in present))
    if len(seen) < 2:
        raise CorpusError("the texts have too few words in common", found=len(seen), fix="give longer texts")
    # What stands behind the last slice alone has no share, as in stylo.
    words = tuple(ranked[i] for i in seen)
    present = [part[:, seen] for part in present]
    column = {word: i for i, word in enumerate(words)}
    table = np.zeros((len(texts), len(words)))
    for row, each in enumerate(counts):
        for word, count in each.items():
            if word in column:
                table[row, column[word]] = count
    lengths = np.array([len(own) for own in texts], dtype=float)
    first = len(one.documents)
    a, b = table[:first].sum(axis=0), table[first:].sum(axis=0)
    size_a, size_b = float(lengths[:first].sum()), float(lengths[first:].sum())
    key = keyness(a, b, size_a, size_b)
    in_texts = np.array([(own > 0).sum(axis=0) for own in (table[:first], table[first:])])
    units = [added_up(part, side.unit) for part, side in zip(present, sides, strict=True)]
    p, q = (each.share() for each in units)
    progress("intervals", 0, 0)
    bounds = intervals(units[0], units[1], spec.resamples, stream(spec.seed, "contrast"))
    preferred, avoided = chosen(spec, p, q, key)
    listed = np.concatenate([preferred[:LISTED], avoided[:LISTED]])
    progress("topics", 0, 0)
    within, shared = _within_topics(spec, sides, present, listed, len(words))
    everything = (*one.documents, *other.documents)
    function, kept_by = _function_words(spec, everything, words)
    if not shared:
        notes.append(
            "No topic has texts on both sides, so what is topic cannot be measured: content words may be topic, and "
            f"function words (chosen by {kept_by}) are the better evidence of style."
        )
    progress("words that others chose", 0, 0)
    placed, right = _placed(spec, sides, present, units, key)
    if test is not None:
        placed += _test(spec, sides, present, (p, q, key), column, test, size, notes)
    return ContrastAnalysis(
        spec, sides, words, WordTable(words, 100 * table / lengths[:, None]), np.array([p, q]), in_texts, p - q, bounds,
        eder(p, q), _burrows(spec, p, q), key, log_ratio(a, b, size_a, size_b), function, kept_by, within,
        preferred, avoided, _chance(spec, sides, units), right, tuple(placed), size, tuple(notes),
    )  # fmt: skip


def _function_words(spec: ContrastSpec, documents: Sequence[Document], words: Sequence[str]) -> tuple[Bools, str]:
    """Which of the words are function words only, and how these were chosen."""
    table, rows = TextTable.collect(d.text for d in documents)
    first = [int(np.flatnonzero(rows == row)[0]) for row in range(len(table))]
    author, topic = (Labels.of(getattr(documents[i], label) for i in first).codes for label in ("author", "topic"))
    # Of few words most would be among the most frequent.
    splicer = Splicer(table, min(spec.function_words, max(2, len(words) // 10)), author, topic)
    parts = [word.lower().replace("^", " ").replace("-", " ").split() for word in words]
    return np.array([all(part in splicer.functions for part in own) for own in parts]), splicer.by


def _within_topics(
    spec: ContrastSpec, sides: tuple[ContrastSide, ContrastSide], present: Sequence[csr_array], listed: Ints, width: int
) -> tuple[Floats, bool]:
    """Differences within shared topics and their bounds (3, w) of the words listed; and whether topics are shared."""
    within = np.full((3, width), np.nan)
    names = [{d.topic for d in side.documents} - {None} for side in sides]
    shared = sorted(topic for topic in names[0] & names[1] if topic is not None)
    if not shared or not len(listed):
        return within, bool(shared)
    parts = list[UnitCounts]()
    for side, part in zip(sides, present, strict=True):
        code = {topic: i for i, topic in enumerate(shared)}
        topic = np.array([code.get(d.topic or "", -1) for d in side.documents])[side.text]
        here = np.flatnonzero(topic >= 0)
        unit = np.unique(side.unit[here], return_inverse=True)[1]
        parts.append(added_up(part[here][:, listed], unit, topic[here], len(shared)))
    within[0, listed] = difference(parts[0], parts[1])
    within[1:, listed] = intervals(parts[0], parts[1], spec.resamples, stream(spec.seed, "contrast-topics"))
    return within, True


def _chance(spec: ContrastSpec, sides: tuple[ContrastSide, ContrastSide], units: Sequence[UnitCounts]) -> float | None:
    """What no word's Zeta exceeds in 95 % of shuffles; None where units differ in kind or are few."""
    splits = comb(sides[0].units + sides[1].units, sides[0].units)
    if sides[0].unit_name != sides[1].unit_name or splits < FEWEST_SPLITS:
        return None
    return float(np.percentile(by_chance(units[0], units[1], SHUFFLES, stream(spec.seed, "contrast-chance")), 95))


class _Words:
    """Lists of words, and where between the sides' means a slice stands by the shares of them that it has."""

    def __init__(self, spec: ContrastSpec, shares: tuple[Floats, Floats, Floats], present: Sequence[csr_array]) -> None:
        self.lists = chosen(spec, *shares)
        self.usable = all(len(own) for own in self.lists)
        if self.usable:
            means = [float(np.subtract(*self.has(part)).mean()) for part in present]
            self.middle = sum(means) / 2

    def has(self, present: csr_array) -> tuple[Floats, Floats]:
        """Shares (s,) of the words preferred, and of those avoided, that slices have."""
        preferred, avoided = (np.asarray(present[:, own].sum(axis=1)).ravel() / len(own) for own in self.lists)
        return preferred, avoided

    def place(self, side: str, names: Sequence[str], text: Ints, present: csr_array) -> tuple[list[Placed], Bools]:
        """Each text placed, and which slices are nearer to the primary side."""
        preferred, avoided = self.has(present)
        nearer = preferred - avoided > self.middle
        rows = [text == t for t in np.unique(text)]
        means = [
            (int(r.sum()), float(preferred[r].mean()), float(avoided[r].mean()), int(nearer[r].sum())) for r in rows
        ]
        return [Placed(names[t], side, *own) for t, own in zip(np.unique(text), means, strict=True)], nearer


def _placed(
    spec: ContrastSpec,
    sides: tuple[ContrastSide, ContrastSide],
    present: Sequence[csr_array],
    units: Sequence[UnitCounts],
    key: Floats,
) -> tuple[list[Placed], tuple[float, tuple[float, float]] | None]:
    """Every text placed by words that others chose, and the mean of both sides' shares of slices told apart."""
    if min(side.units for side in sides) < 2:
        return [], None
    right = [np.zeros(len(side.slices)) for side in sides]
    placed = list[Placed]()
    rng = stream(spec.seed, "contrast-folds")
    orders = [rng.permutation(side.units) for side in sides]
    for fold in range(min(FOLDS, max(side.units for side in sides))):
        out = [order[fold::FOLDS] for order in orders]
        away = [np.isin(side.unit, own) for side, own in zip(sides, out, strict=True)]
        p, q = (each.share(own) for each, own in zip(units, out, strict=True))
        listed = _Words(spec, (p, q, key), [part[~own] for part, own in zip(present, away, strict=True)])
        if not listed.usable:
            return [], None
        for n, (side, own) in enumerate(zip(sides, away, strict=True)):
            if own.any():
                names = [d.id for d in side.documents]
                texts, nearer = listed.place(side.name, names, side.text[own], present[n][own])
                placed += texts
                right[n][own] = nearer if n == 0 else ~nearer
    draws, value = np.zeros(spec.resamples), 0.0
    for side, hits in zip(sides, right, strict=True):
        sums, sizes = (np.bincount(side.unit, w) for w in (hits, np.ones(len(hits))))
        weights = rng.multinomial(side.units, np.full(side.units, 1 / side.units), size=spec.resamples)
        draws += (weights @ sums) / (weights @ sizes) / 2
        value += float(hits.mean()) / 2
    placed.sort(key=lambda one: (one.side != sides[0].name, one.text))
    return placed, (value, percentiles(draws, min(side.units for side in sides)))


def _test(
    spec: ContrastSpec, sides: tuple[ContrastSide, ContrastSide], present: Sequence[csr_array],
    shares: tuple[Floats, Floats, Floats], column: Mapping[str, int], test: Any, size: int, notes: list[str],
) -> list[Placed]:  # fmt: skip
    """Further texts placed by the words that all texts of both sides chose; a short one is a slice as it is."""
    documents = _texts_of(test, spec.reading()).documents
    listed = _Words(spec, shares, present)
    if not listed.usable:
        raise CorpusError("no words to place a text by", fix="lower --zeta-filter-threshold")
    placed = list[Placed]()
    for number, d in enumerate(documents):
        words = features_of(stylo_words(d.text, spec.corpus_lang, spec.preserve_case), spec.analyzed_features,
                            spec.ngram_size)  # fmt: skip
        cuts = samples_of(words, "normal", size, spec.text_slice_overlap, 0, np.random.default_rng(0))
        if not cuts:
            cuts = [words]
            notes.append(
                f"{d.id} has {len(words):,} words, less than a slice, and so fewer of the words of either side."
            )
        text = np.full(len(cuts), number)
        placed += listed.place("test", [each.id for each in documents], text, _present(cuts, column))[0]
    return placed
