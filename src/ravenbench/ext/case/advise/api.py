"""Finds what identifies the author of a text, where, and what a change would gain (``ravenbench.advise``).

In: an ``AdviseSpec``: paths of a text, its author's other texts and texts by others, names of verifiers, a seed.
Out: an ``Advice``: verifiers' answers (0 to 1, higher = same author); tips, each a ``Habit`` (rates in uses a thousand
words, z in standard deviations) with its gain, and sentences with theirs (gain: how far the mean answer falls; above 0
hides the author); places are half-open offsets in characters. InputError for texts missing, empty, too short or
repeated, or a small background; SpecError without known texts. ``counts``, ``habits``, ``places`` and ``without`` take
texts; ``read_version`` reads a later version.

Verifiers learn from pairs of background texts that are made like the case, as in ``raven compare``. They answer whether
the text and the known texts have one author: from 0 (two authors) to 1 (one). The gain of a change is how far the mean
answer falls. To see whether they recognise the author at all, compare their answers with those to texts by other
people. No text leaves this machine, and nothing is written.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from msgspec import structs

from ravenbench.engine.options import READING
from ravenbench.engine.pool import Progress
from ravenbench.errors import InputError, MissingPart, SpecError
from ravenbench.ext.case.advise.personal import Personal, personal
from ravenbench.ext.case.advise.spec import AdviseSpec
from ravenbench.ext.case.choices import choices
from ravenbench.ext.case.compare.material import (
    FEWEST_WORDS,
    evidence_in_words,
    read_material,
)
from ravenbench.ext.case.compare.plan import draft
from ravenbench.ext.case.compare.spec import build
from ravenbench.ext.shelf.raven.alternations import Choice
from ravenbench.obfuscation.guards import relatives, same_form, stretches
from ravenbench.obfuscation.parts import sentences
from ravenbench.obfuscation.recipes.mihaylova_2016_statistics import measure
from ravenbench.obfuscation.wording.resources import brown_texts
from ravenbench.obfuscation.wording.words import usual_sense
from ravenbench.reading.texts import read_text
from ravenbench.shown import Shown
from ravenbench.statistics.standing import Standing
from ravenbench.text.alignment import plain_words
from ravenbench.text.content_words import speaks_english
from ravenbench.text.nltk_data import missing
from ravenbench.text.tokens import HAN, HIRAGANA, lowered
from ravenbench.types import Floats, Problems
from ravenbench.verifiers.contract.base import Verifier, as_verifier, fresh

_MARK = re.compile(r"[^\w\s]|\n[^\S\n]*\n")
FEWEST = {"word": 2, "pair": 3, "mark": 2}
"""Fewest uses in the text that make a habit."""
PARAGRAPH = "¶"


@dataclass(frozen=True)
class Habit:
    """A habit in which the text and the author's other texts differ from texts by other people in the same direction.

    ``kind`` is word, pair, mark or length; ``here``, ``known`` and ``others`` are uses in a thousand words (of a
    length, the length itself); ``z`` is the text's distance from the others' mean in standard deviations (at least one
    use); ``above`` is the proportion (0 to 1) of others' texts with fewer uses; ``places`` are the half-open spans, in
    characters, of its uses; ``content`` says whether it is a word that may belong to the topic.
    """

    kind: str
    name: str
    here: float
    known: float
    others: float
    z: float
    above: float
    places: tuple[tuple[int, int], ...]
    content: bool

    @property
    def excess(self) -> int:
        """Number of uses above the others' mean."""
        usual = round(self.others / self.here * len(self.places)) if self.here else 0
        return max(0, len(self.places) - usual)


def counts(text: str) -> tuple[Counter[tuple[str, str]], dict[tuple[str, str], float]]:
    """Count every word, pair of neighbouring words and mark; also return mean lengths (letters per word, words per
    sentence)."""
    words = [lowered(word).replace("’", "'") for word in plain_words(text)]
    counter: Counter[tuple[str, str]] = Counter(("word", word) for word in words)
    counter.update(("pair", f"{a} {b}") for a, b in pairwise(words))
    counter.update(("mark", PARAGRAPH if "\n" in mark else mark) for mark in _MARK.findall(text))
    lengths = {
        ("length", "letters a word"): (
            float(np.mean([len(word) for word in words])) if words else 0.0
        ),
        ("length", "words a sentence"): len(words) / max(1, len(sentences(text))),
    }
    return counter, lengths


def habits(
    text: str, known: Sequence[str], crowd: Sequence[str], functions: frozenset[str], most: int
) -> tuple[Habit, ...]:
    """Return the habits in which text and known texts differ most from others' texts in the same direction, the largest
    first.

    ``functions`` are the most frequent words of others' texts, in lowercase; other words may belong to the topic.
    """
    own, lengths = counts(text)
    size = max(1, len(plain_words(text)))
    names = [key for key, count in own.items() if count >= FEWEST[key[0]]]
    names += [("word", word) for word in sorted(functions) if ("word", word) not in own]
    names = [
        key for key in names if key[0] != "pair" or functions.issuperset(key[1].split(" "))
    ] + list(lengths)
    here = _rates(text, names)
    mine = np.stack([_rates(one, names) for one in known]).mean(axis=0)
    others = np.stack([_rates(one, names) for one in crowd])
    least = np.array([0.0 if kind == "length" else 1000 / size for kind, _ in names])
    mean = others.mean(axis=0)
    spread = np.maximum(others.std(axis=0), np.maximum(least, 1e-9))
    z = (here - mean) / spread
    y = (mine - mean) / spread
    pull = np.where(z * y > 0, np.minimum(np.abs(z), np.abs(y)), 0.0)
    rows = []
    for i in np.argsort(-pull, kind="stable")[:most]:
        kind, name = names[i]
        if pull[i] > 0:
            rows.append(
                Habit(
                    kind,
                    name,
                    float(here[i]),
                    float(mine[i]),
                    float(mean[i]),
                    float(z[i]),
                    float((others[:, i] < here[i]).mean()),
                    places(text, kind, name),
                    kind == "word" and name not in functions and "'" not in name,
                )
            )
    return tuple(rows)


def _rates(text: str, names: Sequence[tuple[str, str]]) -> Floats:
    counted, lengths = counts(text)
    size = max(1, sum(count for (kind, _), count in counted.items() if kind == "word"))
    return np.array(
        [lengths[key] if key in lengths else 1000 * counted[key] / size for key in names]
    )


def places(text: str, kind: str, name: str) -> tuple[tuple[int, int], ...]:
    """Return the half-open spans (start, end), in characters, of a habit's uses in a text."""
    if kind == "length":
        return ()
    if kind == "mark":
        wanted = r"\n[^\S\n]*\n" if name == PARAGRAPH else re.escape(name)
    else:
        words = [re.escape(word).replace("'", "['’]") for word in name.split(" ")]
        if re.search(f"[{HAN}{HIRAGANA}]", name):  # no blanks stand around such words
            wanted = r"\W*".join(words)
        else:
            wanted = r"(?<![\w'’])" + r"\W+".join(words) + r"(?!\w|['’]\w)"
    return tuple(match.span() for match in re.finditer(wanted, text, re.IGNORECASE))


def without(text: str, habit: Habit, instead: Mapping[str, str]) -> str:
    """Return the text without the uses of a habit beyond the others' mean (evenly spread): replaced if there is another
    word, otherwise removed."""
    chosen: list[int] = (
        np.linspace(0, len(habit.places) - 1, habit.excess).round().astype(int).tolist()
    )
    out = []
    at = 0
    for start, end in (habit.places[i] for i in dict.fromkeys(chosen)):
        new = " " if habit.name == PARAGRAPH else instead.get(habit.name, "")
        new = new.capitalize() if text[start : start + 1].isupper() else new
        cut = (
            start - 1
            if not new and start > at and text[start - 1] == " " and habit.kind != "mark"
            else start
        )
        out += [text[at:cut], new]
        at = end
    return "".join([*out, text[at:]])


TRIED = 40
"""Number of habits for which verifiers are asked."""
OTHERS = 60
"""Number of texts by others that verifiers answer, to see how recognisable the author's text is."""
EYE_Z = 3.0
EYE_TIMES = 3.0
"""A reader notices a habit (not of the topic) from this many standard deviations and this multiple of the others'
rate."""
PIECES = 4
"""Number of texts into which a sample of Brown (one author, 2,000 words) is cut if there is no background."""
BROWN = (
    "no background was given, so Raven compared you with texts printed in 1961 (Brown): some "
    "findings may be about your kind of text or your time, not about you; give texts like yours "
    "with --background FOLDER."
)


@dataclass(frozen=True, eq=False)
class Judge:
    """Verifiers that learned from the background, and the author's other texts.

    ``known`` are the other texts as verifiers receive them, ``own`` the unchanged ones, ``crowd`` the background's
    texts, ``functions`` its most frequent words, in lowercase.
    """

    verifiers: Mapping[str, Verifier]
    known: tuple[str, ...]
    own: tuple[str, ...]
    crowd: Sequence[str]
    functions: frozenset[str]

    def answers(self, texts: Sequence[str]) -> dict[str, list[float]]:
        """Return each verifier's answers, from 0 to 1, to whether the author of the known texts wrote these texts."""
        problems = Problems.of((str(i), self.known, text) for i, text in enumerate(texts))
        return {
            name: verifier.verify(problems).tolist() for name, verifier in self.verifiers.items()
        }

    @cached_property
    def strangers(self) -> dict[str, list[float]]:
        """Each verifier's answers to ``OTHERS`` texts by other people, compared with the author's known texts."""
        chosen = np.linspace(0, len(self.crowd) - 1, min(OTHERS, len(self.crowd))).round()
        return self.answers([self.crowd[i] for i in chosen.astype(int)])


@dataclass(frozen=True)
class Tip:
    """A habit, a possible replacement, and how far the mean answer (0 to 1) falls without its excess uses (None if it
    has too few uses, or is a length)."""

    habit: Habit
    instead: str | None
    gain: float | None

    @property
    def catches_the_eye(self) -> bool:
        """Whether a reader notices it without counting: a mark, word or pair at an extreme rate."""
        h = self.habit
        return not h.content and h.excess > 1 and h.z >= EYE_Z and h.here >= EYE_TIMES * h.others


@dataclass(frozen=True)
class Telling:
    """A sentence: its half-open span in characters, and how far the mean answer (0 to 1) falls without it."""

    start: int
    end: int
    gain: float


@dataclass(frozen=True, eq=False, repr=False)
class Advice(Shown):
    """What identifies the author of a text. ``tips`` are ordered: habits that a reader notices, then by gain, then
    words that may belong to the topic. ``sentences`` identify the author most. ``choices`` between forms are like the
    author's other texts and unlike other people's, the clearest first.

    ``answers`` (0 to 1, higher = same author) are the verifiers' answers to the unchanged text, ``after`` to the text
    with all useful tips followed, ``others`` their mean answers to texts by other people; ``personal`` lists details
    that identify a person in any style; ``judge`` answers about any other version.
    """

    _shown_by = "ext.case.advise.report:AdviceView"
    text: str
    answers: Mapping[str, float]
    after: Mapping[str, float]
    others: tuple[float, ...]
    tips: tuple[Tip, ...]
    sentences: tuple[Telling, ...]
    personal: tuple[Personal, ...]
    notes: tuple[str, ...]
    judge: Judge = field(repr=False)
    choices: tuple[Choice, ...] = ()

    def write(self, folder: str | Path) -> Path:
        """Write page, tables and JSON, and return the page's path; earlier advice in the folder is replaced. InputError
        if the folder has other files, or cannot be written."""
        page: Path = self._view().write(folder)
        return page

    @cached_property
    def mean(self) -> float:
        """The verifiers' mean answer, from 0 to 1 (one author)."""
        return float(np.mean(list(self.answers.values())))

    @property
    def standing(self) -> Standing:
        """How many texts by others have at least this text's mean answer."""
        return Standing(sum(one >= self.mean for one in self.others), len(self.others))

    @property
    def stands_out(self) -> bool:
        """Whether it is among the nearest tenth of texts by others."""
        return self.standing.recognised

    @property
    def recognised_by(self) -> list[str]:
        """Verifiers by whose answers the text is among the nearest tenth."""
        strangers = self.judge.strangers
        return [
            name
            for name, answer in self.answers.items()
            if Standing(sum(o >= answer for o in strangers[name]), len(self.others)).recognised
        ]

    def at(self, place: int) -> int:
        """Return the line of a position in the text, from 1."""
        return self.text.count("\n", 0, place) + 1

    def sentence(self, place: int) -> int:
        """Return the sentence of a position in the text, from 1."""
        return bisect_right(self._starts, place)

    @cached_property
    def _starts(self) -> list[int]:
        return [start for start, _ in sentences(self.text)]


def advise(given: AdviseSpec, progress: Progress) -> Advice:
    """Find what identifies the author of a text, and what a change would gain. Raises InputError if a text is missing,
    empty or too short, if the background is too small, or if the text repeats one of the others."""
    if not given.known:
        raise SpecError(
            "there is nothing to compare the text with: --known is missing",
            expected="other texts by its author",
        )
    if given.background or missing("brown") is not None:
        return _advise(given, progress)
    with TemporaryDirectory() as folder:
        for name, text in brown_texts().items():
            place = Path(folder, name)
            words = text.split(" ")
            place.mkdir()
            for i in range(PIECES):
                piece = words[i * len(words) // PIECES : (i + 1) * len(words) // PIECES]
                (place / f"{i}.txt").write_text(" ".join(piece), encoding="utf-8")
        advice = _advise(structs.replace(given, background=folder), progress)
    return replace(advice, notes=(BROWN, *advice.notes))


def _advise(given: AdviseSpec, progress: Progress) -> Advice:
    named = {
        name: getattr(given, name)
        for name in ("known", "background", "seed", "encoding", "author", "topic", *READING)
    }
    spec = build(
        {
            **named,
            "questioned": (given.text,),
            "text": given.column,
            "verifiers": given.verifiers,
            "folds": 2,
            "donors": 1,
        }
    )
    material = read_material(spec)
    if len(material.cases) != 1:
        raise InputError(
            "raven advise takes a text by one author", found=f"{len(material.cases)} candidates"
        )
    plan = draft(spec, material, progress, whole=True)
    record = plan.plan.cases[0]
    if record.refusals:
        raise InputError(f"no advice can be given: {record.refusals[0]}", file=given.text)
    (case_fold,) = (name for shape in plan.plan.shapes for name in shape.case_folds)
    fold = next(fold for fold in plan.folds if fold.name == case_fold)
    learned: dict[str, Verifier] = {}
    components = spec.components()
    for name in (able := [one.name for one in plan.plan.verifiers]):
        progress("verifiers learn", len(learned), len(able))
        component = components[name]
        learned[name] = as_verifier(fresh(component)).fit(fold.train, fold.train_same)
    # The first problem of a shape is its case as it stands, the known texts joined and cut like the background's.
    given_case = material.cases[0]
    judge = Judge(
        learned,
        tuple(fold.test.texts.rows(fold.test.known(0))),
        tuple(one.text for one in given_case.candidate.texts),
        fold.train.texts.rows(fold.train.documents),
        frozenset(plan.plan.background.functions),
    )
    notes = (*plan.plan.notes, *record.notes, *plan.plan.background.left_out)
    advice = advise_on(given_case.questioned.text, judge, notes)
    chosen = choices(advice.text, judge.own, fold.train, fold.train_same, spec.seed)
    return replace(advice, choices=tuple(one for one in chosen if one.log10 > 0))


def read_version(path: str | Path, encoding: str | None = None) -> str:
    """Read a later version of the text. Raises InputError if it is missing, empty or too short."""
    version = read_text(Path(path), encoding)
    words, shown = evidence_in_words(version.text)
    if words < FEWEST_WORDS:
        raise InputError(
            "the text is too short", file=path, found=shown, expected=f"{FEWEST_WORDS}"
        )
    return version.text


def advise_on(text: str, judge: Judge, notes: tuple[str, ...]) -> Advice:
    """Return advice on a version of the text, from verifiers that have learned."""
    text_habits = habits(text, judge.own, judge.crowd, judge.functions, TRIED)
    instead: dict[str, str] = {}
    lacking = ["these texts are not in English, so Raven proposes no words"]
    if speaks_english(judge.crowd):
        fixed = stretches(text)  # in addition, hard time
        instead, lacking = _instead(
            text,
            [
                h.name
                for h in text_habits
                if h.kind == "word" and h.excess and not any(fixed.touch(*x) for x in h.places)
            ],
        )
    tried = [h for h in text_habits if h.excess and h.z > 0]
    spans = [(a, b) for a, b in sentences(text) if text[:a].strip() or text[b:].strip()]
    variants = [without(text, h, instead) for h in tried] + [text[:a] + text[b:] for a, b in spans]
    verdicts = judge.answers([text, *variants])
    before, *means = np.mean(list(verdicts.values()), axis=0).tolist()
    others = np.mean(list(judge.strangers.values()), axis=0).tolist()
    gains = {(h.kind, h.name): before - mean for h, mean in zip(tried, means, strict=False)}
    tips = [Tip(h, instead.get(h.name), gains.get((h.kind, h.name))) for h in text_habits]
    tips.sort(key=lambda tip: (tip.habit.content, not tip.catches_the_eye, -(tip.gain or 0.0)))
    best = text
    for tip in (tip for tip in tips if (tip.gain or 0) > 0):
        best = without(best, _again(tip.habit, best), instead)
    telling = [
        Telling(a, b, before - mean)
        for (a, b), mean in zip(spans, means[len(tried) :], strict=True)
        if mean < before
    ]
    return Advice(
        text=text,
        answers={name: values[0] for name, values in verdicts.items()},
        after={name: values[0] for name, values in judge.answers([best]).items()},
        others=tuple(others),
        tips=tuple(tips),
        sentences=tuple(sorted(telling, key=lambda one: -one.gain)),
        personal=personal(text),
        notes=(*notes, *lacking),
        judge=judge,
    )


def _again(habit: Habit, text: str) -> Habit:
    """The habit at the places it has left in a changed text."""
    left = places(text, habit.kind, habit.name)
    return replace(habit, here=habit.here * len(left) / max(1, len(habit.places)), places=left)


def _means_the_same(word: str, lemma: str, pos: str | None) -> bool:
    """Whether a word's usual sense is that of its replacement too: *clip* is a *time*, but nobody reads it so."""
    return usual_sense(lemma.replace(" ", "_"), pos) == usual_sense(word, pos)


def _instead(text: str, words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Near words that are no antonyms, in the same form, of those words that have one, and what is missing for more.

    They are synonyms in the usual sense of both; the part of speech is the one that a word has here, or usually has
    where there is no tagger.
    """
    if (lacking := missing("wordnet")) is not None:
        return {}, [f"Raven proposes no words: {lacking}"]
    part = measure(text).pos
    replacements: dict[str, str] = {}
    for word in words:
        sense = None if part else usual_sense(word)
        pos = sense.pos().replace("s", "a") if sense is not None else part.get(word)
        for lemma in relatives(word, pos)[0] if pos else ():
            try:
                inflected = same_form(word, lemma, pos)
            except MissingPart as error:
                return {}, ["no words are proposed: " + str(error).replace("\n  ", "; ")]
            if inflected is not None and _means_the_same(word, lemma, pos):
                replacements.setdefault(word, inflected)
    return replacements, []
