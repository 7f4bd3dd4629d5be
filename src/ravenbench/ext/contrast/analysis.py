"""Contrasts two groups of texts: which words each prefers, how certain this is, and which words are topic.

In: ``analyse_contrast``: two groups of texts (paths or texts in Python; where a corpus is given too, values of its
column ``by``), a corpus or None, texts to test or None, and a ``ContrastSpec``; ``repeated``: two lists of documents.
Out: a ``ContrastAnalysis``: ``words``, a data frame with one row a word (zeta −1 to 1 with 95 % interval, above 0 =
primary; signed G²; log ratio base 2; shares of slices 0 to 1; null = undefined); ``placed``, one ``Placed`` a text
(shares of words 0 to 1, counts of slices). InputError, also CorpusError, if texts or a setting cannot be used.
``preview_contrast``: counts alone; ``repeated``: by place from 0, the document that is repeated; ``chosen``: columns
from 0.

Words always separate the texts that chose them. Therefore a tenth of the units is left out in turn, and their slices
are placed by words that the other units chose.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ravenbench.engine.pool import Progress, shown_by_default
from ravenbench.engine.task import Preview
from ravenbench.errors import CorpusError, InputError, counted, did_you_mean, first_names
from ravenbench.ext.contrast.spec import ContrastSpec
from ravenbench.ext.contrast.zeta import (
    UnitCounts,
    added_up,
    burrows,
    by_chance,
    difference,
    eder,
    intervals,
    keyness,
    log_ratio,
)
from ravenbench.ext.map.analysis import splicer_of
from ravenbench.ext.map.spec import NO_WORDS
from ravenbench.ext.map.word_tables import WordTable, features_of, samples_of, stylo_words, units_of
from ravenbench.randomness import stream
from ravenbench.reading.by_author import read_collection
from ravenbench.statistics.estimates import percentiles
from ravenbench.text.common_words import FOREIGN, CommonWords, coverage
from ravenbench.text.content_words import closed_class
from ravenbench.text.copies import Copies, Sketch
from ravenbench.text.names import lookalikes, name_key
from ravenbench.types import Bools, Document, Floats, Interval, Ints, Labels

if TYPE_CHECKING:
    import polars as pl
    from scipy.sparse import csr_array

USUAL = 3_000
PIECES = 6
SHORTEST = 20
"""Words in a slice; fewest slices of a side with few texts; fewest words in a slice whose length Raven chooses."""
FEW = 5
"""Fewest authors for intervals over authors; fewest texts for the median as a side's usual length."""
LISTED = 500
"""Most words of a side that Raven examines within topics."""
COUNTED = 5_000
"""Number of words in the tables of frequencies, as in stylo."""
SHUFFLES = 200
FEWEST_SPLITS = 40
FOLDS = 10
FUNCTION = "function word"
FREQUENT = "frequent word"
CONTENT = "content word"
ONE_TEXT = "of one text"
HOLDS = "persists in topics"
TOPIC = "topic"
UNCLEAR = "unclear"
FIRST = "primary"
SECOND = "secondary"


class Placed(NamedTuple):
    """A text whose slices were placed by words that other texts chose: mean proportions (0 to 1) of the preferred and
    of the avoided words that a slice has, the number of ``slices``, and how many are nearer to the primary side."""

    text: str
    side: str
    slices: int
    preferred: float
    avoided: float
    nearer: int


@dataclass(frozen=True, eq=False)
class ContrastSide:
    """One group: its texts as words, cut into s slices; ``text`` and ``unit`` (s,) number each slice's text and unit; a
    unit is an author, a text or a slice."""

    name: str
    documents: tuple[Document, ...]
    words: tuple[Sequence[str], ...]
    slices: tuple[Sequence[str], ...]
    text: Ints
    unit: Ints
    unit_name: str

    @property
    def units(self) -> int:
        """Number of authors, texts or slices over which intervals are computed."""
        return int(self.unit.max()) + 1


@dataclass(frozen=True, eq=False)
class ContrastAnalysis:
    """The result of a contrast.

    ``words`` has a row a word, the most frequent first: Craig's ``zeta`` (−1 to 1) with its 95 % interval, ``eder``'s
    (null if only one side has the word), the side whose list of ``burrows`` contains it, ``keyness`` (G²) signed,
    ``log_ratio`` (base 2) of frequencies, shares of slices (0 to 1) and numbers of texts of both sides, zeta
    ``within_topics``, ``function_word``, ``kind``, the side that ``prefers`` it, and its ``rank`` there. ``chance``: in
    95 % of shuffles no word's zeta exceeds it. ``right``: proportion (0 to 1) of slices placed correctly by words that
    others chose (mean of both sides), with its interval. ``size``: words in a slice.
    """

    spec: ContrastSpec
    sides: tuple[ContrastSide, ContrastSide]
    words: pl.DataFrame
    frequencies: WordTable
    kept_by: str
    chance: float | None
    right: tuple[float, Interval] | None
    placed: tuple[Placed, ...]
    size: int
    notes: tuple[str, ...]


def _label(name: str, labels: Sequence[str | None], by: str) -> str:
    """The label of that name, or the only one with it before a comma or as last word there, in any case of letters."""
    known = [label for label in dict.fromkeys(labels) if label]
    before = {label: label.partition(",")[0].casefold() for label in known}
    wanted = name.casefold()
    fitting = [
        label
        for label in known
        if wanted in (label.casefold(), before[label], before[label].rpartition(" ")[2])
    ]
    if name not in known and len(fitting) > 1:
        raise InputError(
            f"several values of {by} match this name",
            found=name,
            expected=f"one of {'; '.join(fitting)}",
        )
    if name not in known and not fitting:
        raise InputError(f"no text with this {by}", found=name, fix=did_you_mean(name, known))
    return name if name in known else fitting[0]


def preview_contrast(
    primary: Any, secondary: Any, corpus: Any, spec: ContrastSpec, out: str
) -> Preview:
    """Return what a contrast would compare. Raises InputError if the texts cannot be used."""
    groups, notes = _groups(primary, secondary, corpus, spec)
    sizes = (f"{name}: {counted(len(documents), 'text')}." for name, documents in groups)
    return Preview("contrast", out, {}, 0, 0, 0, (*sizes, *notes))


def _groups(
    primary: Any, secondary: Any, corpus: Any, spec: ContrastSpec
) -> tuple[list[Any], list[str]]:
    """Name and documents of both sides, and notes."""
    if corpus is not None:
        whole = read_collection(corpus, spec.reading(), single=True)
        labels = whole.column("by", spec.by)
        given = primary, secondary
        primary, secondary = (
            name if name in (None, "") else _label(str(name), labels, spec.by) for name in given
        )
        pairs = list(zip(whole.documents, labels, strict=True))
        others = {secondary} if secondary is not None else {*labels} - {primary, None}
        meant = [
            f"{one} is taken as {name}"
            for one, name in zip(given, (primary, secondary), strict=True)
            if one != name
        ]
        sides = [(str(primary), [d for d, label in pairs if label == primary])]
        notes = [*meant, *whole.notes]
        sides.append((str(secondary or "all others"), [d for d, label in pairs if label in others]))
        rest = Counter(
            label or f"no {spec.by}" for label in labels if label != primary and label not in others
        )
        if rest:
            named = first_names([f"{label} ({count})" for label, count in rest.most_common()])
            notes.append(f"{counted(rest.total(), 'text')} of neither group left out: {named}")
    elif secondary is None:
        fix = "give two folders, or one corpus and a name: raven contrast NAME --corpus TEXTS"
        raise InputError("raven contrast needs a second group of texts", fix=fix)
    else:
        read = [
            read_collection(given, spec.reading(), single=True) for given in (primary, secondary)
        ]
        sides = [(one.name, one.documents) for one in read]
        notes = [note for one in read for note in one.notes]
        mine, theirs = (
            {name_key(d.author): d.author for d in one.documents if d.author} for one in read
        )
        alike = [theirs[key] for key in mine if key in theirs]
        for group in lookalikes([*mine.values(), *theirs.values()]):
            alike += [" / ".join(group)] * all(
                {*group} & {*side.values()} for side in (mine, theirs)
            )
        notes += [f"authors who may have texts on both sides: {first_names(alike)}"] * bool(alike)
    if sides[0][0] == sides[1][0]:
        sides = [(f"{name} ({n})", documents) for n, (name, documents) in enumerate(sides, start=1)]
    documents = [own for _, own in sides]
    if both := repeated(documents[0], documents[1], whole=True):
        raise CorpusError(
            f"{counted(len(both), 'text')} on both sides",
            found=_named(both, documents[1]),
            fix="leave each text on one side only",
        )
    if both := repeated(documents[0], documents[1]):
        notes.append(
            f"{counted(len(both), 'text')} on both sides with small changes:"
            f" {_named(both, documents[1])}"
        )
    return sides, [f"{note}." for note in notes]


def repeated(
    documents: Sequence[Document], others: Sequence[Document], whole: bool = False
) -> dict[int, Document]:
    """Return by position the texts of the second list that repeat a text of the first, and which, even if marks or an
    end were changed; ``whole``: allow only changes of marks and letter case."""
    copies = Copies.among([Sketch.of(d.text) for d in (*documents, *others)])
    sources = enumerate((copies.first if whole else copies.sources())[len(documents) :])
    return {place: documents[source] for place, source in sources if source < len(documents)}


def _named(pairs: Mapping[int, Document], others: Sequence[Document]) -> str:
    return first_names([f"{one.id} and {others[place].id}" for place, one in pairs.items()])


def _features(spec: ContrastSpec, document: Document) -> list[str]:
    words = stylo_words(document.text, spec.corpus_lang, spec.preserve_case)
    return features_of(
        units_of(document.text, words, spec.analyzed_features),
        spec.analyzed_features,
        spec.ngram_size,
    )


def _cuts(words: Sequence[str], size: int, overlap: int) -> list[Sequence[str]]:
    return samples_of(words, "normal", size, overlap, 0, np.random.default_rng(0))


def _usual(lengths: Sequence[int]) -> int:
    """Words of a slice that suits a side: its texts' median, or a sixth of all words where there are few texts."""
    usual = sorted(lengths)[len(lengths) // 2] if len(lengths) >= FEW else sum(lengths) // PIECES
    return max(SHORTEST, min(USUAL, usual))


def _side(
    name: str, documents: Sequence[Document], words: Sequence[Any], size: int, overlap: int
) -> ContrastSide:
    """The texts of at least a slice, in slices."""
    long = [i for i, own in enumerate(words) if len(own) >= size]
    if not long:
        raise CorpusError(
            f"no text of {name} is as long as a slice",
            found=f"at most {max(map(len, words), default=0)} words",
            expected=f"{size} or more",
            fix="take shorter slices (--text-slice-length)",
        )
    cuts = [_cuts(words[i], size, overlap) for i in long]
    flat = tuple(cut for own in cuts for cut in own)
    text = np.repeat(np.arange(len(long)), [len(own) for own in cuts])
    authors = Labels.of(documents[i].author or f"\0{i}" for i in long)
    unit, unit_name = (text, "text") if len(long) > 1 else (np.arange(len(text)), "slice")
    if len(authors.names) >= FEW and _authored([documents[i] for i in long]):
        unit = authors.codes[text]
        unit_name = "author"
    return ContrastSide(
        name,
        tuple(documents[i] for i in long),
        tuple(words[i] for i in long),
        flat,
        text,
        unit,
        unit_name,
    )


def _authored(documents: Sequence[Document]) -> bool:
    """Whether somebody said who wrote the texts: where each is called as its author is, nobody did."""
    return any(d.author not in (None, d.id) for d in documents)


def _table(counts: Sequence[Mapping[str, int]], column: Mapping[str, int]) -> csr_array:
    """Counts of words, (n, w), sparse."""
    from scipy.sparse import csr_array

    rows = [
        [(column[word], count) for word, count in own.items() if word in column] for own in counts
    ]
    places, values = (
        np.array([pair for row in rows for pair in row], dtype=np.int64).reshape(-1, 2).T
    )
    bounds = np.cumsum([0, *map(len, rows)])
    return csr_array((values.astype(float), places, bounds), shape=(len(counts), len(column)))


def _present(slices: Sequence[Sequence[str]], column: Mapping[str, int]) -> csr_array:
    """Which words stand in which slices, (s, w), as 0 and 1."""
    return _table([dict.fromkeys(own, 1) for own in slices], column)


def _added(table: Any) -> Floats:
    return np.asarray(table.sum(axis=0), dtype=np.float64).ravel()


def chosen(
    spec: ContrastSpec, p: Floats, q: Floats, key: Floats | None = None
) -> tuple[Ints, Ints]:
    """Return the columns of the preferred and of the avoided words, the strongest first, by ``spec.oppose_method``;
    ``p`` and ``q`` (w,) are the proportions of slices (0 to 1) with each word on the primary and secondary side."""
    zeta = p - q
    least = spec.zeta_filter_threshold
    order = eder(p, q) if spec.oppose_method == "eder.zeta" else zeta
    if spec.oppose_method == "burrows.zeta":
        lists = burrows(p, q)
        wanted = [lists > 0, lists < 0]
    else:
        wanted = [order > least, order < -least]
    if spec.oppose_method == "keyness" and key is not None:
        order = key
    first, second = (np.flatnonzero(one) for one in wanted)
    return (
        first[np.argsort(-order[first], kind="stable")],
        second[np.argsort(order[second], kind="stable")],
    )


def analyse_contrast(
    primary: Any,
    secondary: Any,
    corpus: Any,
    test: Any,
    spec: ContrastSpec,
    progress: Progress | None = None,
) -> ContrastAnalysis:
    """Compute a contrast. Raises InputError if the texts or a setting cannot be used."""
    progress = shown_by_default(progress)
    progress("reading texts", 0, 0)
    groups, notes = _groups(primary, secondary, corpus, spec)
    features = [[_features(spec, d) for d in documents] for _, documents in groups]
    size = spec.text_slice_length or min(_usual([len(own) for own in side]) for side in features)
    one, other = (
        _side(name, documents, own, size, spec.text_slice_overlap)
        for (name, documents), own in zip(groups, features, strict=True)
    )
    sides = (one, other)
    for side, (_, documents) in zip(sides, groups, strict=True):
        if short := len(documents) - len(side.documents):
            notes.append(
                f"{counted(short, 'text')} of {side.name} left out, because of fewer than {size:,}"
                " words (a slice)."
            )
        if side.unit_name == "text" and len(side.documents) >= FEW and _authored(documents):
            left, every = (len({d.author for d in some}) for some in (side.documents, documents))
            notes.append(
                f"Of {counted(every, 'author')} of {side.name}, {left:,} wrote texts as long as a "
                f"slice, fewer than {FEW}. Intervals are therefore over texts, and too narrow if "
                f"one author wrote several"
                + (": take shorter slices (--text-slice-length)." if every >= FEW else ".")
            )
        elif side.unit_name == "text" and len(side.documents) >= FEW:
            notes.append(
                f"Raven does not know who wrote the texts of {side.name}. Intervals are therefore "
                f"over texts, and too narrow if one author wrote several: give each author a "
                f"folder, or name files Author_Title.txt."
            )
    progress("counting words", 0, 0)
    counts = [Counter(own) for own in (*one.words, *other.words)]
    total = Counter[str]()
    for each in counts:
        total.update(each)
    ranked = sorted(
        (w for w, c in total.items() if c > spec.rare_occurrences_threshold),
        key=lambda w: (-total[w], w),
    )
    # A word that stands behind the last slices alone has no share, as in stylo.
    inside = {word for side in sides for cut in side.slices for word in cut}
    words = [word for word in ranked if word in inside]
    if len(words) < 2:
        raise CorpusError(
            "the texts have too few words in common", found=len(words), fix="give longer texts"
        )
    column = {word: i for i, word in enumerate(words)}
    present = [_present(side.slices, column) for side in sides]
    table = _table(counts, column)
    lengths = np.array([len(own) for own in (*one.words, *other.words)], dtype=float)
    parts = [slice(len(one.documents)), slice(len(one.documents), None)]
    (a, b), sizes = (
        [_added(table[part]) for part in parts],
        [float(lengths[part].sum()) for part in parts],
    )
    key = keyness(a, b, *sizes)
    units = [added_up(part, side.unit) for part, side in zip(present, sides, strict=True)]
    p, q = (each.share() for each in units)
    lists = chosen(spec, p, q, key)
    progress("intervals", 0, 0)
    bounds = intervals(units[0], units[1], spec.resamples, stream(spec.seed, "contrast"))
    within, shared = _within_topics(
        spec, sides, present, np.concatenate([own[:LISTED] for own in lists]), len(words)
    )
    classes, kept_by = _classes(spec, (*one.documents, *other.documents), words)
    if not shared:
        better = "function words" if FUNCTION in classes else "frequent words"
        notes.append(
            "No topic has texts on both sides, so Raven cannot measure which words are topic"
            + (
                f": content words may be topic; {better} are better evidence of style."
                if spec.analyzed_features not in NO_WORDS
                else "."
            )
        )
    progress("words that others chose", 0, 0)
    placed, right = _placed(spec, sides, present, units)
    if test is not None:
        placed += _test(
            _Words(lists, present),
            spec,
            column,
            test,
            size,
            notes,
            [d for s in sides for d in s.documents],
            [d for _, documents in groups for d in documents],
        )
    texts = [_added(table[part] > 0).astype(np.int64) for part in parts]
    frame = _frame(
        words, sides, (p, q), bounds, key, log_ratio(a, b, *sizes), texts, within, classes, lists
    )
    percent = 100 * table[:, :COUNTED].toarray() / lengths[:, None]
    return ContrastAnalysis(
        spec,
        sides,
        frame,
        WordTable(tuple(words[:COUNTED]), percent),
        kept_by,
        _chance(spec, sides, units),
        right,
        tuple(placed),
        size,
        tuple(notes),
    )


def _frame(
    words: Sequence[str],
    sides: tuple[ContrastSide, ContrastSide],
    shares: tuple[Floats, Floats],
    bounds: Floats,
    key: Floats,
    ratio: Floats,
    texts: Sequence[Ints],
    within: Floats,
    classes: Sequence[str],
    lists: tuple[Ints, Ints],
) -> pl.DataFrame:
    import polars as pl

    zeta = shares[0] - shares[1]
    prefers = np.full(len(words), "", dtype=object)
    rank = np.zeros(len(words), dtype=np.int64)
    for name, own in zip((FIRST, SECOND), lists, strict=True):
        prefers[own] = name
        rank[own] = np.arange(1, len(own) + 1)
    side = (zeta < 0).astype(int)
    alone = np.array(texts)[side, np.arange(len(words))] == 1
    alone &= np.array([len(s.documents) > 1 for s in sides])[side]
    kinds = [_kind(*each) for each in zip(zeta, *within, alone, classes, strict=True)]
    listed = np.array(["", FIRST, SECOND])[burrows(*shares)]
    columns = {
        "word": list(words),
        "zeta": zeta,
        "zeta low": bounds[0],
        "zeta high": bounds[1],
        "eder": eder(*shares),
        "burrows": listed,
        "keyness": key,
        "log_ratio": ratio,
        FIRST: shares[0],
        SECOND: shares[1],
        "texts primary": texts[0],
        "texts secondary": texts[1],
        "within_topics": within[0],
        "within_topics low": within[1],
        "within_topics high": within[2],
        "function_word": [one == FUNCTION for one in classes],
        "kind": kinds,
        "prefers": list(prefers),
        "rank": rank,
    }
    return pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))


def _kind(zeta: float, within: float, low: float, high: float, alone: bool, class_name: str) -> str:
    """What is known of a word's topic: whether its preference holds within topics, or else its class."""
    if alone:
        return ONE_TEXT
    if np.isfinite([within, low, high]).all():
        sure = low > 0 or high < 0
        much = within / zeta >= 0.5
        return (
            HOLDS
            if sure and much
            else TOPIC
            if not (sure or much) or within * zeta < 0
            else UNCLEAR
        )
    return class_name


def _classes(
    spec: ContrastSpec, documents: Sequence[Document], words: Sequence[str]
) -> tuple[list[str], str]:
    """The class of each word, and how frequent words were chosen; function words are those of the language's list."""
    # Of few words most would be among the most frequent.
    splicer = splicer_of(documents, min(spec.function_words, max(2, len(words) // 10)))
    parts = [word.lower().replace("^", " ").replace("-", " ").split() for word in words]
    listed = closed_class(splicer.ranked)
    both = listed | splicer.functions
    steps = (CONTENT, FREQUENT, FUNCTION)
    classes = [
        steps[both.issuperset(own) + (own != [] and listed.issuperset(own))] for own in parts
    ]
    if (kind := spec.analyzed_features) in NO_WORDS:
        classes = [NO_WORDS[kind]] * len(words)
    return classes, splicer.by.split(" and ")[0]


def _within_topics(
    spec: ContrastSpec,
    sides: tuple[ContrastSide, ContrastSide],
    present: Sequence[csr_array],
    listed: Ints,
    width: int,
) -> tuple[Floats, bool]:
    """Differences within shared topics and their bounds (3, w) of the words listed; and whether topics are shared."""
    within = np.full((3, width), np.nan)
    names = [{d.topic for d in side.documents if d.topic is not None} for side in sides]
    code = {topic: i for i, topic in enumerate(sorted(names[0] & names[1]))}
    if code and len(listed):
        parts = list[UnitCounts]()
        for side, part in zip(sides, present, strict=True):
            topic = np.array([code.get(d.topic or "", -1) for d in side.documents])[side.text]
            here = np.flatnonzero(topic >= 0)
            unit = np.unique(side.unit[here], return_inverse=True)[1]
            parts.append(added_up(part[here][:, listed], unit, topic[here], len(code)))
        within[0, listed] = difference(parts[0], parts[1])
        within[1:, listed] = intervals(
            parts[0], parts[1], spec.resamples, stream(spec.seed, "contrast-topics")
        )
    return within, bool(code)


def _chance(
    spec: ContrastSpec, sides: Sequence[ContrastSide], units: Sequence[UnitCounts]
) -> float | None:
    """What no word's Zeta exceeds in 95 % of shuffles; None where units differ in kind or are few."""
    splits = comb(sides[0].units + sides[1].units, sides[0].units)
    if sides[0].unit_name != sides[1].unit_name or splits < FEWEST_SPLITS:
        return None
    return float(
        np.percentile(
            by_chance(units[0], units[1], SHUFFLES, stream(spec.seed, "contrast-chance")), 95
        )
    )


class _Words:
    """Lists of words, and where between the sides' means a slice stands by the shares of them that it has."""

    def __init__(self, lists: tuple[Ints, Ints], present: Sequence[csr_array]) -> None:
        self.lists = lists
        self.usable = all(len(own) for own in lists)
        if self.usable:
            self.middle = sum(float(np.subtract(*self.has(part)).mean()) for part in present) / 2

    def has(self, present: csr_array) -> tuple[Floats, Floats]:
        """Shares (s,) of the words preferred, and of those avoided, that slices have."""
        preferred, avoided = (
            np.asarray(present[:, own].sum(axis=1)).ravel() / len(own) for own in self.lists
        )
        return preferred, avoided

    def place(
        self, side: str, names: Sequence[str], text: Ints, present: csr_array
    ) -> tuple[list[Placed], Bools]:
        """Each text placed, and which slices are nearer to the primary side."""
        preferred, avoided = self.has(present)
        nearer = preferred - avoided > self.middle
        placed = list[Placed]()
        for t in np.unique(text):
            own = text == t
            means = float(preferred[own].mean()), float(avoided[own].mean())
            placed.append(Placed(names[t], side, int(own.sum()), *means, int(nearer[own].sum())))
        return placed, nearer


def _placed(
    spec: ContrastSpec,
    sides: tuple[ContrastSide, ContrastSide],
    present: Sequence[csr_array],
    units: Sequence[UnitCounts],
) -> tuple[list[Placed], tuple[float, Interval] | None]:
    """Every text placed by words that others chose, and the mean of both sides' shares of slices told apart."""
    placed = list[Placed]()
    rng = stream(spec.seed, "contrast-folds")
    right = [np.zeros(len(side.slices)) for side in sides]
    orders = [rng.permutation(side.units) for side in sides]
    fewest = min(side.units for side in sides)
    for fold in range(min(FOLDS, max(side.units for side in sides))):
        out = [order[fold::FOLDS] for order in orders]
        away = [np.isin(side.unit, own) for side, own in zip(sides, out, strict=True)]
        p, q = (
            each.share(own) if fewest > 1 else each.share()
            for each, own in zip(units, out, strict=True)
        )
        words = _Words(
            chosen(spec, p, q), [part[~own] for part, own in zip(present, away, strict=True)]
        )
        if fewest < 2 or not words.usable:
            return [], None
        for n, (side, own) in enumerate(zip(sides, away, strict=True)):
            if own.any():
                texts, nearer = words.place(
                    side.name, [d.id for d in side.documents], side.text[own], present[n][own]
                )
                placed += texts
                right[n][own] = nearer if n == 0 else ~nearer
    draws = np.zeros(spec.resamples)
    for side, hits in zip(sides, right, strict=True):
        sums, sizes = (np.bincount(side.unit, w) for w in (hits, np.ones(len(hits))))
        weights = rng.multinomial(
            side.units, np.full(side.units, 1 / side.units), size=spec.resamples
        )
        draws += (weights @ sums) / (weights @ sizes) / 2
    placed.sort(key=lambda one: (one.side != sides[0].name, one.text))
    return placed, (sum(float(hits.mean()) for hits in right) / 2, percentiles(draws, fewest))


def _test(
    chosen_words: _Words,
    spec: ContrastSpec,
    column: Mapping[str, int],
    test: Any,
    size: int,
    notes: list[str],
    learned: Sequence[Document],
    short: Sequence[Document],
) -> list[Placed]:
    """Further texts placed by the words that all texts of both sides chose; a short one is a slice as it is. Those that
    repeat one of these texts, or are unlike them all, have no place."""
    if not chosen_words.usable:
        raise CorpusError(
            "there are no words by which to place a text", fix="lower --zeta-filter-threshold"
        )
    placed = list[Placed]()
    documents = read_collection(test, spec.reading(), single=True).documents
    copies = repeated([*learned, *short], documents)
    usual = CommonWords.of(d.text for d in learned)
    for place, d in enumerate(documents):
        if place in copies:
            chose = any(copies[place] is one for one in learned)
            why = (
                "from which the words were chosen"
                if chose
                else "a text of a side that is too short and left out"
            )
            notes.append(f"{d.id} repeats {copies[place].id}, {why}: Raven does not place it.")
            continue
        if (share := coverage(d.text, usual.words)) < FOREIGN * usual.usual:
            notes.append(
                f"{d.id} differs from the texts of both sides in language or kind ({share:.0%} of"
                " its words are among their most frequent words; of their own words,"
                f" {usual.usual:.0%}): Raven does not place it."
            )
            continue
        words = _features(spec, d)
        cuts = _cuts(words, size, spec.text_slice_overlap)
        if not cuts:
            cuts = [words]
            notes.append(
                f"{d.id} has {len(words):,} words, less than a slice, and therefore fewer words of"
                " either side."
            )
        placed += chosen_words.place(
            "test", [d.id], np.zeros(len(cuts), np.int64), _present(cuts, column)
        )[0]
    return placed
