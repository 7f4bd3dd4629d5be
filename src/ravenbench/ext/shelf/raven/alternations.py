"""Scores by alternations (``Alternations``): which of several possible forms a writer chooses (ours).

In: ``Problems`` (n) and, for ``fit``, their truth (n,) bool, True = same author. For ``counted`` texts.
Out: raw scores (n,), log10 likelihood ratios, unbounded, higher = same author; ``ratios`` (n, alternations), what each
alternation adds to the score, 0 if one side had no choice; ``explained`` the same for one case as a ``Choice`` each,
with counts; ``counted`` counts (texts, forms). CorpusError for fewer than two authors, SpecError for a parameter, when it
is made.

An alternation is a choice between forms with about the same meaning: *do not* or *don't*, *until* or *till*, one space
between sentences or two, *But* at the start of a sentence or after a comma. How often an author uses each form is a
draw from a Dirichlet distribution, whose mean and strength are those of the training authors. The ratio is how much
likelier the questioned text's choices are from the author of the known texts (whose choices are counted) than from a
randomly drawn author (both Dirichlet-multinomial). Alternations without an opportunity add nothing.

The table (``alternations_en.txt``) is English so far; in other languages, only its marks are useful.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import chain, product
from typing import NamedTuple, Self

import numpy as np

from ravenbench.ext.shelf.published.impostors import Background
from ravenbench.texts import content_hash
from ravenbench.types import Bools, Floats, Problems, Size
from ravenbench.verifiers.contract.base import Scorer

GROUPS = ("contractions", "words", "sentences", "marks")
STRENGTHS = np.exp(np.linspace(-3, 6, 37))
"""Strengths to try: the larger, the more similar authors are."""
USUAL, SPREAD = 1.0, 1.5
"""Prior mean and deviation of the logarithm of a strength."""
ENOUGH = 10.0
"""Number of choices after which further choices of a text count less and less, because they are not independent."""
TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|\n\s*\n|[^\w\s]")
LONGEST = 4
"""Number of tokens of the longest sequence."""
RECENT = 4096
"""Maximum number of texts whose counts are stored, by their hash: known texts and training texts are used again."""


class Alternatives(NamedTuple):
    """The alternations, in order: ``names``, ``forms`` (the name of each form), ``group`` (for each alternation its
    place in ``GROUPS``), ``bounds`` (where the forms of each begin; one more for the end), ``sequences`` (the forms of
    each sequence of tokens) and ``patterns`` (the forms of regular expressions)."""

    names: tuple[str, ...]
    forms: tuple[str, ...]
    group: tuple[int, ...]
    bounds: tuple[int, ...]
    sequences: dict[tuple[str, ...], list[int]]
    patterns: list[tuple[int, re.Pattern[str]]]


class Choice(NamedTuple):
    """An alternation in which both sides of a case chose: its forms, how often each occurs in the questioned and in the
    known texts, its share (0 to 1) among others, and the log10 ratio of all this, above 0 for the same author."""

    name: str
    forms: tuple[str, ...]
    questioned: tuple[int, ...]
    known: tuple[int, ...]
    others: tuple[float, ...]
    log10: float


@cache
def table() -> Alternatives:
    """Return the alternations of English."""
    text = (files(__package__) / "alternations_en.txt").read_text("utf-8")
    heads = list[str]()
    bounds = list[int]()
    sequences = dict[tuple[str, ...], list[int]]()
    patterns = list[tuple[int, re.Pattern[str]]]()
    named = list[str]()
    for line in text.split("\n"):
        form = len(named)
        if line.startswith("= "):
            heads.append(line[2:])
            bounds.append(form)
            continue
        if not line or line.startswith("# ") or not heads:
            continue
        if line.startswith("re "):
            name, pattern = line.removeprefix("re ").split(" := ", 1)
            named.append(name)
            patterns.append((form, re.compile(pattern)))
        else:
            named.append(_called(line.split(" | ")[0]))
            for sequence in line.split(" | "):
                # A stroke alone is the mark itself.
                parts = [part.split("/") if part != "/" else ["/"] for part in sequence.split(" ")]
                for tokens in product(*parts):
                    sequences.setdefault(tokens, []).append(form)
    groups, names = zip(*(head.split(": ", 1) for head in heads), strict=True)
    return Alternatives(
        names,
        tuple(named),
        tuple(map(GROUPS.index, groups)),
        (*bounds, len(named)),
        sequences,
        patterns,
    )


def _called(sequence: str) -> str:
    """What a form is called: the first words of a sequence."""
    name = " ".join(part.split("/")[0] or part for part in sequence.split(" "))
    shown = re.sub(r"\bi\b", "I", name).replace("~", "…").replace("§", "empty lines")
    return shown.removeprefix("^ ").capitalize() if shown.startswith("^") else shown


def counted(texts: Sequence[str]) -> Floats:
    """Return how often each text uses each form, (texts, forms)."""
    rows = []
    for text in texts:
        key = content_hash(text)
        if key not in _recent:
            if len(_recent) >= RECENT:
                _recent.clear()
            _recent[key] = _counts_of(text)
        rows.append(_recent[key])
    return np.array(rows).reshape(len(texts), table().bounds[-1])


_recent: dict[bytes, Floats] = {}


def _counts_of(text: str) -> Floats:
    alternations = table()
    counts = np.zeros(alternations.bounds[-1])
    times_of = Counter(filter(alternations.sequences.__contains__, _sequences(text)))
    for tokens, times in times_of.items():
        counts[alternations.sequences[tokens]] += times
    for form, pattern in alternations.patterns:
        counts[form] += len(pattern.findall(text))
    return counts


def _sequences(text: str) -> Iterator[tuple[str, ...]]:
    """All sequences of tokens, and those whose first or last is any word."""
    tokens = ["^"]
    for piece in TOKEN.findall(text):
        tokens.append("§" if piece[0] == "\n" else piece.lower().replace("’", "'"))
        if tokens[-1] in ".!?§":
            tokens.append("^")
    words = ["~" if token[0].isalnum() else "" for token in tokens]
    shifted = [tokens[i:] for i in range(LONGEST)]
    runs = [shifted[:size] for size in range(1, LONGEST + 1)]
    runs += [[words, shifted[1]], [tokens, words[1:]]]
    runs += [[words, *shifted[1:3]], [tokens, shifted[1], words[2:]]]
    return chain(*(zip(*parts, strict=False) for parts in runs))


@dataclass(eq=False, repr=False)
class Alternations(Scorer):
    """The likelihood ratio of choices (contractions, words of one meaning, beginnings of sentences, commas, dashes and
    spaces), compared with how often other authors make each choice.

    Also called: variationist, choices, likelihood ratio, idiolect.

    Each alternation adds its own log likelihood ratio, which ``ratios`` returns, so that a score can be decomposed.
    ``alternations_en.txt`` lists what is counted; in texts in other languages, little except marks is counted. Several
    known texts are counted as one.

    Parameters
    ----------
    population : int
        Maximum training documents whose authors' choices are counted; if there are more, a random choice.
    seed : int
        Seed of this choice.

    Attributes
    ----------
    usual_ : (forms,) float64
        Parameters of the Dirichlet distributions of all alternations, one after another.
    """

    name = "alternations"
    reads = "blanks"
    provenance = "ours"

    population: Size = 1000
    seed: int = 0

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Learn how authors choose. CorpusError if fewer than two authors can be distinguished."""
        background = Background(self.population, self.seed).fit(problems, same)
        counts = counted(background.written_)
        _, author = np.unique(background.author_, return_inverse=True)
        texts = np.bincount(author)[:, None]
        means = np.zeros((len(texts), counts.shape[1]))
        np.add.at(means, author, _damped(counts))
        self.usual_: Floats = np.concatenate(
            [_dirichlet(means[:, part] / texts) for part in _parts()]
        )
        return self

    def score(self, problems: Problems) -> Floats:
        """Return the score of each problem, (n,), a log10 likelihood ratio; higher = same author."""
        return np.asarray(self.ratios(problems).sum(axis=1))

    def ratios(self, problems: Problems) -> Floats:
        """Return what each alternation adds, (n, alternations)."""
        counts = counted(problems.texts.rows(problems.documents))
        cited, queried = problems.places
        questioned = _damped(counts[queried])
        known = _damped(np.add.reduceat(counts[cited], problems.known_ptr[:-1]))
        ratios = [
            _log10(known[:, part] + questioned[:, part], usual)
            - _log10(known[:, part], usual)
            - _log10(questioned[:, part], usual)
            for part in _parts()
            for usual in [self.usual_[part]]
        ]
        return np.stack(ratios, axis=1)

    def explained(self, questioned: str, known: Sequence[str]) -> list[Choice]:
        """Return every alternation in which both sides chose, the strongest first."""
        ratios = self.ratios(Problems.of([("case", known, questioned)]))[0]
        here, there = (counted(texts).sum(axis=0).astype(int) for texts in ([questioned], known))
        parts = _parts()
        choices = []
        for i in np.argsort(-np.abs(ratios), kind="stable").tolist():
            part = parts[i]
            if here[part].any() and there[part].any():
                choices.append(
                    Choice(
                        name=table().names[i],
                        forms=table().forms[part],
                        questioned=tuple(here[part].tolist()),
                        known=tuple(there[part].tolist()),
                        others=tuple((self.usual_[part] / self.usual_[part].sum()).tolist()),
                        log10=float(ratios[i]),
                    )
                )
        return choices


def grouped(ratios: Floats) -> Floats:
    """Return what alternations add by group, (n, groups), from what each adds, (n, alternations)."""
    sums = np.zeros((len(ratios), len(GROUPS)))
    np.add.at(sums.T, list(table().group), ratios.T)
    return sums


def _parts() -> list[slice]:
    bounds = table().bounds
    return list(map(slice, bounds[:-1], bounds[1:]))


def _damped(counts: Floats) -> Floats:
    """The counts of each alternation, together at most about ``ENOUGH`` times a logarithm."""
    damped = counts.copy()
    for part in _parts():
        total = counts[:, part].sum(axis=1, keepdims=True)
        damped[:, part] *= ENOUGH * np.log1p(total / ENOUGH) / np.maximum(total, 1e-9)
    return damped


def _dirichlet(counts: Floats) -> Floats:
    """The likeliest Dirichlet distribution, (forms,), of the choices of authors (authors, forms)."""
    counts = counts[counts.sum(axis=1) > 0]
    mean = (counts.sum(axis=0) + 0.5) / (counts.sum() + 0.5 * counts.shape[1])
    likely = [
        _log10(counts, strength * mean).sum() * np.log(10)
        - ((np.log(strength) - USUAL) / SPREAD) ** 2 / 2
        for strength in STRENGTHS
    ]
    return np.asarray(STRENGTHS[int(np.argmax(likely))] * mean)


def _log10(counts: Floats, usual: Floats) -> Floats:
    """The log10 probability of these counts, (n,), in one order of choices."""
    from scipy.special import gammaln

    whole = gammaln(usual.sum()) - gammaln(usual.sum() + counts.sum(axis=1))
    return np.asarray((whole + (gammaln(usual + counts) - gammaln(usual)).sum(axis=1)) / np.log(10))
