"""Computes who wrote an unknown text: probabilities, their intervals and their limits.

In: the folder (``Store``) of ``raven attribute --unknown``, with scores of methods by passage and candidate.
Out: ``NamingAnswers`` with one ``Named`` a text (or reasons for none); probabilities, shares and 95 % intervals are from
0 to 1, lengths counts of words. InputError for another task's folder, StoreError for a damaged one. ``Scored``:
accuracy on known texts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ravenbench.attribution.posterior import LIKELY, Posterior
from ravenbench.ext.case.compare.record import Reason, Why
from ravenbench.ext.case.sentences import percent, say
from ravenbench.ext.case.stated import Stated
from ravenbench.ext.unknown.task import Passages, UnknownPlan, UnknownRecord, open_passages
from ravenbench.randomness import stream
from ravenbench.reports.answers import Answer
from ravenbench.reports.content import confinement, exposure
from ravenbench.statistics.estimates import wilson
from ravenbench.store.records import Record
from ravenbench.text.splicing import BOTH
from ravenbench.types import Floats, Interval, Ints

if TYPE_CHECKING:
    from ravenbench.store.store import Store

NONE = "none of them"
FEWEST_PASSAGES = 6
"""Minimum number of passages of a text for a test of change."""
BROAD = 0.9
"""Width from which the interval of a probability is uninformative and is not given."""
DRAWS = 999
LEVEL = 0.05
PRIORS = (0.05, 0.2)
"""Other prior probabilities of "none of them" for which answers are given too."""
MOST_NAMED = 5
"""Maximum number of names in a note."""


class NamingAccuracy(Record, frozen=True, kw_only=True):
    """Proportion (0 to 1) of known texts whose author is named correctly (each candidate with equal weight) if they or
    similar texts were not learned from, with its 95 % interval; ``texts`` is the number of independent texts,
    ``chance`` the proportion that guessing reaches."""

    how: str
    right: float
    interval: Interval
    texts: int
    chance: float

    @property
    def share(self) -> str:
        """The proportion named correctly, in words: a count if it is all."""
        return f"{self.texts} of {self.texts}" if self.right == 1 else percent(self.right)

    @property
    def above_chance(self) -> bool:
        """Whether the whole interval is above what guessing reaches."""
        return self.interval[0] > self.chance


class Candidate(Record, frozen=True, kw_only=True):
    """A candidate, or none of them: probability (0 to 1) with its 95 % interval; for a candidate the probability
    ``listed`` if one of them wrote the text, and ``style``, the same with content words replaced (None if that was not
    possible); numbers of texts and words to learn from."""

    name: str
    probability: float
    interval: Interval | None
    listed: float | None
    style: float | None
    texts: int
    words: int


class Passage(Record, frozen=True, kw_only=True):
    """A part of an unknown text: the number of the word where it begins, and probabilities (0 to 1) in the order of the
    candidates, *none of them* last."""

    begins: int
    probabilities: list[float]


class Prior(Record, frozen=True, kw_only=True):
    """The most probable answer and its probability with another prior probability of none of them."""

    none_beforehand: float
    answer: str
    probability: float


AGAINST = ("content", "part", "open", "style")
"""Outcomes of replaced content, those most against an answer first."""


class Finding(Record, frozen=True, kw_only=True):
    """The role of content in an answer: its kind, and the sentence."""

    outcome: str
    sentence: str

    @classmethod
    def of(cls, outcome: str, **values: Any) -> Finding:
        """Return the finding of a kind, with these values."""
        return cls(outcome=outcome, sentence=say(f"text {outcome}", **values))


NAMED = {
    "name": "text",
    "ranked": "answers",
    "accuracies": "named_rightly",
    "recognised": "none_recognised",
    "strangers": "named_where_absent",
    "priors": "under_other_priors",
}


class Named(Stated, frozen=True, kw_only=True, rename=NAMED, omit_defaults=False):
    """The answer to one unknown text.

    ``ranked`` has all answers, the most probable first. ``accuracies`` are measured on known texts cut to this length;
    ``recognised`` is how often (a proportion, 0 to 1) *none of them* is more probable for a text whose author was left
    out than for a text by a candidate (None with two candidates). ``strangers`` is how often a candidate is named
    (``LIKELY`` and more) for texts by another author, a proportion with its 95 % interval. ``content`` tells whether
    the answer stays once content words are replaced, ``change`` whether it changes along the text.
    """

    name: str
    words: int
    ranked: list[Candidate] = []
    accuracies: list[NamingAccuracy] = []
    recognised: float | None = None
    strangers: tuple[float, float, float] | None = None
    content: Finding | None = None
    change: str | None = None
    priors: list[Prior] = []
    passages: list[Passage] = []

    @property
    def best(self) -> Candidate | None:
        """The most probable answer, if there is an answer."""
        return self.ranked[0] if self.answered else None

    @property
    def first(self) -> Candidate | None:
        """The most probable candidate, if there is an answer."""
        return next((one for one in self.ranked if one.listed is not None and self.answered), None)

    @property
    def none(self) -> Candidate | None:
        """None of them, if there is an answer."""
        return next((one for one in self.ranked if one.listed is None and self.answered), None)

    @property
    def misnamed(self) -> str:
        """How often a candidate is named although none of the candidates is the author."""
        if self.strangers is None:
            return ""
        share, low, high = self.strangers
        return say("misnamed", share=share, low=low, high=high)


@dataclass(frozen=True, eq=False, repr=False)
class NamingAnswers(Answer[UnknownPlan]):
    """Who wrote each unknown text, and why each method may know more than it was given, or how it was confined;
    None if neither applies."""

    Plan = UnknownPlan
    texts: tuple[Named, ...]
    methods: dict[str, str | None]

    @classmethod
    def of(cls, store: Store) -> NamingAnswers:
        """Return the answers of a folder of ``raven attribute --unknown``. Raises InputError if it belongs to another
        task, StoreError if it is damaged."""
        store.expect("unknown")
        plan = store.plan_as(UnknownPlan)
        folds = {fold: _Fold(store, plan, fold) for fold in plan.words}
        texts = tuple(folds[u.fold].naming(n, u) for n, u in enumerate(plan.unknown))
        confined = {name: said or None for name, said in _confined(store, plan).items()}
        return cls(texts, {**confined, **_barred(store, plan)})

    @property
    def beforehand(self) -> float:
        """The prior probability of none of them."""
        return float(self.store.run.spec["none"])


class Scored:
    """Passages and their scores by methods, by names of ``Passages`` (methods, passages, candidates)."""

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
        """Known passages in runs, each within one text, that represent texts as long as this one."""
        runs = []
        for text in range(self.texts):
            rows = np.flatnonzero(self.text_of == text)
            runs += np.array_split(rows, max(1, round(len(rows) / most)))
        return [np.asarray(run) for run in runs if len(run)]

    def learned(self, closed: Floats, absent: Floats, author: Ints) -> Posterior:
        """The model that turns scores into probabilities."""
        return Posterior(self.none).fit(closed, absent, author, self.texts)

    def accuracy(self, how: str, scores: Floats, author: Ints, runs: list[Ints]) -> NamingAccuracy:
        """Return the proportion of known texts (sequences of their passages) whose author these scores name."""
        used = np.isfinite(scores[:, np.arange(len(author)), author]).all(axis=0)
        share = 0.0
        interval = (0.0, 1.0)
        texts = 0
        if used.any():
            model = self.learned(scores, np.full_like(scores, np.nan), author)
            codes = author[used]
            right = model.of(scores[:, used])[:, :-1].argmax(axis=1) == codes
            share = float(np.mean([right[codes == a].mean() for a in np.unique(codes)]))
            texts = len(np.unique(self.text_of[[runs[i][0] for i in np.flatnonzero(used)]]))
            interval = wilson(share, texts)
        return NamingAccuracy(
            how=how, right=share, interval=interval, texts=texts, chance=1 / self.candidates
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

    @cached_property
    def model(self) -> Posterior:
        """Learned from all runs."""
        return self.fold.learned(self.closed, self.absent, self.author)

    @cached_property
    def accuracies(self) -> list[NamingAccuracy]:
        """With other texts held out, and with topics held out where that leaves texts of their authors."""
        of_one = self.fold.alone.all()
        how = "other parts of the same text held out" if of_one else "other texts held out"
        topics = [self.accuracy("topics held out", "topic")] if "topic" in self.fold.scores else []
        return [self.accuracy(how, "closed"), *(one for one in topics if one.texts)]

    @cached_property
    def moved(self) -> dict[str, tuple[Posterior, NamingAccuracy]]:
        """Learned where content words are replaced, and how well texts are named then, by replacement; empty where that
        cannot be."""
        scores = self.fold.scores
        nobody = np.full_like(self.absent, np.nan)
        return {
            way: (
                self.fold.learned(self.scores(f"{of}moved"), nobody, self.author),
                self.accuracy(f"content words replaced, {way}", f"{of}moved"),
            )
            for way, of in BOTH.items()
            if f"{of}moved" in scores and np.isfinite(scores[f"{of}moved"]).any()
        }

    @cached_property
    def without(self) -> dict[int, Posterior]:
        """Learned without each part of the known texts, if every candidate has others."""
        remaining = {int(number): self.part != number for number in np.unique(self.part)}
        return {
            number: self.fold.learned(
                self.closed[:, stays], self.absent[:, stays], self.author[stays]
            )
            for number, stays in remaining.items()
            if len(np.unique(self.author[stays])) == self.fold.candidates
        }


def _barred(store: Store, plan: UnknownPlan) -> dict[str, str]:
    """Methods that may know more than they were handed, by name, and why."""
    reasons = {
        one.name: exposure(store, one.name, [store.cell(one.name, fold) for fold in plan.words])
        for one in plan.verifiers
    }
    return {name: why for name, why in reasons.items() if why}


def _confined(store: Store, plan: UnknownPlan) -> dict[str, str]:
    """What is said of how far each method was shut in."""
    return {
        one.name: confinement(store, one.name, [store.cell(one.name, fold) for fold in plan.words])
        for one in plan.verifiers
    }


class _Fold(Scored):
    """What all unknown texts that are cut alike share."""

    def __init__(self, store: Store, plan: UnknownPlan, fold: str) -> None:
        self.plan = plan
        self.names = [*plan.candidates, NONE]
        self.seed = store.run.seed
        self.words = plan.words[fold]
        cells = [store.cell(v.name, fold) for v in plan.verifiers]
        self.barred = _barred(store, plan)
        self.confined = [f"{name}: {said}" for name, said in _confined(store, plan).items() if said]
        # A method that gives a text no finite scores is left out as one that failed.
        whole = [
            cell.arrays
            for cell in cells
            if cell is not None and cell.error is None and np.isfinite(cell.arrays["unknown"]).all()
        ]
        names = set.intersection(*(set(arrays) for arrays in whole)) if whole else set()
        scores = {name: np.stack([arrays[name] for arrays in whole]) for name in names}
        super().__init__(open_passages(store, fold, False), scores, store.run.spec["none"])
        self._of_length = cache(partial(_Runs, self))

    def naming(self, number: int, record: UnknownRecord) -> Named:
        """The answer to one text."""
        about: dict[str, Any] = {"name": record.name, "words": record.words}
        reasons = list(record.refusals)
        if not self.scores:
            reasons = reasons or [Reason.of(Why.UNFINISHED)]
            return _with_sentence(Named(**about, sentence="", reasons=reasons, notes=record.notes))
        mine = np.flatnonzero(self.passages.questioned == number)
        known = self._of_length(len(mine))
        p = known.model.of(_means(self.scores["unknown"], [mine]))[0]
        accuracies = [*known.accuracies]
        first = accuracies[0]
        if not first.above_chance:
            values = {"right": first.right, "low": first.interval[0], "chance": first.chance}
            reasons.append(Reason.of(Why.UNTOLD, **values))
        style, content = self._content(mine, known, p)
        if not self.barred:
            accuracies += [accuracy for _, accuracy in known.moved.values()]
        passages, change = self._along(mine)
        alone = [name for name, one in zip(self.plan.candidates, self.alone, strict=True) if one]
        notes = [*record.notes]
        if alone:
            names = ", ".join(alone[:MOST_NAMED]) + " …" * (len(alone) > MOST_NAMED)
            notes.append(say("one text", names=names))
        if self.candidates == 2:
            notes.append(say("two candidates"))
        return _with_sentence(
            Named(
                **about,
                sentence="",
                reasons=reasons,
                notes=notes,
                ranked=self._ranked(mine, known, p, style),
                accuracies=accuracies,
                recognised=_recognised(known.model, known.closed, known.absent),
                strangers=_share(known.model.named_),
                content=content,
                passages=passages,
                change=change,
                priors=[self._under(prior, p) for prior in PRIORS],
            )
        )

    def _ranked(self, mine: Ints, known: _Runs, p: Floats, style: Floats | None) -> list[Candidate]:
        """All answers, the most probable first."""
        interval = self._intervals(mine, known, p)
        author = [k.author for k in self.plan.known]
        passages = self.passages
        lengths = [len(text.split()) for text in passages.texts]
        texts = [*np.bincount(author).tolist(), 0]
        words = [*map(int, np.bincount(passages.author, weights=lengths)), 0]
        listed = [*(p[:-1] / max(1 - p[-1], 1e-300)).tolist(), None]
        moved = [None] * len(p) if style is None else [*style.tolist(), None]
        return [
            Candidate(
                name=self.names[i],
                probability=float(p[i]),
                interval=interval[i],
                listed=listed[i],
                style=moved[i],
                texts=texts[i],
                words=words[i],
            )
            for i in np.argsort(-p, kind="stable")
        ]

    def _content(self, mine: Ints, known: _Runs, p: Floats) -> tuple[Floats | None, Finding]:
        """Probabilities among the candidates when content words are replaced, and whether the answer stays: by the
        replacement that speaks most against it."""
        style = None
        if self.barred:
            methods = "; ".join(f"{name}: {why}" for name, why in self.barred.items())
            finding = Finding.of("exposed", methods=methods)
        elif not known.moved:
            finding = Finding.of("whole")
        else:
            style, finding = min(
                (self._moved(mine, known, p, way) for way in known.moved),
                key=lambda one: AGAINST.index(one[1].outcome),
            )
        if self.confined:
            confined = f"{finding.sentence} ({'; '.join(self.confined)})"
            finding = Finding(outcome=finding.outcome, sentence=confined)
        return style, finding

    def _moved(self, mine: Ints, known: _Runs, p: Floats, way: str) -> tuple[Floats, Finding]:
        """The same by one replacement."""
        model, power = known.moved[way]
        versions = self.scores[f"{BOTH[way]}versions"]
        shape = (len(versions), -1, len(self.passages.questioned), versions.shape[2])
        each = versions.reshape(shape)[:, :, mine].mean(axis=(1, 2))
        style = model.of(each[:, None])[0, :-1]
        style /= style.sum()
        best = int(p[:-1].argmax())
        then = int(style.argmax())
        outcome = "content" if then != best else "part" if style[best] < LIKELY else "style"
        return style, Finding.of(
            outcome if power.above_chance else "open",
            name=self.names[best],
            other=self.names[then],
            share=float(style[best]),
            right=power.right,
            way=way,
        )

    def _intervals(self, mine: Ints, known: _Runs, p: Floats) -> list[Interval | None]:
        """95 % intervals by leaving out one part of the known texts at a time (a jackknife on the log odds); None where
        one would hold nearly all that a probability can be."""
        from scipy.special import expit, logit
        from scipy.stats import t

        values = []
        for number, model in known.without.items():
            scores = self.scores["parts"][:, number][:, mine].mean(axis=1)
            if np.isfinite(scores).all():
                values.append(logit(np.clip(model.of(scores[:, None])[0], 1e-9, 1 - 1e-9)))
        count = len(values)
        if count < 2:
            return [None] * len(p)
        middle = logit(np.clip(p, 1e-9, 1 - 1e-9))
        error = np.sqrt(
            (count - 1) / count * ((np.array(values) - np.mean(values, axis=0)) ** 2).sum(axis=0)
        )
        reach = float(t.ppf(0.975, count - 1)) * error
        ends = zip(*(expit(middle + end).tolist() for end in (-reach, reach)), strict=True)
        return [(low, high) if high - low < BROAD else None for low, high in ends]

    def _along(self, mine: Ints) -> tuple[list[Passage], str | None]:
        """Probabilities of every passage, and whether the most probable author changes along the text."""
        single = _means(self.scores["unknown"], [np.array([i]) for i in mine])
        p = self._of_length(1).model.of(single)
        passages = [
            Passage(begins=i * self.words, probabilities=row) for i, row in enumerate(p.tolist())
        ]
        if len(mine) < FEWEST_PASSAGES:
            return passages, None
        log_p = np.log(np.maximum(p, 1e-9))
        place, first, second, gain = _split(log_p)
        rng = stream(self.seed, "unknown-along", mine[0])
        drawn = [_split(log_p[rng.permutation(len(p))])[3] for _ in range(DRAWS)]
        chance = (1 + sum(value >= gain for value in drawn)) / (1 + DRAWS)
        tested = say("tested", count=len(p), p=chance)
        if first == second or chance > LEVEL:
            return passages, say("no change", tested=tested)
        names = {"first": self.names[first], "second": self.names[second]}
        return passages, say("change", word=place * self.words, tested=tested, **names)

    def _under(self, prior: float, p: Floats) -> Prior:
        """The most probable answer if none of them were so probable beforehand."""
        shares = np.append(np.full(len(p) - 1, (1 - prior) / (1 - self.none)), prior / self.none)
        under = p * shares / (p * shares).sum()
        best = int(under.argmax())
        return Prior(none_beforehand=prior, answer=self.names[best], probability=float(under[best]))


def _with_sentence(one: Named) -> Named:
    """The same with its sentence: the answer, how sure it is, and how often such answers are right."""
    from msgspec import structs

    best = one.best
    first = one.first
    if best is None or first is None:
        return structs.replace(
            one, sentence=say("no answer", reasons="; ".join(map(str, one.reasons)))
        )
    value = best.probability
    low, high = best.interval or (value, value)
    figures = say("interval" if best.interval else "probability", value=value, low=low, high=high)
    wide = "broad" if best.interval is None else "wide" if low < LIKELY <= value else None
    code = "nobody" if value < LIKELY else "none" if best.name == NONE else "somebody"
    known = one.accuracies[0]
    right_low, right_high = known.interval
    sentence = say(
        code,
        name=best.name,
        figures=figures,
        wide="" if wide is None else say(wide),
        listed=say("listed", name=first.name, share=first.listed),
        misnamed=one.misnamed,
        right=say("right", share=known.share, how=known.how, low=right_low, high=right_high),
    )
    return structs.replace(one, sentence=sentence)


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
