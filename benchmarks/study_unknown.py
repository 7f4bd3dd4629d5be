"""Are the probabilities of ``raven attribute --unknown`` calibrated, also those of "none of them"?

    python -m benchmarks.study_unknown DATA --choose            # methods and prior, on one half of the authors
    python -m benchmarks.study_unknown DATA --show --write      # once, on everything else
    python -m benchmarks.study_unknown DATA --reject            # PAN-2018 with half of the candidates left out

DATA is the folder of data sets. Questions whose truth is known are drawn: 2 to 10 candidates, 1 to 5 known texts of
each, cut to 200, 400 or 800 words, and one unknown text of each, cut to 100 to 1,000 words; for two texts by candidates
there is about one by an author who is none of them. A text is a document of the Extended Brennan–Greenstadt corpus, or
what an author wrote in one thread of 20 Newsgroups (``novel``: and the known texts stand in other groups). Seeds go
through each author's texts in turn. Candidates of PAN-2018 have texts of their own in question.

Half A are authors whose names have an even hash, as in ``study_attribution``. On their questions the methods and the
values around which probabilities are learned (``attribution.posterior``) are chosen by the mean log loss of the data
sets. Half B and PAN-2018 are shown once, with the values in force.

ECE: over ten bins of the probability of the most probable answer; its interval is a bootstrap over questions, and
beside it stands the mean ECE that a perfectly calibrated method would have on as many texts.
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

from benchmarks.study_attribution import half
from ravenbench import registry
from ravenbench.attribution import posterior
from ravenbench.attribution.posterior import Posterior, held_out, scored
from ravenbench.attribution.protocols import answer_problem
from ravenbench.bench.attribute.unknown import DEFAULT, Passages, _topics, divided, passage_words, passages
from ravenbench.corpora.load import load_corpus
from ravenbench.engine.guard import one_thread
from ravenbench.formats.pan_attribution import UNKNOWN, macro_f1, read_attribution
from ravenbench.formats.problems import read_problems
from ravenbench.reports.attribute.naming import Scored, _means
from ravenbench.text.tokens import count_words, cut
from ravenbench.types import Floats

NONE = 1 / 3
LENGTHS, CANDIDATES, TEXTS = (100, 150, 250, 400, 600, 1000, 2500), (2, 3, 4, 5, 7, 10), (1, 2, 3, 5)
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
POOL = "raven-2026, ppm, svm, distorted(svm), cosine-delta, nb, function-words"
CHOICES = (
    "raven-2026, ppm", "raven-2026", "raven-2026, ppm, cosine-delta", "raven-2026, ppm, svm",
    "raven-2026, ppm, function-words", "svm, distorted(svm), cosine-delta, ppm",
)  # fmt: skip
FIGURE, KEPT = Path("docs/images/unknown.svg"), Path("benchmarks/unknown.json")


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
    read = {"ebg": corpus_documents, "newsgroups": corpus_documents, "pan18": pan18, "eltec": novels}
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
        f"ebg(path={str(data / 'ebg' / 'extended-brennan-greenstadt.zip')!r})" if ebg else "newsgroups"
    )
    of, joined = corpus.columns["document" if ebg else "thread"], defaultdict(list)
    for i in range(len(corpus)):
        if corpus.author[i] is not None:
            joined[corpus.author[i], str(of[i]), None if ebg else corpus.topic[i]].append(corpus.texts[i])
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
            yield from ((f"{file} {i:03d}", str(place), None, text) for place, text in enumerate(own))
        seen.update(own)


def pan18(data: Path, name: str) -> Iterator[tuple[str, str, None, str]]:
    """Fan fiction of the larger English problem; the world of texts in question is not that of known ones."""
    every = read_attribution(data / "pan18" / "pan18-cross-domain-authorship-attribution-training.zip")
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
        for file in sorted(n for n in archive.namelist() if n.endswith(".xml") and n.startswith("level1/")):
            root = ElementTree.fromstring(archive.read(file))  # noqa: S314
            author = next(root.iter(f"{tei}author"))
            body = next(root.iter(f"{tei}body"))
            words = " ".join("".join(p.itertext()) for p in body.iter(f"{tei}p")).split()
            for start in np.linspace(len(words) / 10, 9 * len(words) / 10 - 3000, 3).astype(int).tolist():
                yield author.get("ref") or str(author.text), file, None, " ".join(words[start : start + 3000])


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
        yield from [question for _, question in zip(range(most), drawn(data, name, side, seed), strict=False)]


def drawn(data: Path, name: str, side: int, seed: int) -> Iterator[Question]:
    """Each author is a candidate once, and one of their documents in question, beside as many by others of the half."""
    source, _, kind = (name, "", "") if name.startswith("pan") else name.partition("-")
    novel, long = kind == "novel", kind == "long"
    everyone = {a: d for a, d in documents(data, source).items() if name == SHOWN_ALONE or half(a) == side}
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
            others = [one for one in others if one[0] != document and not (novel and one[1] == topic)]
            if name == "pan18":
                others = [one for one in others if one[0].startswith(KNOWN_SIDE)]
            question.known.extend((code, f"{code}/{d}", t, cut(text, length)) for d, t, text in others[:most])
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
    known = [(a, number[n], int(t), text) for a, n, t, text in zip(codes, names, topic, texts, strict=True)]
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
        both = Scored(self.passages, {name: np.stack([self.scores[m][name] for m in methods]) for name in names}, NONE)
        rows = [np.flatnonzero(self.passages.asked == n) for n in range(len(self.truth))]
        for most in sorted({len(mine) for mine in rows}):
            runs = both.runs(most)
            codes = self.passages.author[[run[0] for run in runs]]
            closed, absent = (_means(both.scores[name], runs) for name in names[:2])
            asked = [n for n, mine in enumerate(rows) if len(mine) == most]
            truth = np.array([self.truth[n] if self.truth[n] >= 0 else both.candidates for n in asked])
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
    print(f"{name}, half {'AB'[side]}: {len(found)} questions in {spent:.0f} CPU seconds", flush=True)
    return found


def cases(rows: Sequence[Answered], methods: str) -> list[Case]:
    """All questions of a data set as posteriors of these methods answer them."""
    return [case for number, row in enumerate(rows) for case in row.cases(registry.split(methods), number)]


class Texts(NamedTuple):
    """Of each text: probability of the most probable answer, whether it is right, log loss, Brier score, probability of
    none of them, whether it is by none of them, whether the command would answer, and the question."""

    best: Floats
    right: Any
    loss: Floats
    brier: Floats
    none: Floats
    strange: Any
    given: Any
    question: Any


def texts(asked: Sequence[Case]) -> Texts:
    """Every text of the questions, answered with the values in force."""
    columns: list[tuple[Any, ...]] = []
    for case in asked:
        p = Posterior(NONE).fit(case.closed, case.absent, case.codes, case.size).of(case.unknown)
        at = np.arange(len(p))
        true = np.zeros_like(p)
        true[at, case.truth] = 1
        columns.append((
            p.max(axis=1), p.argmax(axis=1) == case.truth, -np.log(np.maximum(p[at, case.truth], 1e-12)),
            ((p - true) ** 2).sum(axis=1), p[:, -1], case.truth == p.shape[1] - 1, np.full(len(p), case.given),
            np.full(len(p), case.question),
        ))  # fmt: skip
    return Texts(*map(np.concatenate, zip(*columns, strict=True)))


def bins(p: Floats, right: Any) -> list[tuple[float, float, int]]:
    """Mean probability, share right and number of texts of each bin of a tenth."""
    place = np.minimum((10 * p).astype(int), 9)
    return [(float(p[m].mean()), float(right[m].mean()), int(m.sum())) for b in range(10) if (m := place == b).any()]


def ece(p: Floats, right: Any) -> float:
    """Expected calibration error."""
    return float(sum(n * abs(mean - share) for mean, share, n in bins(p, right)) / len(p))


def figures(t: Texts) -> dict[str, Any]:
    """What is reported of texts."""
    rng = np.random.default_rng(0)
    members = [np.flatnonzero(t.question == q) for q in np.unique(t.question)]
    draws = []
    for _ in range(500):
        rows = np.concatenate([members[i] for i in rng.integers(0, len(members), len(members))])
        draws.append((ece(t.best[rows], t.right[rows]), t.right[rows].mean()))
    low, high = np.quantile(draws, (0.025, 0.975), axis=0)
    inside = ~t.strange
    return {
        "questions": len(members), "texts": len(t.best), "by_none": int(t.strange.sum()), "accuracy": t.right.mean(),
        "accuracy_interval": [low[1], high[1]], "ece": ece(t.best, t.right), "ece_interval": [low[0], high[0]],
        "ece_perfect": np.mean([ece(t.best, rng.random(len(t.best)) < t.best) for _ in range(200)]),
        "confidence": t.best.mean(), "none_ece": ece(t.none, t.strange), "log_loss": t.loss.mean(),
        "brier": t.brier.mean(), "abstained": 1 - t.given.mean(),
        "accuracy_given": t.right[t.given].mean(), "ece_given": ece(t.best[t.given], t.right[t.given]),
        "accuracy_inside": t.right[inside].mean(), "bins": bins(t.best, t.right),
    }  # fmt: skip


def choose(sets: dict[str, list[Case]]) -> tuple[float, Any]:
    """Least mean log loss, and the prior that has it (contrast, none, spreads of w and of b), which is put in force."""
    from scipy.optimize import minimize

    def loss(theta: Floats) -> float:
        put(theta)
        return float(np.mean([texts(asked).loss.mean() for asked in sets.values()]))

    start = np.array([np.log(1.4), 0.7, np.log(0.2), np.log(0.2)])  # about what constants for all questions would be
    simplex = np.vstack([start, start + np.diag([0.3, 0.3, -1, -1])])
    best = minimize(
        loss, start, method="Nelder-Mead", options={"initial_simplex": simplex, "maxfev": 30, "fatol": 1e-3}
    )
    put(best.x)
    return float(best.fun), np.round([np.exp(best.x[0]), best.x[1], *np.exp(best.x[2:])], 2)


def put(theta: Floats) -> None:
    """Put values of the prior in force."""
    posterior.CONTRAST, posterior.NONE = float(np.exp(theta[0])), float(theta[1])
    posterior.SPREADS = (float(np.exp(theta[2])), float(np.exp(theta[3])))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--choose", action="store_true")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--reject", action="store_true")
    parser.add_argument("--write", action="store_true", help=f"benchmarks/unknown.json and {FIGURE}")
    given = parser.parse_args()
    if given.choose:
        halves = {name: answered(given.data, name, 0, POOL) for name in SETS if name != "pan18"}
        for methods in CHOICES:
            sets = {name: cases(rows, methods) for name, rows in halves.items()}
            value, prior = choose(sets)
            print(f"{methods}: log loss {value:.3f}; contrast, none, spreads {prior}", flush=True)
            for name, asked in sets.items():
                told(name, figures(texts(asked)))
    if given.reject:
        rejected(given.data)
    if given.show:
        shown = {}
        for name in SETS:
            shown[name] = figures(texts(cases(answered(given.data, name, 1, DEFAULT), DEFAULT)))
            told(name, shown[name])
        if given.write:
            KEPT.write_text(json.dumps(shown, indent=1, default=lambda v: round(float(v), 4)) + "\n")
    if given.write:
        draw(json.loads(KEPT.read_text()))


def rejected(data: Path) -> None:
    """Macro F1 and accuracy of ``--reject`` where half of the candidates are left out, three draws of each problem."""
    for method in registry.parse_list("attributor", "svm, cosine-delta, nb, ppm, raven-2026"):
        for problem in read_attribution(data / "pan18" / "pan18-cross-domain-authorship-attribution-training.zip"):
            found: dict[float, list[tuple[float, float]]] = defaultdict(list)
            assert problem.truth is not None
            for draw in range(3):
                names = np.random.default_rng(draw).permutation(sorted(problem.candidates))
                kept = {a: problem.candidates[a] for a in sorted(names[: (len(names) + 1) // 2])}
                truth = {n: a if a in kept else UNKNOWN for n, a in problem.truth.items()}
                for lead in (0.0, 1e-9, 0.1):
                    with one_thread():
                        said = answer_problem(replace(problem, candidates=kept, truth=truth), method, lead)
                    right = float(np.mean([truth[n] == a for n, a in said.items()]))
                    found[lead].append((macro_f1(truth, said, [*kept]), right))
            means = {lead: np.round(np.mean(rows, axis=0), 3).tolist() for lead, rows in found.items()}
            print(
                f"{method}, {len(kept)} of {len(problem.candidates)} candidates: macro F1, accuracy {means}", flush=True
            )


def told(name: str, found: dict[str, Any]) -> None:
    """Print the figures of a data set."""
    parts = []
    for key, value in found.items():
        if key != "bins":
            parts.append(
                f"{key} {[round(float(v), 3) for v in value] if isinstance(value, list) else round(float(value), 3)}"
            )
    print(f"  {name}: {', '.join(parts)}", flush=True)


def draw(shown: dict[str, dict[str, Any]]) -> None:
    """Reliability curves: how often the most probable answer was right, by its probability, with 95 % intervals."""
    from ravenbench.reports.attribute.naming import wilson
    from ravenbench.reports.page import FAINT, SETUP, canvas, style, svg

    titles = ("Brennan–Greenstadt", "20 Newsgroups", "20 Newsgroups, new topics", "PAN-2018")
    with style():
        figure, _ = canvas(5.2, 4.8, 0)
        for i, (found, title) in enumerate(zip(shown.values(), titles, strict=True)):
            axes = figure.add_subplot(2, 2, i + 1)
            axes.plot([0, 1], [0, 1], color=FAINT, linewidth=0.8)
            for p, right, count in found["bins"]:
                axes.plot([p, p], wilson(right, count), color=SETUP["hits"], linewidth=1.4, alpha=0.5)
            axes.plot(*list(zip(*found["bins"], strict=True))[:2], "o-", color=SETUP["hits"], markersize=4, linewidth=1)
            said = f"{found['texts']:,} texts, ECE {found['ece']:.3f}".replace("0.", ".")
            axes.set_title(f"{title}\n{said}", fontsize=9)
            axes.set_xlim(0, 1.01)
            axes.set_ylim(0, 1.02)
            axes.set_xlabel("probability of the answer" if i > 1 else "")
            axes.set_ylabel("" if i % 2 else "right")
        FIGURE.write_text(svg(figure, "unknown"), encoding="utf-8")


if __name__ == "__main__":
    main()
