"""Exposure: has a language model read these texts?

A model that has read a text finds it likelier than its transplanted twin, the same text with content words of another
one. So it does of any text that somebody wrote, hence the comparison with *reference* texts of the same kind, written
after the model was made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ravenbench.errors import InputError, SpecError
from ravenbench.ext.encoders.causal import CausalLM, open_model
from ravenbench.ext.machine.exposure_spec import ExposureSpec
from ravenbench.formats.collector import checked_text, identity_key
from ravenbench.randomness import stream
from ravenbench.reports.view import Table, col, table
from ravenbench.statistics.estimates import Interval, Units, estimate, influence, placements, wilson
from ravenbench.text.splicing import Splicer
from ravenbench.text.tokens import count_evidence
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Ints

QUARTERS = ("whole", "first quarter", "second quarter", "third quarter", "last quarter")
"""Of the tokens that are read: what a model remembers, it remembers the better the more of a text it has seen."""
LEAST = 5
"""Texts on each side below which nothing is said."""
FEWEST_WORDS = 60
"""Words of a text below which it is left out."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Exposure:
    """Chance that a text's gain over its twin is higher than that of a reference text, in one part of the texts: .5 is
    no sign that the model has read them, 1 means that it tells all. ``interval`` is of 95 %, over authors where they
    are known. Both are None where fewer than five texts of a side have an answer, the interval also where they are by
    one author."""

    part: str
    texts: int
    reference: int
    auc: float | None
    interval: Interval | None


class Side(NamedTuple):
    """Texts (n,) and their authors, None where one is not known."""

    texts: Sequence[str]
    authors: Sequence[str | None]


def exposure(spec: ExposureSpec, progress: Progress) -> list[Exposure]:
    """Compare texts that a language model may have read with others of the same kind that it cannot have read: the
    whole texts and each quarter of their tokens.

    At least five texts a side, each of 60 words or more. InputError if there are too few, one stands on both sides, or
    their content words cannot be exchanged.
    """
    sides = [_side("texts", spec.texts, spec), _side("reference", spec.reference, spec)]
    if shared := set.intersection(*({identity_key(text) for text in side.texts} for side in sides)):
        raise InputError(
            "texts stand among the reference texts too", found=len(shared), expected="texts that the model cannot know"
        )
    return by_likelihood(open_model(spec.model, "auto"), *sides, longest=spec.longest, progress=progress)


def _side(name: str, given: str | Path | Sequence[str], spec: ExposureSpec) -> Side:
    """Distinct texts that are long enough, at most so many."""
    from ravenbench.corpora.load import load_corpus

    most = spec.most
    if most < LEAST:
        raise SpecError("too few texts of a side to see exposure", found=f"--most {most}", expected=f"{LEAST} or more")
    if isinstance(given, str | Path):
        # Topics need not be there.
        corpus = load_corpus(given, **spec.reading(), pairs=False, level="extract()")
        every, authors = list(corpus.texts), list(corpus.author)
    else:
        every, authors = [checked_text(text) for text in given], [None] * len(given)
    long = [i for i, text in enumerate(every) if count_evidence(text) >= FEWEST_WORDS]
    first = {identity_key(every[i]): i for i in reversed(long)}
    if len(first) < LEAST:
        raise InputError(
            f"{name}: too few texts to see exposure", found=f"{len(first)} of {len(every)} have {FEWEST_WORDS} words",
            expected=f"at least {LEAST} different ones", file=given if isinstance(given, str | Path) else None,
        )  # fmt: skip
    rows = sorted(first.values())
    if len(rows) > most:
        rows = sorted(stream(spec.seed, "exposure", name).choice(rows, most, replace=False).tolist())
    return Side([every[row] for row in rows], [authors[row] for row in rows])


def by_likelihood(
    lm: CausalLM, texts: Side, reference: Side, *, longest: int = 256, progress: Progress | None = None
) -> list[Exposure]:
    """How much likelier a model on this machine finds texts than their twins, against reference texts; a twin takes the
    content words of the next text of its side. InputError if the content words of a text cannot be exchanged."""
    pairs = [pair for side in twins(texts.texts, reference.texts) for pair in side]
    gains = []
    for done, pair in enumerate(pairs, start=1):
        gains.append(np.subtract(*(_means(lm.logs(text, longest=longest).logs) for text in pair)))
        if progress is not None:
            progress("reading texts", done, len(pairs))
    return [compared(part, values, texts, reference) for part, values in zip(QUARTERS, np.array(gains).T, strict=True)]


def compared(part: str, values: Floats, texts: Side, reference: Side) -> Exposure:
    """Texts, the first of these values, against reference texts; NaN where there is none."""
    read = np.arange(len(values)) < len(texts.texts)
    names = [name or f"\0{i}" for i, name in enumerate((*texts.authors, *reference.authors))]
    authors = np.unique(names, return_inverse=True)[1].astype(np.int64)
    finite = np.isfinite(values)
    read, values, authors = read[finite], values[finite], authors[finite]
    sizes = int(read.sum()), int((~read).sum())
    if min(sizes) < LEAST:
        return Exposure(part, *sizes, None, None)
    return Exposure(part, *sizes, *auc_of(read, values, np.stack([authors, authors], axis=1)))


def twins(*sides: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Each text with its twin, by side. InputError if no words can be exchanged."""
    table, rows = TextTable.collect([text for side in sides for text in side])
    splicer = Splicer(table)
    if splicer.refusal is not None:
        raise InputError("content words of these texts cannot be exchanged", found=splicer.refusal)
    begins = np.cumsum([0, *map(len, sides)])
    next_one = np.concatenate([np.roll(rows[a:b], -1) for a, b in pairwise(begins)])
    try:
        made = splicer.splice(
            [(splicer.cut(int(a)), [splicer.cut(int(b))]) for a, b in zip(rows, next_one, strict=True)]
        )
    except ValueError as error:
        raise InputError("content words of these texts cannot be exchanged", found=str(error)) from error
    both = [(table[int(row)], twin.decode()) for row, twin in zip(rows, made, strict=True)]
    return [both[a:b] for a, b in pairwise(begins)]


def _means(logs: Floats) -> Floats:
    """Mean log-probability of a text's tokens, of the whole and of quarters, (5,)."""
    if len(logs) < len(QUARTERS):
        raise InputError("a text is too short to be looked at in quarters", found=f"{len(logs)} tokens")
    return np.array([logs.mean(), *(part.mean() for part in np.array_split(logs, len(QUARTERS) - 1))])


def auc_of(positive: Bools, values: Floats, sides: Ints) -> tuple[float, tuple[float, float] | None]:
    """AUC of values (n,), of which both classes occur, and its 95 % interval over the units that ``sides`` (n, 2) are
    codes of, such as the two authors of a problem. The class of fewer units says how well the error is known; None
    where it has only one. Where nothing varies, Wilson's interval for so many."""
    from scipy.special import stdtrit

    auc, placement = placements(positive, values, values)
    worth = min(len(np.unique(sides[part, 0])) for part in (positive, ~positive))
    if worth < 2:
        return auc, None
    error = estimate(auc, influence(positive, auc, placement), Units(sides, np.arange(len(values)))).error
    if not error:
        return auc, wilson(auc, worth)
    around = float(stdtrit(worth - 1, 0.975)) * error * float(np.sqrt(worth / (worth - 1)))
    return auc, (max(0.0, auc - around), min(1.0, auc + around))


def exposure_table(rows: Sequence[Exposure]) -> Table:
    """Whether a model has read some texts, against reference texts: a row a part or test."""
    return table(
        "read", "Has the model read these texts?", rows,
        col("compared", lambda r: r.part, text=True, json="part"),
        col("texts", lambda r: r.texts, json="texts"),
        col("reference", lambda r: r.reference, json="reference"),
        col("AUC", lambda r: r.auc, json="auc"),
        col("95 %", lambda r: r.interval, json="interval"),
        note="AUC: how often a text is better known than a reference text; .5 is no sign that the model has read them. "
        "It stands for reading only where the reference texts are of the same kind and later than the model. Intervals "
        "over authors, where they are known; n/a: fewer than five texts of a side have an answer, or one author wrote "
        "them. The finding goes by the first row.",
    )  # fmt: skip


def finding(rows: Sequence[Exposure], model: str) -> str:
    """What the first comparison with an interval says."""
    row = next((row for row in rows if row.auc is not None and row.interval is not None), None)
    if row is None or row.interval is None:
        return f"{model}: too few answers, or authors, to say anything."
    low, high = row.interval
    figure = f"{row.part}: AUC {row.auc:.3f}, 95 % interval {low:.3f} to {high:.3f}"
    if low > 0.5:
        return f"{model} knows these texts better than the reference texts ({figure}): it has probably read some."
    return f"No sign that {model} has read these texts ({figure}), which is no proof that it has not."
