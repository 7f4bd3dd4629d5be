"""Are the probabilities of ``raven attribute --unknown`` calibrated, where the author is a candidate and where not?

    python -m benchmarks.study_unknown DATA --choose            # the values that few texts leave in force, on half A
    python -m benchmarks.study_unknown DATA --choose --methods  # and which methods
    python -m benchmarks.study_unknown DATA --show --write      # once, on everybody else
    python -m benchmarks.study_unknown DATA --reject            # PAN-2018 with half of the candidates left out

DATA is the folder of data sets. Questions whose truth is known are drawn: 2 to 10 candidates, 1 to 5 known texts of
each, cut to 200 to 3,000 words, and one unknown text of each, cut to 100 to 2,500 words; for each text by a candidate
there is one by an author who is none of them. A text is a document of the Extended Brennan–Greenstadt corpus
(``long``: documents joined), what an author wrote in one thread of 20 Newsgroups (``novel``: and the known texts stand
in other groups), a document of a same-author problem of PAN-2014's training parts, fan fiction of PAN-2018's training
part (texts in question are of other worlds than known ones), or an excerpt of a novel (ELTeC; the known texts are of
other novels). Seeds go through each author's texts in turn.

Half A are authors whose names have an even hash, as in ``study_attribution``. On their questions the values around
which probabilities are learned (``attribution.posterior``) are chosen by the mean log loss of the data sets, and those
of ``NAMED`` by the likelihood of how often somebody is named in texts by nobody. Half B, and ELTeC, are shown once.

Two tables: *listed*, over texts by candidates, has the probability of the most probable candidate if one of the
candidates wrote the text; *none*, over all texts, has the probability of "none of them". ECE is over ten bins; its
interval is a bootstrap over questions, and beside it stands the mean ECE that a perfectly calibrated method would have
on as many texts. A probability that counts both cases cannot be calibrated within each unless every author who is not
listed is noticed; ``joint`` has its ECE over all texts, and within each, as it is.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.pages import bare, table_file
from benchmarks.study_attribution import half
from ravenbench import registry
from ravenbench.attribution import posterior
from ravenbench.attribution.posterior import Posterior, held_out, scored
from ravenbench.attribution.protocols import answer_problem
from ravenbench.engine.guard import one_thread
from ravenbench.ext.unknown.naming import Scored, _means
from ravenbench.ext.unknown.task import DEFAULT, Passages, _topics, divided, passage_words, passages
from ravenbench.reading.load import load_corpus
from ravenbench.reading.pan_attribution import UNKNOWN, macro_f1, read_attribution
from ravenbench.reading.problems import read_problems
from ravenbench.text.tokens import count_words, cut
from ravenbench.types import Floats

NONE = 0.5
BEFOREHAND = (0.1, 0.2, 0.35, 0.5, 0.65)
BEFORE = (1.8, 0.5, 0.25, 0.2, 0.2)
"""Contrast, none, spreads and ``--none`` that were in force before texts by nobody were as many as the others."""
LENGTHS, CANDIDATES, TEXTS = (
    (100, 150, 250, 400, 600, 1000, 2500),
    (2, 3, 4, 5, 7, 10),
    (1, 2, 3, 5),
)
KNOWN = (200, 400, 800, 3000)
SETS = {
    "ebg": (range(16), 99),
    "ebg-long": (range(12), 99),
    "newsgroups": (range(3), 20),
    "newsgroups-novel": (range(3), 20),
    "pan14-en": (range(5), 99),
    "pan14-du": (range(8), 99),
    "pan14-gr": (range(12), 99),
    "pan18": (range(14), 99),
    "eltec": (range(12), 99),
}
"""Seeds of each data set, and most questions of a seed."""
LONG = 1500
SHOWN_ALONE = "eltec"
"""Nobody of this collection served to choose anything."""
POOL = "raven-style, ppm, svm, distorted(svm), cosine-delta, nb, function-words"
CHOICES = (
    "raven-style, ppm",
    "raven-style",
    "raven-style, ppm, cosine-delta",
    "raven-style, ppm, svm",
    "raven-style, ppm, function-words",
    "svm, distorted(svm), cosine-delta, ppm",
)
FIGURE, KEPT = Path("docs/images/unknown.svg"), Path("benchmarks/unknown.json")
TABLE = Path("docs/data/attribution-unknown.csv")


KNOWN_SIDE = "known of PAN18"
"""How documents are called that are never in question."""


class Question(NamedTuple):
    """Known texts (candidate, document, topic, text), unknown ones and their authors (−1: none), words of these."""

    known: list[tuple[int, str, str | None, str]]
    unknown: list[str]
    truth: list[int]
    words: int


Documents = dict[str, list[tuple[str, str | None, str]]]


@lru_cache
def documents(data: Path, name: str) -> Documents:
    """Document, topic and text of every author."""
    read = {
        "ebg": corpus_documents,
        "newsgroups": corpus_documents,
        "pan18": pan18,
        "eltec": novels,
    }
    found: Documents = defaultdict(list)
    rows = read.get(name, pan14)(data, name)
    for author, document, topic, text in sorted(rows, key=lambda row: tuple(map(str, row))):
        if count_words(text) >= 100:
            found[author].append((document, topic, text))
    return found


def corpus_documents(data: Path, name: str) -> Iterator[tuple[str, str, str | None, str]]:
    """Documents of the Extended Brennan–Greenstadt corpus; of 20 Newsgroups what an author wrote in one thread."""
    ebg = name == "ebg"
    corpus = load_corpus(
        f"ebg(path={str(data / 'ebg' / 'extended-brennan-greenstadt.zip')!r})"
        if ebg
        else "newsgroups"
    )
    of, joined = corpus.columns["document" if ebg else "thread"], defaultdict(list)
    for i in range(len(corpus)):
        if corpus.author[i] is not None:
            joined[corpus.author[i], str(of[i]), None if ebg else corpus.topic[i]].append(
                corpus.texts[i]
            )
    for key, texts in joined.items():
        yield (*key, "\n\n".join(texts))


def pan14(data: Path, name: str) -> Iterator[tuple[str, str, None, str]]:
    """Same-author problems of a training part: each is a person, unless a text of theirs stands in another."""
    file = {"pan14-en": "en_essays", "pan14-du": "du_essays", "pan14-gr": "gr_articles"}[name]
    given = read_problems(data / "pan14" / f"{file}.zip", "train")
    seen: set[str] = set()
    for i in np.flatnonzero(given.truth()):
        rows = [*given.problems.known(i), given.problems.questioned_index[i]]
        own = [" ".join(text.split()) for text in given.problems.texts.rows(rows)]
        if seen.isdisjoint(own):
            yield from (
                (f"{file} {i:03d}", str(place), None, text) for place, text in enumerate(own)
            )
        seen.update(own)


def pan18(data: Path, name: str) -> Iterator[tuple[str, str, None, str]]:
    """Fan fiction of the larger English problem; the world of texts in question is not that of known ones."""
    every = read_attribution(
        data / "pan18" / "pan18-cross-domain-authorship-attribution-training.zip"
    )
    problem = max(every, key=lambda one: len(one.candidates))
    assert problem.truth is not None
    for author, known in problem.candidates.items():
        asked = [text for n, text in problem.unknown.items() if problem.truth[n] == author]
        for kind, texts in ((KNOWN_SIDE, known if asked else []), ("asked", asked)):
            for place, text in enumerate(texts):
                yield f"{problem.name} {author}", f"{kind} {place}", None, text


def novels(data: Path, name: str) -> Iterator[tuple[str, str, None, str]]:
    """Three excerpts of 3,000 words from each novel of ELTeC-eng, the novel being the document."""
    import zipfile
    from xml.etree import ElementTree

    tei = "{http://www.tei-c.org/ns/1.0}"
    with zipfile.ZipFile(data / "eltec" / "eltec-eng.zip") as archive:
        for file in sorted(
            n for n in archive.namelist() if n.endswith(".xml") and n.startswith("level1/")
        ):
            root = ElementTree.fromstring(archive.read(file))  # noqa: S314
            author = next(root.iter(f"{tei}author"))
            body = next(root.iter(f"{tei}body"))
            words = " ".join("".join(p.itertext()) for p in body.iter(f"{tei}p")).split()
            for start in (
                np.linspace(len(words) / 10, 9 * len(words) / 10 - 3000, 3).astype(int).tolist()
            ):
                yield (
                    author.get("ref") or str(author.text),
                    file,
                    None,
                    " ".join(words[start : start + 3000]),
                )


def joined(documents: Sequence[tuple[str, str | None, str]]) -> list[tuple[str, str | None, str]]:
    """Documents of an author joined to texts of ``LONG`` words and more; a rest that is shorter is left out."""
    chunks: list[tuple[str, str | None, str]] = []
    held: list[str] = []
    for document, _, text in documents:
        held.append(text)
        if sum(map(count_words, held)) >= LONG:
            chunks.append((document, None, "\n\n".join(held)))
            held = []
    return chunks


def questions(data: Path, name: str, side: int) -> Iterator[Question]:
    """All questions of a data set about the authors of one half."""
    seeds, most = SETS[name]
    for seed in seeds:
        yield from [
            question
            for _, question in zip(range(most), drawn(data, name, side, seed), strict=False)
        ]


def drawn(data: Path, name: str, side: int, seed: int) -> Iterator[Question]:
    """Each author is a candidate once, and one of their documents in question, beside as many by others of the half."""
    source, _, kind = (name, "", "") if name.startswith("pan") else name.partition("-")
    novel, long = kind == "novel", kind == "long"
    everyone = {
        a: d for a, d in documents(data, source).items() if name == SHOWN_ALONE or half(a) == side
    }
    if long:
        everyone = {a: chunks for a, d in everyone.items() if (chunks := joined(d))}
    own = {a: d for a, d in everyone.items() if len({document for document, *_ in d}) > 1}
    if novel:
        own = {a: d for a, d in own.items() if len({topic for _, topic, _ in d}) > 1}
    rng = np.random.default_rng([seed, side, len(name)])
    order, at = list(rng.permutation(sorted(own))), 0
    while at + 2 <= len(order):
        count = int(rng.choice([c for c in CANDIDATES if c <= len(everyone) / 2]))
        group, at = order[at : at + count], at + count
        lengths, known = (LENGTHS[-2:], KNOWN[-1:]) if long else (LENGTHS, KNOWN)
        words, length, most = (int(rng.choice(values)) for values in (lengths, known, TEXTS))
        question = Question([], [], [], words)
        for code, author in enumerate(group):
            asked = [one for one in own[author] if not one[0].startswith(KNOWN_SIDE)]
            document, topic, text = asked[(seed + sum(map(ord, author))) % len(asked)]
            others = [own[author][i] for i in rng.permutation(len(own[author]))]
            others = [
                one for one in others if one[0] != document and not (novel and one[1] == topic)
            ]
            if name == "pan18":
                others = [one for one in others if one[0].startswith(KNOWN_SIDE)]
            question.known.extend(
                (code, f"{code}/{d}", t, cut(text, length)) for d, t, text in others[:most]
            )
            question.unknown.append(cut(text, words))
            question.truth.append(code)
        for author in rng.choice([a for a in sorted(everyone) if a not in group], size=len(group)):
            asked = [one for one in everyone[author] if not one[0].startswith(KNOWN_SIDE)]
            question.unknown.append(cut(asked[int(rng.integers(len(asked)))][2], words))
            question.truth.append(-1)
        yield question


def prepared(question: Question) -> Passages:
    """A question's passages, as the command cuts them."""
    codes, names, given, texts = zip(*question.known, strict=True)
    words = passage_words(question.words, [count_words(text) for text in texts], codes)
    topic, by = _topics(given, texts, 0)
    number = {name: i for i, name in enumerate(dict.fromkeys(names))}
    known = [
        (a, number[n], int(t), text)
        for a, n, t, text in zip(codes, names, topic, texts, strict=True)
    ]
    asked = [(n, part) for n, text in enumerate(question.unknown) for part in passages(text, words)]
    return divided(known, asked, words, 0, bool(by), None)


class Case(NamedTuple):
    """Texts of a question that are cut alike, with what one posterior learns from and answers: scores (methods, known
    or unknown, candidates), candidates of the known texts, how many these are, the truth, and whether the command
    would answer."""

    closed: Floats
    absent: Floats
    codes: Any
    size: int
    unknown: Floats
    truth: Any
    given: bool
    question: int


class Answered(NamedTuple):
    """Of a question its passages, the truth, and by method and name the scores."""

    passages: Passages
    truth: list[int]
    scores: dict[str, dict[str, Floats]]

    def cases(self, methods: Sequence[str], number: int) -> Iterator[Case]:
        """The question as posteriors answer it."""
        names = ("closed", "absent", "unknown")
        both = Scored(
            self.passages,
            {name: np.stack([self.scores[m][name] for m in methods]) for name in names},
            NONE,
        )
        rows = [np.flatnonzero(self.passages.questioned == n) for n in range(len(self.truth))]
        for most in sorted({len(mine) for mine in rows}):
            runs = both.runs(most)
            codes = self.passages.author[[run[0] for run in runs]]
            closed, absent = (_means(both.scores[name], runs) for name in names[:2])
            asked = [n for n, mine in enumerate(rows) if len(mine) == most]
            truth = np.array(
                [self.truth[n] if self.truth[n] >= 0 else both.candidates for n in asked]
            )
            given = both.accuracy("", closed, codes, runs).above_chance
            unknown = _means(both.scores["unknown"], [rows[n] for n in asked])
            yield Case(closed, absent, codes, both.texts, unknown, truth, given, number)


def answered(data: Path, name: str, side: int, methods: str) -> list[Answered]:
    """What the methods score for all questions."""
    began, found = time.process_time(), []
    for question in questions(data, name, side):
        p = prepared(question)
        scores, every = {}, np.arange(len(p.texts))
        with one_thread():
            for label in registry.split(methods):
                method = registry.parse("attributor", label)
                scores[label] = {
                    "closed": held_out(method, p.texts, p.author, p.part),
                    "absent": held_out(method, p.texts, p.author, p.away),
                    "unknown": scored(method, p.texts, p.author, every, p.unknown),
                }
        found.append(Answered(p, question.truth, scores))
    spent = time.process_time() - began
    print(
        f"{name}, half {'AB'[side]}: {len(found)} questions in {spent:.0f} CPU seconds", flush=True
    )
    return found


def cases(rows: Sequence[Answered], methods: str) -> list[Case]:
    """All questions of a data set as posteriors of these methods answer them."""
    return [
        case
        for number, row in enumerate(rows)
        for case in row.cases(registry.split(methods), number)
    ]


class Texts(NamedTuple):
    """Of each text: probability of the most probable candidate if one of them wrote it, whether it is right,
    probability of none of them, whether it is by none of them, whether a candidate is named, how often the sentence
    says that this happens where the author is absent, probability of the answer and whether it is right, log loss, the
    question, and its candidates."""

    listed: Floats
    right: Any
    none: Floats
    strange: Any
    named: Any
    told: Floats
    joint: Floats
    said: Any
    loss: Floats
    question: Any
    candidates: Any


def texts(asked: Sequence[Case], none: float = NONE) -> Texts:
    """Every text of the questions, answered with the values in force."""
    columns: list[tuple[Any, ...]] = []
    for case in asked:
        model = Posterior(none).fit(case.closed, case.absent, case.codes, case.size)
        p = model.of(case.unknown)
        best, said = p[:, :-1].max(axis=1), p.argmax(axis=1)
        columns.append(
            (
                best / (1 - p[:, -1]),
                p[:, :-1].argmax(axis=1) == case.truth,
                p[:, -1],
                case.truth == p.shape[1] - 1,
                best >= posterior.LIKELY,
                np.full(len(p), model.named_[0] / model.named_.sum()),
                p.max(axis=1),
                said == case.truth,
                -np.log(np.maximum(p[np.arange(len(p)), case.truth], 1e-12)),
                np.full(len(p), case.question),
                np.full(len(p), p.shape[1] - 1),
            )
        )
    return Texts(*map(np.concatenate, zip(*columns, strict=True)))


def bins(p: Floats, right: Any) -> list[tuple[float, float, int]]:
    """Mean probability, share right and number of texts of each bin of a tenth."""
    place = np.minimum((10 * p).astype(int), 9)
    return [
        (float(p[m].mean()), float(right[m].mean()), int(m.sum()))
        for b in range(10)
        if (m := place == b).any()
    ]


def ece(p: Floats, right: Any) -> float:
    """Expected calibration error."""
    return float(sum(n * abs(mean - share) for mean, share, n in bins(p, right)) / len(p))


def measures(t: Texts) -> dict[str, float]:
    """What has an interval."""
    inside, out = ~t.strange, t.strange
    return {
        "right": t.right[inside].mean(),
        "listed_ece": ece(t.listed[inside], t.right[inside]),
        "none_ece": ece(t.none, t.strange),
        "named_absent": t.named[out].mean(),
        "named_right": (t.named & t.right & inside).sum() / max(1, (t.named & inside).sum()),
        "named_wrong": 1 - (t.named & t.right & inside).sum() / max(1, t.named.sum()),
    }


def figures(t: Texts) -> dict[str, Any]:
    """What is reported of texts."""
    rng = np.random.default_rng(0)
    members = [np.flatnonzero(t.question == q) for q in np.unique(t.question)]
    draws = []
    for _ in range(500):
        rows = np.concatenate([members[i] for i in rng.integers(0, len(members), len(members))])
        draws.append(list(measures(Texts(*(column[rows] for column in t))).values()))
    ends = np.quantile(draws, (0.025, 0.975), axis=0).T
    found = measures(t)
    inside, out = ~t.strange, t.strange
    return {
        "questions": len(members),
        "by_candidates": int(inside.sum()),
        "by_none": int(out.sum()),
        **found,
        **{f"{name}_interval": list(pair) for name, pair in zip(found, ends, strict=True)},
        "listed": t.listed[inside].mean(),
        "none_present": t.none[inside].mean(),
        "none_absent": t.none[out].mean(),
        "listed_perfect": perfect(t.listed[inside], rng),
        "none_perfect": perfect(t.none, rng),
        "named_present": t.named[inside].mean(),
        "told": t.told[out].mean(),
        "log_loss": t.loss.mean(),
        "joint_ece": ece(t.joint, t.said),
        "joint_ece_present": ece(t.joint[inside], t.said[inside]),
        "joint_ece_absent": ece(t.joint[out], t.said[out]),
        "listed_bins": bins(t.listed[inside], t.right[inside]),
        "none_bins": bins(t.none, out),
    }


def perfect(p: Floats, rng: np.random.Generator) -> float:
    """Mean ECE of a perfectly calibrated method."""
    return float(np.mean([ece(p, rng.random(len(p)) < p) for _ in range(200)]))


def choose(sets: dict[str, list[Case]]) -> tuple[float, Any]:
    """Least mean log loss, and the prior that has it (contrast, none, spreads of w and of b), which is put in force."""
    from scipy.optimize import minimize

    def loss(theta: Floats) -> float:
        put(theta)
        return float(np.mean([texts(asked).loss.mean() for asked in sets.values()]))

    start = np.array(
        [np.log(1.4), 0.7, np.log(0.2), np.log(0.2)]
    )  # about what constants for all questions would be
    simplex = np.vstack([start, start + np.diag([0.3, 0.3, -1, -1])])
    best = minimize(
        loss,
        start,
        method="Nelder-Mead",
        options={"initial_simplex": simplex, "maxfev": 30, "fatol": 1e-3},
    )
    put(best.x)
    return float(best.fun), np.round([np.exp(best.x[0]), best.x[1], *np.exp(best.x[2:])], 2)


def put(theta: Floats) -> None:
    """Put values of the prior in force."""
    posterior.CONTRAST, posterior.NONE = float(np.exp(theta[0])), float(theta[1])
    posterior.SPREADS = (float(np.exp(theta[2])), float(np.exp(theta[3])))


def choose_named(sets: dict[str, list[Case]]) -> Any:
    """The values of ``NAMED`` under which counts of texts by nobody in which somebody is named are most likely, after
    those of the candidates left out in turn; data sets weigh alike."""
    from scipy.optimize import minimize
    from scipy.special import betaln, expit, logit

    rows = []
    for asked in sets.values():
        own = []
        for none in BEFOREHAND:
            posterior.NAMED = (0.0, 0.0, 0.0)
            for case in asked:
                model = Posterior(none).fit(case.closed, case.absent, case.codes, case.size)
                strange = case.truth == case.unknown.shape[2]
                x, there = model._alternatives(case.unknown[:, strange])
                named = int(
                    (model._unbounded(x, there)[:, :-1].max(axis=1) >= posterior.LIKELY).sum()
                )
                own.append((logit(none), *model.named_, named, int(strange.sum()) - named))
        rows += [(*row, 1 / sum(row[3] + row[4] for row in own)) for row in own]
    odds, yes, no, named, others, weight = np.array(rows).T

    def loss(theta: Floats) -> float:
        share, authors = expit(theta[0] + theta[1] * odds), np.exp(theta[2])
        a, b = authors * share + yes, authors * (1 - share) + no
        return float(-weight @ (betaln(a + named, b + others) - betaln(a, b)))

    even, slope, authors = minimize(loss, np.array([-2.0, -1.0, 1.5]), method="Nelder-Mead").x
    posterior.NAMED = (float(even), float(slope), float(np.exp(authors)))
    return np.round(posterior.NAMED, 2)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--choose", action="store_true")
    parser.add_argument("--methods", action="store_true", help="with --choose: of several sets")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--reject", action="store_true")
    parser.add_argument(
        "--write", action="store_true", help=f"benchmarks/unknown.json and {FIGURE}"
    )
    given = parser.parse_args()
    if given.choose:
        pool, choices = (POOL, CHOICES) if given.methods else (DEFAULT, (DEFAULT,))
        halves = {name: answered(given.data, name, 0, pool) for name in SETS if name != SHOWN_ALONE}
        for methods in choices:
            sets = {name: cases(rows, methods) for name, rows in halves.items()}
            value, prior = choose(sets)
            print(f"{methods}: log loss {value:.3f}; contrast, none, spreads {prior}", flush=True)
            print(f"named {choose_named(sets)}", flush=True)
            for name, asked in sets.items():
                told(name, figures(texts(asked)))
    if given.reject:
        rejected(given.data)
    if given.show:
        shown = show(
            {name: cases(answered(given.data, name, 1, DEFAULT), DEFAULT) for name in SETS}
        )
        if given.write:
            KEPT.write_text(
                json.dumps(shown, indent=1, default=lambda v: round(float(v), 4)) + "\n"
            )
    if given.write:
        shown = json.loads(KEPT.read_text())
        draw(shown)
        table_file(TABLE, table(shown))


def show(sets: dict[str, list[Case]]) -> dict[str, dict[str, Any]]:
    """Figures of every data set and of all together, with the values in force and with those of before."""
    shown: dict[str, dict[str, Any]] = {}
    for when in ("now", "before"):
        if when == "before":
            put(np.array([np.log(BEFORE[0]), BEFORE[1], *np.log(BEFORE[2:4])]))
            posterior.NAMED = (-50.0, 0.0, 1e9)  # no least value
        every = {
            name: texts(asked, NONE if when == "now" else BEFORE[4]) for name, asked in sets.items()
        }
        numbered = [
            t._replace(question=t.question + 1000 * i) for i, t in enumerate(every.values())
        ]
        every["together"] = together = Texts(*map(np.concatenate, zip(*numbered, strict=True)))
        every["2 or 3 candidates"] = Texts(
            *(column[together.candidates <= 3] for column in together)
        )
        print(when)
        shown[when] = {name: figures(t) for name, t in every.items()}
        for name, found in shown[when].items():
            told(name, found)
    return shown


def rejected(data: Path) -> None:
    """Macro F1 and accuracy of ``--reject`` where half of the candidates are left out, three draws of each problem."""
    for method in registry.parse_list("attributor", "svm, cosine-delta, nb, ppm, raven-style"):
        for problem in read_attribution(
            data / "pan18" / "pan18-cross-domain-authorship-attribution-training.zip"
        ):
            found: dict[float, list[tuple[float, float]]] = defaultdict(list)
            assert problem.truth is not None
            for draw in range(3):
                names = np.random.default_rng(draw).permutation(sorted(problem.candidates))
                kept = {a: problem.candidates[a] for a in sorted(names[: (len(names) + 1) // 2])}
                truth = {n: a if a in kept else UNKNOWN for n, a in problem.truth.items()}
                for lead in (0.0, 1e-9, 0.1):
                    with one_thread():
                        said = answer_problem(
                            replace(problem, candidates=kept, truth=truth), method, lead
                        )
                    right = float(np.mean([truth[n] == a for n, a in said.items()]))
                    found[lead].append((macro_f1(truth, said, [*kept]), right))
            means = {
                lead: np.round(np.mean(rows, axis=0), 3).tolist() for lead, rows in found.items()
            }
            print(
                f"{method}, {len(kept)} of {len(problem.candidates)} candidates: macro F1, accuracy {means}",
                flush=True,
            )


def told(name: str, found: dict[str, Any]) -> None:
    """Print the figures of a data set."""
    parts = []
    for key, value in found.items():
        if not key.endswith("bins"):
            parts.append(
                f"{key} {[round(float(v), 3) for v in value] if isinstance(value, list) else round(float(value), 3)}"
            )
    print(f"  {name}: {', '.join(parts)}", flush=True)


TITLES = {
    "ebg": "Brennan–Greenstadt",
    "ebg-long": "Brennan–Greenstadt, documents joined",
    "newsgroups": "20 Newsgroups, other threads",
    "newsgroups-novel": "20 Newsgroups, other groups",
    "pan14-en": "PAN-2014, English essays",
    "pan14-du": "PAN-2014, Dutch essays",
    "pan14-gr": "PAN-2014, Greek articles",
    "pan18": "PAN-2018, fan fiction",
    SHOWN_ALONE: "ELTeC, English novels",
    "together": "together",
    "2 or 3 candidates": "together, 2 or 3 candidates",
}


def table(shown: dict[str, dict[str, Any]]) -> str:
    """What was shown of every data set, with the values in force and with those of before, as Markdown."""
    lines = [
        "| shown once | values | texts by candidates | right | mean, if listed | ECE, if listed | of a perfect one | "
        "mean of none, listed | mean of none, absent | ECE of none | of a perfect one | named where absent | "
        "the page's figure for it | named where listed | right of these | ECE of the answer: all, listed, absent |",
        "|---" * 16 + "|",
    ]
    for name, title in TITLES.items():
        for when, every in shown.items():
            f = every[name]

            def figure(key: str, f: dict[str, Any] = f, when: str = when) -> str:
                ends = f.get(f"{key}_interval")
                if key == "told" and when == "before":
                    return "n/a"
                return bare(f[key]) + (f" [{bare(ends[0])}, {bare(ends[1])}]" if ends else "")

            keys = (
                "right",
                "listed",
                "listed_ece",
                "listed_perfect",
                "none_present",
                "none_absent",
                "none_ece",
                "none_perfect",
                "named_absent",
                "told",
                "named_present",
                "named_right",
            )
            joint = ", ".join(
                bare(f[key]) for key in ("joint_ece", "joint_ece_present", "joint_ece_absent")
            )
            lines.append(
                f"| {' | '.join([title, when, str(f['by_candidates']), *map(figure, keys), joint])} |"
            )
    return "\n".join(lines)


def draw(shown: dict[str, dict[str, Any]]) -> None:
    """Reliability curves of all collections together, with 95 % intervals over texts."""
    from ravenbench.reports.page import FAINT, SETUP, canvas, style, svg
    from ravenbench.statistics.estimates import wilson

    found = shown["now"]["together"]
    titles = {"listed": "Which candidate, if one of them wrote it", "none": "None of them"}
    with style():
        figure, _ = canvas(5.4, 2.7, 0)
        for i, (name, title) in enumerate(titles.items()):
            axes = figure.add_subplot(1, 2, i + 1)
            axes.plot([0, 1], [0, 1], color=FAINT, linewidth=0.8)
            for p, right, count in found[f"{name}_bins"]:
                axes.plot(
                    [p, p], wilson(right, count), color=SETUP["hits"], linewidth=1.4, alpha=0.5
                )
            axes.plot(
                *list(zip(*found[f"{name}_bins"], strict=True))[:2],
                "o-",
                color=SETUP["hits"],
                markersize=4,
            )
            texts_of = found["by_candidates"] + (found["by_none"] if name == "none" else 0)
            said = f"{texts_of:,} texts, ECE {found[f'{name}_ece']:.3f}".replace("0.", ".")
            axes.set_title(f"{title}\n{said}", fontsize=9)
            axes.set_xlim(0, 1.01)
            axes.set_ylim(0, 1.02)
            axes.set_xlabel("probability")
            axes.set_ylabel("" if i else "how often it is so")
        FIGURE.write_text(svg(figure, "unknown"), encoding="utf-8")


if __name__ == "__main__":
    main()
