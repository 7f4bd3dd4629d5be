"""A third proposition: a language model that imitates the candidate wrote the questioned text (ours).

What imitations look like is learned from background authors who are imitated too: each imitation stands against known
texts of whom it imitates, beside own texts and texts by strangers. Every questioned text is asked about twice: held
against the known texts, and against texts that the model wrote when it imitated others. So that a machine is not told
by anything but style, all texts are of one length, on one line, in one set of marks, without Markdown, and the
questioned ones have their content words replaced; chatter, copies and texts in another language are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ravenbench.corpora.load import load_corpus
from ravenbench.engine.pool import Progress
from ravenbench.errors import ProgramError
from ravenbench.ext.case.compare.background import FEWEST_AUTHORS, TESTED, Background, Part, Shaped, writers
from ravenbench.ext.case.compare.material import FOREIGN, SHARED, Case, coverage, folded, is_copy, runs
from ravenbench.ext.case.compare.record import MACHINE, OTHER, OWN, ThirdRecord
from ravenbench.ext.case.compare.spec import CompareSpec
from ravenbench.ext.case.like_case import LEAST_FILLED, Writer, pairs
from ravenbench.ext.machine.llm import objection
from ravenbench.obfuscation.base import ObfuscationTask
from ravenbench.problems.transplant import Transplanter
from ravenbench.randomness import stream
from ravenbench.text.tokens import count_words, cut
from ravenbench.texts import TextTable
from ravenbench.types import Fold, Labels, Problems

MADE = 2
"""Imitations that are asked for of each background author, and of each candidate on the questioned text's subject."""
FEWEST_OWN = 2
"""Imitations of the candidate below which nothing is said: that they are told from the candidate's texts is checked."""
_MARKS = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "…": "..."})
_MARKDOWN = re.compile(r"^\s*(?:#+|>|[*+•-]|\d+\.)\s|\*+|`+|(?<!\w)_+|_+(?!\w)|</?[A-Za-z]\w*>", re.MULTILINE)


def plain(text: str) -> str:
    """The text on one line, with marks of one kind, without Markdown, tags and quotation marks around the whole."""
    return " ".join(_MARKDOWN.sub(" ", text).translate(_MARKS).split()).strip('" ')


@dataclass(frozen=True)
class Imitations:
    """Texts by whom they imitate (their name folded), in one plain form, the ``used`` model, and what was left out."""

    by: str
    texts: Mapping[str, list[str]]
    left_out: list[str]

    def of(self, name: str, words: int) -> list[str]:
        """Texts of so many words that imitate somebody: short ones are joined, long ones cut."""
        own = self.texts.get(folded(name), [])
        return filled(own, [words] * len(own))


def filled(texts: Sequence[str], sizes: Sequence[int]) -> list[str]:
    """Texts of these sizes from others in order, as far as they reach; each is used once."""
    made, parts, sizes = list[str](), list[str](), list(sizes)
    for text in texts:
        parts.append(text)
        if sizes and count_words(joined := " ".join(parts)) >= sizes[0]:
            made.append(cut(joined, sizes.pop(0)))
            parts = []
    return made


def imitations(
    spec: CompareSpec, cases: Sequence[Case], background: Background, usual: float, progress: Progress
) -> Imitations:
    """The imitations in a folder, or those that a model is asked for; what could tell them other than by style is left
    out and counted. InputError if the folder cannot be read, or the model would be asked too often."""
    assert spec.machine is not None
    recipe, failed, written = spec.imitating(), Counter[str](), list[tuple[str, str]]()
    if recipe is None:
        by, _, folder = spec.machine.partition("=")
        corpus = load_corpus(folder, encoding=spec.encoding)
        written = [(corpus.author[row] or "", corpus.texts[row]) for row in range(len(corpus))]
    else:
        by, tasks = str(recipe), _tasks(cases, background)
        recipe.fit([task for _, task in tasks for _ in range(MADE)])
        for number, (name, task) in enumerate(tasks):
            progress("asking the model", number, len(tasks))
            for seed in range(MADE):
                try:
                    written.append((name, recipe.obfuscate(task, spec.seed + seed).text))
                except ProgramError as error:
                    failed[str(error).removeprefix("imitate: ")] += 1
    people = {folded(name) for name in (*background.authors, *(case.candidate.name for case in cases))}
    real = [text.text for case in cases for text in (case.questioned, *case.candidate.texts)]
    seen = [runs(text) for text in (*real, *background.corpus.texts)]
    texts = dict[str, list[str]]()
    for name, text in written:
        mine = runs(text)
        reason = objection("", text)
        if folded(name) not in people:
            reason = "of nobody in the background or among the candidates"
        elif coverage(text, background.space.functions) < FOREIGN * usual:
            reason = reason or "in another language or of another kind"
        elif any(is_copy(mine, other, SHARED) or is_copy(other, mine, SHARED) for other in seen):
            reason = reason or "repeats a text of the case or the background"
        if reason is None:
            texts.setdefault(folded(name), []).append(plain(text))
        else:
            failed[reason] += 1
    return Imitations(by.strip(), texts, [f"{count} ({reason})" for reason, count in sorted(failed.items())])


def _tasks(cases: Sequence[Case], background: Background) -> list[tuple[str, ObfuscationTask]]:
    """Whom to imitate saying what: candidates what the questioned text says, background authors what another's says."""
    corpus = background.corpus
    own = [corpus.texts.rows(np.flatnonzero(corpus.author.codes == code)) for code in range(len(background.authors))]
    asked = [(c.candidate, c.id, c.questioned.text) for c in cases]
    tasks = [(one.name, ObfuscationTask(id, text, tuple(t.text for t in one.texts))) for one, id, text in asked]
    for i, name in enumerate(background.authors):
        tasks.append((name, ObfuscationTask(f"background {name}", own[i - 1][-1], tuple(own[i]))))
    return tasks


def third(shaped: Shaped, given: Imitations) -> tuple[list[Part], dict[str, ThirdRecord]]:
    """The folds of a shape that ask about imitations, each with who wrote its questioned texts, and what each case asks
    of them. The first half of a fold's problems hold questioned texts against known ones, the other against the
    model's."""
    shape, background = shaped.shape, shaped.background
    words = int(LEAST_FILLED * shape.questioned)
    able = {code: made for code in shaped.record.authors if (made := given.of(background.authors[code], words))}
    few = (
        f"{len(able)} background authors are imitated in texts of {words} words; at least {FEWEST_AUTHORS} are needed "
        "in several folds, with content words that can be replaced, to say what an imitation by this model looks like"
    )
    nothing = list[Part](), {case.id: ThirdRecord(reason=few) for case in shaped.cases}
    if len(able) < FEWEST_AUTHORS:
        return nothing
    own = {case.id: given.of(case.candidate.name, words) for case in shaped.cases}
    everyone = {one.author: _plain(one) for one in
                writers(background, shape, shaped.seed, TESTED, shaped.record.authors)}  # fmt: skip
    splicer = _splicer(shaped, list(everyone.values()), [*able.values(), *own.values()])
    folds, asked = list[Part](), dict[str, ThirdRecord]()
    for number, (part, training) in enumerate(shaped.trained):
        rows, about = list[tuple[str, Sequence[str], str]](), list[list[float]]()
        ask = partial(_ask, rows, about, words)
        tested = [everyone[code] for code in part]
        for pair in pairs(tested, 1, 0, shaped.seed):
            one, other = tested[pair.known[0]], tested[pair.questioned[0]]
            text = other.questioned[pair.questioned[1]].texts[0]
            ask([one.author, other.author, OWN if pair.same else OTHER], one.known[pair.known[1]].texts, text)
        for one in tested:
            for i, text in enumerate(able.get(one.author, []) if one.known else []):
                ask([one.author, one.author, MACHINE], one.known[i % len(one.known)].texts, text)
        for place, case in enumerate(() if part else shaped.cases):
            known = list(map(plain, shaped.known(case)))
            for _ in range(shaped.donors):
                ask([place, place, OWN], known, plain(shaped.asked(case)))
            for text in own[case.id]:
                ask([place, place, MACHINE], known, text)
        moved = splicer.transplant(Problems.of(rows))
        who = np.array(about, dtype=np.float64).reshape(-1, 4)[moved.rows]
        speech = [text for code, made in able.items() if code not in part for text in made]
        if not speech or not len(moved):
            return nothing
        drawn = stream(shaped.seed, "compare-machine", number).permutation(len(speech))
        model = filled([speech[i] for i in drawn], shape.known) or [speech[drawn[0]]]
        texts = [moved.off.texts[row] for row in moved.off.questioned_index]
        both = [
            *((rows[row][1], text) for row, text in zip(moved.rows, texts, strict=True)),
            *((model, t) for t in texts),
        ]
        test = Problems.of((f"{i}", known, text) for i, (known, text) in enumerate(both))
        name = f"{shaped.name}-f{number}-machine" if part else f"{shaped.name}-machine"
        folds.append((Fold(name, *training, test.blind(), np.tile(who[:, 2] == OWN, 2)), who))
        for place, case in enumerate(() if part else shaped.cases):
            mine = who[:, 0] == place
            versions, told = (np.flatnonzero(mine & (who[:, 2] == kind)).tolist() for kind in (OWN, MACHINE))
            reason = None if versions else "the content words of the questioned text could not be replaced"
            if versions and len(told) < FEWEST_OWN:
                reason = (
                    f"{len(told)} imitations of the candidate are as long as the questioned text; at least "
                    f"{FEWEST_OWN} are needed to check that they are told from texts by persons"
                )
            asked[case.id] = ThirdRecord(reason=reason, versions=versions, own=told)
    return folds, asked


def _ask(
    rows: list[tuple[str, Sequence[str], str]], about: list[list[float]], words: int,
    who: Sequence[float], known: Sequence[str], text: str,
) -> None:  # fmt: skip
    rows.append((f"{len(rows)}", known, cut(text, words)))
    about.append([*who, 0.0])


def _plain(one: Writer) -> Writer:
    known, questioned = (
        tuple(side._replace(texts=tuple(map(plain, side.texts))) for side in of) for of in (one.known, one.questioned)
    )
    return Writer(one.author, known, questioned, one.own)


def _splicer(shaped: Shaped, everyone: Sequence[Writer], made: Sequence[Sequence[str]]) -> Transplanter:
    """Transplants among plain texts: background authors give content, cases and imitations do not."""
    words = int(LEAST_FILLED * shaped.shape.questioned)
    author = {text: str(one.author) for one in everyone for side in one.known for text in side.texts}
    author |= {cut(side.texts[0], words): str(one.author) for one in everyone for side in one.questioned}
    known = [plain(text) for case in shaped.cases for text in shaped.known(case)]
    rest = [cut(plain(shaped.asked(case)), words) for case in shaped.cases]
    texts = TextTable.collect([*author, *known, *rest, *(text for several in made for text in several)])[0]
    return Transplanter(texts, author=Labels.of([author.get(text) for text in texts]), seed=shaped.seed)
