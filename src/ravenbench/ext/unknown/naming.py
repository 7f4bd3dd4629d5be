"""Says who wrote an unknown text, with probabilities, their intervals and their limits.

In: the folder (``Store``) of ``raven attribute --unknown``, with scores of methods by passage and candidate.
Out: ``analyse``: ``NamingAnswers`` with one ``Named`` a text (or reasons for none); probabilities, shares and 95 %
intervals are from 0 to 1, lengths counts of words. InputError for another task's folder, StoreError for a damaged one.
``percent``: text; ``Scored``: accuracy on known texts; ``barred``: methods that may know more, and why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from ravenbench.attribution.posterior import LIKELY, Posterior
from ravenbench.engine.options import checked
from ravenbench.ext.unknown.task import (
    Passages,
    UnknownPlan,
    UnknownRecord,
    UnknownSpec,
    open_passages,
)
from ravenbench.randomness import stream
from ravenbench.reports.content import exposure
from ravenbench.shown import Shown
from ravenbench.statistics.estimates import wilson
from ravenbench.types import Floats, Ints

if TYPE_CHECKING:
    from ravenbench.store.store import Store

NONE = "none of them"
FEWEST_PASSAGES = 6
"""Passages of a text along which a change can be tested."""
DRAWS = 999
LEVEL = 0.05
PRIORS = (0.05, 0.2)
"""Other probabilities of "none of them" beforehand, for which answers are given too."""


@dataclass(frozen=True)
class NamingAccuracy:
    """Share (0 to 1) of known texts that are named rightly (each candidate counting alike) when they or their like
    were not learned from, with its 95 % interval; ``texts`` counts the independent ones, ``chance`` is the share that
    guessing reaches."""

    how: str
    right: float
    interval: tuple[float, float]
    texts: int
    chance: float

    @property
    def above_chance(self) -> bool:
        """Whether the interval lies above what guessing reaches."""
        return self.interval[0] > self.chance


@dataclass(frozen=True)
class Candidate:
    """A candidate, or none of them: probability (0 to 1) with its 95 % interval; of a candidate the probability
    ``listed`` if one of them wrote the text, and ``style``, the same when content words are replaced (None where that
    was not possible); counts of texts and words that were learned from."""

    name: str
    probability: float
    interval: tuple[float, float] | None
    listed: float | None
    style: float | None
    texts: int
    words: int


@dataclass(frozen=True)
class Passage:
    """A part of an unknown text: where it begins, counted in words, and probabilities (0 to 1) in the order of the
    candidates, *none of them* last."""

    begins: int
    probabilities: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Named:
    """The answer to one unknown text.

    ``ranked`` has all answers, the most probable first; ``reasons`` say why none is given. ``accuracies`` are
    measured on known texts cut as this one is; ``recognised`` is how often (a share, 0 to 1) *none of them* is more
    probable for a text whose author was left out than for one by a candidate (None with two candidates).
    ``strangers`` is how often a candidate is named (``LIKELY`` and more) in texts by somebody else, a share with its
    95 % interval. ``content`` says whether the answer stays once content words are replaced, ``change`` whether it
    changes along the text; ``priors`` has, by the probability of none beforehand, the most probable answer and its
    probability.
    """

    record: UnknownRecord
    ranked: tuple[Candidate, ...]
    reasons: tuple[str, ...]
    notes: tuple[str, ...]
    accuracies: tuple[NamingAccuracy, ...]
    recognised: float | None
    strangers: tuple[float, float, float] | None
    content: str
    passages: tuple[Passage, ...]
    change: str
    priors: Mapping[float, tuple[str, float]]

    @property
    def answered(self) -> bool:
        """Whether an answer is given."""
        return not self.reasons

    @property
    def best(self) -> Candidate:
        """The most probable answer."""
        return self.ranked[0]

    @property
    def sentence(self) -> str:
        """The answer, how sure it is, and how often such answers are right."""
        if self.reasons:
            return f"No answer: {'; '.join(self.reasons)}."
        best = self.best
        known = self.accuracies[0]
        figures = percent(self.best.probability)
        wide = ""
        if best.interval is not None:
            figures += f" (95% interval {percent(best.interval[0])} to {percent(best.interval[1])})"
            if best.interval[0] < LIKELY <= best.probability:
                wide = (
                    " With other texts by the candidates another answer might be the most probable."
                )
        first = next(one for one in self.ranked if one.listed is not None)
        listed = (
            f" If one of the candidates wrote it, it is most probably {first.name}:"
            f" {percent(first.listed or 0)}."
        )
        if best.probability < LIKELY:
            answer = f"Nobody is named: the most probable answer is {best.name}, {figures}."
        elif best.name == NONE:
            answer = f"Nobody is named: that none of the candidates wrote it has {figures}."
        else:
            answer = (
                f"Among these candidates and none of them, {best.name} is the most probable author:"
                f" {figures}."
            )
            listed = f" {self.misnamed}"
        right = f"{percent(known.right)} are named rightly ({known.how})"
        return f"{answer}{wide}{listed} Of the candidates' own texts, cut like this one, {right}."

    @property
    def misnamed(self) -> str:
        """How often somebody is named who is not the author, because the author is no candidate."""
        if self.strangers is None:
            return ""
        share, low, high = map(percent, self.strangers)
        return (
            "Where the author is none of the candidates, this method all the same names one for"
            f" {share} of texts (95% interval {low} to {high})."
        )


@dataclass(frozen=True, eq=False, repr=False)
class NamingAnswers(Shown):
    """Everything the report says."""

    spec: UnknownSpec
    plan: UnknownPlan
    texts: tuple[Named, ...]
    methods: tuple[str, ...]


def percent(value: float) -> str:
    """A probability (0 to 1) as percent in words of a sentence, such as 42%."""
    return "over 99%" if value > 0.99 else "under 1%" if value < 0.01 else f"{value:.0%}"


def analyse(store: Store) -> NamingAnswers:
    """The answers of a folder of ``raven attribute --unknown``. InputError if it belongs to another task; StoreError if
    it is damaged."""
    store.expect("unknown")
    plan = store.plan_as(UnknownPlan)
    spec = checked(store.run.spec, UnknownSpec)
    by_fold = {fold: _Fold(store, plan, spec, fold) for fold in plan.words}
    texts = tuple(by_fold[u.fold].naming(n, u) for n, u in enumerate(plan.unknown))
    return NamingAnswers(spec, plan, texts, tuple(v.name for v in plan.verifiers))


class Scored:
    """Passages and what methods score for them, by names of ``Passages`` (methods, passages, candidates)."""

    def __init__(self, passages: Passages, scores: dict[str, Floats], none: float) -> None:
        self.passages = passages
        self.scores = scores
        self.none = none
        author = passages.author
        self.candidates = int(author.max()) + 1
        self.alone = np.array(
            [len(np.unique(passages.document[author == a])) == 1 for a in range(self.candidates)]
        )
        # Texts are independent; of a candidate with one text the parts that are held out together stand for texts.
        stretch = np.column_stack(
            [passages.document, np.where(self.alone[author], passages.part, -1)]
        )
        self.text_of: Ints = np.unique(stretch, axis=0, return_inverse=True)[1].ravel()
        self.texts = int(self.text_of.max()) + 1

    def runs(self, most: int) -> list[Ints]:
        """Known passages in runs of at most so many, each within one text: they stand for texts as long as this."""
        runs = []
        for text in range(self.texts):
            rows = np.flatnonzero(self.text_of == text)
            runs += np.array_split(rows, max(1, round(len(rows) / most)))
        return [np.asarray(run) for run in runs if len(run)]

    def accuracy(self, how: str, scores: Floats, author: Ints, runs: list[Ints]) -> NamingAccuracy:
        """How well known texts (runs of their passages) with these scores are named."""
        used = np.isfinite(scores[:, np.arange(len(author)), author]).all(axis=0)
        chance = 1 / self.candidates
        if not used.any():
            return NamingAccuracy(how, 0.0, (0.0, 1.0), 0, chance)
        nobody = np.full_like(scores, np.nan)
        model = Posterior(self.none).fit(scores, nobody, author, self.texts)
        right = model.of(scores[:, used])[:, :-1].argmax(axis=1) == author[used]
        codes = author[used]
        share = float(np.mean([right[codes == a].mean() for a in np.unique(codes)]))
        texts = len(np.unique(self.text_of[[runs[i][0] for i in np.flatnonzero(used)]]))
        return NamingAccuracy(
            how, share, wilson(share, texts) if texts else (0.0, 1.0), texts, chance
        )


class _Runs:
    """What all unknown texts of one length share: runs of known passages that stand for texts so long, their scores,
    and what is learned from them when it is first asked for."""

    def __init__(self, fold: _Fold, most: int) -> None:
        self.fold = fold
        self.runs = fold.runs(most)
        first = [run[0] for run in self.runs]
        self.author = fold.passages.author[first]
        self.part = fold.passages.part[first]
        self.closed, self.absent = self.scores("closed"), self.scores("absent")

    def scores(self, name: str) -> Floats:
        """Scores of the runs, by a name of ``Passages``."""
        return _means(self.fold.scores[name], self.runs)

    def accuracy(self, how: str, name: str) -> NamingAccuracy:
        """How well the runs are named by these scores."""
        return self.fold.accuracy(how, self.scores(name), self.author, self.runs)

    def learned(self, closed: Floats, absent: Floats, author: Ints) -> Posterior:
        """What turns scores into probabilities."""
        return Posterior(self.fold.none).fit(closed, absent, author, self.fold.texts)

    @cached_property
    def model(self) -> Posterior:
        """Learned from all runs."""
        return self.learned(self.closed, self.absent, self.author)

    @cached_property
    def accuracies(self) -> list[NamingAccuracy]:
        """With other texts held out, and with topics held out where that leaves texts of their authors."""
        how = (
            "other parts of the same text held out"
            if self.fold.alone.all()
            else "other texts held out"
        )
        topics = [self.accuracy("topics held out", "topic")] if "topic" in self.fold.scores else []
        return [self.accuracy(how, "closed"), *(one for one in topics if one.texts)]

    @cached_property
    def moved(self) -> tuple[Posterior, NamingAccuracy] | None:
        """Learned where content words are replaced, and how well texts are named then; None where that cannot be."""
        if (
            not self.fold.scores["versions"].shape[1]
            or not np.isfinite(self.fold.scores["moved"]).any()
        ):
            return None
        model = self.learned(self.scores("moved"), np.full_like(self.absent, np.nan), self.author)
        return model, self.accuracy("content words replaced", "moved")

    @cached_property
    def without(self) -> dict[int, Posterior]:
        """Learned without each part of the known texts, if every candidate has others."""
        remaining = {int(number): self.part != number for number in np.unique(self.part)}
        return {
            number: self.learned(self.closed[:, stays], self.absent[:, stays], self.author[stays])
            for number, stays in remaining.items()
            if len(np.unique(self.author[stays])) == self.fold.candidates
        }


def barred(store: Store, plan: UnknownPlan) -> dict[str, str]:
    """Methods that may know more than they were handed, by name, and why."""
    names = [one.name for one in plan.verifiers]
    reasons = {
        name: exposure(store, name, [store.cell(name, fold) for fold in plan.words])
        for name in names
    }
    return {name: why for name, why in reasons.items() if why}


class _Fold(Scored):
    """What all unknown texts that are cut alike share."""

    def __init__(self, store: Store, plan: UnknownPlan, spec: UnknownSpec, fold: str) -> None:
        self.plan = plan
        self.spec = spec
        self.words = plan.words[fold]
        cells = [
            cell
            for v in plan.verifiers
            if (cell := store.cell(v.name, fold)) is not None and cell.error is None
        ]
        self.barred = barred(store, plan)
        self.confined = [f"{v.name}: {v.confinement}" for v in plan.verifiers if v.confinement]
        # A method that gives a text no finite scores is left out as one that failed.
        whole = [cell.arrays for cell in cells if np.isfinite(cell.arrays["unknown"]).all()]
        names = set.intersection(*(set(arrays) for arrays in whole)) if whole else set()
        scores = {name: np.stack([arrays[name] for arrays in whole]) for name in names}
        super().__init__(open_passages(store, fold, False), scores, spec.none)
        self._of_length = cache(partial(_Runs, self))

    def naming(self, number: int, record: UnknownRecord) -> Named:
        """The answer to one text."""
        mine = np.flatnonzero(self.passages.questioned == number)
        reasons = list(record.refusals)
        if not self.scores:
            why = tuple(reasons) or ("no method has completed its work",)
            return Named(record, (), why, tuple(record.notes), (), None, None, "", (), "", {})
        known = self._of_length(len(mine))
        p = known.model.of(_means(self.scores["unknown"], [mine]))[0]
        accuracies = [*known.accuracies]
        if not accuracies[0].above_chance:
            reasons.append(
                f"the candidates' own texts are not told apart: {accuracies[0].right:.0%} are named"
                f" rightly (at least {accuracies[0].interval[0]:.0%} with 95% confidence), and"
                f" guessing reaches {accuracies[0].chance:.0%}"
            )
        style, content = self._content(mine, known, p)
        if self.confined:
            content = f"{content} ({'; '.join(self.confined)})"
        if known.moved is not None and not self.barred:
            accuracies.append(known.moved[1])
        passages, change = self._along(mine)
        names = [*self.plan.candidates, NONE]
        order = np.argsort(-p, kind="stable")
        interval = self._intervals(mine, known, p)
        texts, words = self._sizes()
        ranked = tuple(
            Candidate(
                names[i],
                float(p[i]),
                interval[i],
                float(p[i] / max(1 - p[-1], 1e-300)) if names[i] != NONE else None,
                float(style[i]) if style is not None and names[i] != NONE else None,
                texts[i],
                words[i],
            )
            for i in order
        )
        notes = [*record.notes]
        if alone := [
            name for name, one in zip(self.plan.candidates, self.alone, strict=True) if one
        ]:
            notes.append(
                f"{', '.join(alone[:5])}{' …' * (len(alone) > 5)}: one text each, so that parts of"
                " it stand for texts; other texts by these candidates may be less like it"
            )
        if len(self.plan.candidates) == 2:
            notes.append(
                "of two candidates neither can be left out to see how texts by others look, so that"
                " the probability of none of them rests on what was learned from other collections"
            )
        return Named(
            record,
            ranked,
            tuple(reasons),
            tuple(notes),
            tuple(accuracies),
            _recognised(known.model, known.closed, known.absent),
            _share(known.model.named_),
            content,
            passages,
            change,
            {prior: self._under(prior, p, names) for prior in PRIORS},
        )

    def _content(self, mine: Ints, known: _Runs, p: Floats) -> tuple[Floats | None, str]:
        """Probabilities among the candidates when content words are replaced, and whether the answer stays."""
        if self.barred:
            return (
                None,
                (
                    "Whether the answer rests on style or on content is open, for a method may know"
                    " more than it was handed:"
                    f" {'; '.join(f'{name}: {why}' for name, why in self.barred.items())}."
                ),
            )
        if known.moved is None:
            return (
                None,
                (
                    "Content could not be replaced in these texts, so whether the answer rests on"
                    " style is open."
                ),
            )
        versions, (model, power) = self.scores["versions"], known.moved
        u = len(self.passages.questioned)
        best = int(p[:-1].argmax())
        each = versions.reshape(len(versions), -1, u, versions.shape[2])[:, :, mine].mean(
            axis=(1, 2)
        )
        style = model.of(each[:, None])[0, :-1]
        style /= style.sum()
        name = self.plan.candidates[best]
        other = self.plan.candidates[int(style.argmax())]
        if not power.above_chance:
            return (
                style,
                (
                    "Whether the answer rests on style or on content is open: once content words"
                    " are those of other texts, the candidates' own texts are no longer named"
                    f" above chance ({power.right:.0%})."
                ),
            )
        if other == name and style[best] < LIKELY:
            return (
                style,
                (
                    f"{name} stays the most probable of the candidates once content words are those"
                    f" of other texts, but with {percent(float(style[best]))} only if one of them"
                    " wrote it: style alone hardly tells them apart."
                ),
            )
        if other == name:
            return (
                style,
                (
                    f"The answer among the candidates stays {name} once content words are those of"
                    f" other texts ({percent(float(style[best]))} if one of them wrote it), so it"
                    " does not rest on content alone."
                ),
            )
        return (
            style,
            (
                f"The answer among the candidates changes from {name} to {other} once content words"
                " are those of other texts: it rests on what the text is about as much as on how"
                " it is written."
            ),
        )

    def _intervals(self, mine: Ints, known: _Runs, p: Floats) -> list[tuple[float, float] | None]:
        """95 % intervals by leaving out one part of the known texts at a time (a jackknife on the log odds)."""
        from scipy.special import expit, logit
        from scipy.stats import t

        values = []
        for number, model in known.without.items():
            scores = self.scores["parts"][:, number][:, mine].mean(axis=1)
            if np.isfinite(scores).all():
                values.append(logit(np.clip(model.of(scores[:, None])[0], 1e-9, 1 - 1e-9)))
        if len(values) < 2:
            return [None] * (len(self.plan.candidates) + 1)
        middle = logit(np.clip(p, 1e-9, 1 - 1e-9))
        count = len(values)
        error = np.sqrt(
            (count - 1) / count * ((np.array(values) - np.mean(values, axis=0)) ** 2).sum(axis=0)
        )
        reach = float(t.ppf(0.975, count - 1)) * error
        return [
            (float(a), float(b))
            for a, b in zip(expit(middle - reach), expit(middle + reach), strict=True)
        ]

    def _along(self, mine: Ints) -> tuple[tuple[Passage, ...], str]:
        """Probabilities of every passage, and whether the most probable author changes along the text."""
        p = self._of_length(1).model.of(
            _means(self.scores["unknown"], [np.array([i]) for i in mine])
        )
        passages = tuple(Passage(i * self.words, tuple(map(float, row))) for i, row in enumerate(p))
        if len(mine) < FEWEST_PASSAGES:
            return passages, ""
        place, first, second, gain = _split(np.log(np.maximum(p, 1e-9)))
        rng = stream(self.spec.seed, "unknown-along", mine[0])
        drawn = [
            _split(np.log(np.maximum(p[rng.permutation(len(p))], 1e-9)))[3] for _ in range(DRAWS)
        ]
        chance = (1 + sum(value >= gain for value in drawn)) / (1 + DRAWS)
        names = [*self.plan.candidates, NONE]
        tested = f"permutation test over {len(p)} passages, p = {chance:.3f}"
        if first == second or chance > LEVEL:
            return (passages, f"No change of author along the text is seen ({tested}).")
        return (
            passages,
            (
                f"The answer changes along the text: up to about word {place * self.words:,}"
                f" {names[first]} is most probable, after it {names[second]} ({tested}). A change"
                " of subject can do this too; ask about each part alone."
            ),
        )

    def _sizes(self) -> tuple[list[int], list[int]]:
        """Texts and words of each candidate, 0 of none of them."""
        author = np.array([k.author for k in self.plan.known])
        words = np.bincount(
            self.passages.author, weights=[len(t.split()) for t in self.passages.texts]
        )
        return [*np.bincount(author).tolist(), 0], [*map(int, words), 0]

    def _under(self, prior: float, p: Floats, names: list[str]) -> tuple[str, float]:
        """The most probable answer if none of them were so probable beforehand."""
        shares = np.append(
            np.full(len(p) - 1, (1 - prior) / (1 - self.spec.none)), prior / self.spec.none
        )
        under = p * shares / (p * shares).sum()
        return names[int(under.argmax())], float(under.max())


def _means(scores: Floats, runs: list[Ints]) -> Floats:
    """Mean scores (methods, runs, candidates) over runs of passages."""
    return np.stack([scores[:, run].mean(axis=1) for run in runs], axis=1)


def _split(log_p: Floats) -> tuple[int, int, int, float]:
    """Where a text of passages with these log probabilities is best cut in two (at least two passages each), the best
    answer before and after it, and by how much two answers are more probable than one."""
    before = log_p.cumsum(axis=0)
    after = before[-1] - before
    places = np.arange(1, len(log_p) - 2)
    both = before[places].max(axis=1) + after[places].max(axis=1)
    best = int(both.argmax())
    place = int(places[best])
    return (
        place + 1,
        int(before[place].argmax()),
        int(after[place].argmax()),
        float(both[best] - before[-1].max()),
    )


def _recognised(model: Posterior, closed: Floats, absent: Floats) -> float | None:
    """How often none of them is more probable for a text whose author was left out than for one by a candidate."""
    strange = np.isfinite(absent).any(axis=2).all(axis=0)
    known = np.isfinite(closed).all(axis=(0, 2))
    if not strange.any() or not known.any():
        return None
    out = model.of(absent[:, strange])[:, -1]
    own = model.of(closed[:, known])[:, -1]
    return float((out[:, None] > own).mean() + 0.5 * (out[:, None] == own).mean())


def _share(named: Floats) -> tuple[float, float, float]:
    """The mean of a beta distribution and its 95 % interval."""
    from scipy.stats import beta

    low, high = beta.ppf((0.025, 0.975), *named)
    return float(named[0] / named.sum()), float(low), float(high)
