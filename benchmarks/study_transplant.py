"""Both axes of the verdict on known truth: ``python -m benchmarks.study_transplant --worlds 100:160 [--json FILE]``

Every world is a fresh corpus: ``synthetic`` (families of topics), ``manifold`` (graded topics, one vocabulary),
``drift`` (manifold with register that moves with topic), or ``newsgroups`` (real posts; a world is a random half of
the subtopics, so worlds are not independent and coverage there says little).

- *Folds.* Random topics, five pools of five folds (newsgroups: one), each transplanted; ten repetitions of the
  crossed probe. One fit a training set answers everything.
- *Scorers that must not be convicted of content.* ``oracle``: the truth, blurred afresh for every text; ``style``:
  style-only; ``length``. For comparison ``function``: function-words, whose list reaches beyond function words.
- *Scorers that must.* ``topic``: topic-only; ``untrained``: a cosine of words of six letters or more that learns
  nothing; ``blend .1 .3 .5``: style with that share of topic; ``blend .3u``: of the untrained cosine.
- ``thin .1 .3 .5``: the untrained cosine where a questioned text gets *on* content with that probability only, else
  *off* once more: texts of which the content is known.

Truth of a scorer is the mean figure over the worlds of a kind (of one language); coverage is the share of worlds whose
interval holds it. Margins are compared by ``--margins``; intervals with and without the likeness of topics (gains: with
and without what repetitions share) stand side by side.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.special import stdtrit
from scipy.stats import binomtest

from ravenbench import registry
from ravenbench.bench.run.plan import topic_similarity
from ravenbench.corpora.load import load_corpus
from ravenbench.corpora.manifold import Manifold
from ravenbench.corpora.synthetic import Synthetic
from ravenbench.problems import probe, sources
from ravenbench.problems.transplant import Transplanter
from ravenbench.problems.transplanted import Transplanted
from ravenbench.randomness import stream
from ravenbench.statistics.clustered import Figure
from ravenbench.statistics.content import ContentDesign, KeptFold, Versions
from ravenbench.statistics.domain import Crossed, alike, gain_figure, gain_of
from ravenbench.text.counting import forget_counts
from ravenbench.texts import TextTable
from ravenbench.topics.lsa import LSA
from ravenbench.types import Corpus, Floats, Fold, Ints, Problems
from ravenbench.verifiers.controls.blend import Blend, mixed

KINDS = ("synthetic", "manifold", "drift", "newsgroups")
SAMPLES = 40
"""Worlds in a row that are samples of one kind: those of ``manifold`` and ``drift`` share a language."""
POOLS, REPETITIONS, NEAR = 5, 10, 2
DOSES = (0.1, 0.3, 0.5)
STYLE = ("oracle", "style", "length")
TOPIC = ("topic", "untrained")
ORDER = (*STYLE, "function", *TOPIC, "blend .1", "blend .3", "blend .3u", "blend .5", "thin .1", "thin .3", "thin .5")
BLUR = 1.5
FIELDS = ("auc", "style_left", "swing", "share", "null_swing", "null_share")


def draw_world(kind: str, number: int) -> tuple[Corpus, Floats]:
    """A fresh corpus and the similarity of its topics."""
    if kind == "newsgroups":
        corpus, similarity = _newsgroups()
        return corpus, similarity
    seed = 50_000 + number
    made = {
        "synthetic": Synthetic(style=0.4, seed=seed),
        "manifold": Manifold(style=0.6, language=number // SAMPLES, seed=seed),
        "drift": Manifold(style=0.6, drift=1.0, language=number // SAMPLES, seed=seed),
    }[kind]
    corpus = made.load()
    return corpus, topic_similarity(corpus, LSA())


_loaded: dict[str, tuple[Corpus, Floats]] = {}


def _newsgroups() -> tuple[Corpus, Floats]:
    if "newsgroups" not in _loaded:
        from ravenbench.bench.run.plan import at_level, keep_topics

        corpus = load_corpus("newsgroups")
        defaults = corpus.notes["defaults"]
        corpus = keep_topics(at_level(corpus, defaults["topic"], defaults["levels"])[0], defaults["min_docs"])
        _loaded["newsgroups"] = corpus, topic_similarity(corpus, LSA())
    return _loaded["newsgroups"]


class Scores:
    """All scorers, fitted on one training set."""

    def __init__(self, fold: Fold, vectors: Untrained, number: int) -> None:
        self.number = number
        learn = np.ones(len(fold.train), dtype=bool) if fold.train.calibrate is None else ~fold.train.calibrate
        train, same = fold.train.select(learn), fold.train_same[learn]
        self.blend, self.vectors = Blend().fit(train, same), vectors
        self.function = registry.parse("verifier", "function-words").fit(train, same)
        seen = vectors.cosine(train)
        self.mean, self.scale = float(seen.mean()), float(seen.std()) or 1.0

    def of(self, problems: Problems, fold: str, version: str, same: Any) -> dict[str, Floats]:
        """Scores of all scorers, (n,) each."""
        style_topic = self.blend.standardised(problems)
        untrained = (self.vectors.cosine(problems) - self.mean) / self.scale
        noise = stream(self.number, "study-oracle", fold, version).standard_normal(len(problems))
        sizes = np.diff(problems.texts.offsets)
        lead = problems.known_index[problems.known_ptr[:-1]]
        longer = np.log(1 + sizes[[lead, problems.questioned_index]])
        return {
            "oracle": same + BLUR * noise,
            "style": style_topic[:, 0],
            "function": self.function.score(problems),
            "length": -np.abs(longer[0] - longer[1]),
            "topic": style_topic[:, 1],
            "untrained": untrained,
            **{f"blend {d:.1f}".replace("0.", "."): mixed(style_topic, d) for d in DOSES},
            "blend .3u": mixed(np.stack([style_topic[:, 0], untrained], axis=1), 0.3),
        }


class Untrained:
    """Cosine of the square roots of counts of words of six letters or more: nothing is learned from any text."""

    def __init__(self) -> None:
        from sklearn.feature_extraction.text import HashingVectorizer

        self._count = HashingVectorizer(
            token_pattern=r"\b[^\W\d_]{6,}\b", n_features=2**18, norm=None, alternate_sign=False
        )
        self._known: dict[int, tuple[TextTable, Any]] = {}

    def cosine(self, problems: Problems) -> Floats:
        """Of pairs, (n,)."""
        texts = problems.texts
        if id(texts) not in self._known:
            counts = self._count.transform(list(texts)).sqrt()
            length = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).ravel())
            counts.data /= np.repeat(np.where(length > 0, length, 1), np.diff(counts.indptr))
            self._known[id(texts)] = texts, counts
        counts = self._known[id(texts)][1]
        pairs = counts[problems.known_index].multiply(counts[problems.questioned_index])
        return np.asarray(pairs.sum(axis=1)).ravel()


def study(kind: str, number: int, functions: int = 200) -> dict[str, Any]:
    """All figures of one world."""
    began = time.process_time()
    forget_counts()
    corpus, similarity = draw_world(kind, number)
    rule = registry.parse("pairs", "matched")
    size, m, documents = (len(similarity) // 2, 25, 60) if kind == "newsgroups" else (len(similarity), 15, 50)
    inside = np.sort(stream(number, "study-half").permutation(len(similarity))[:size])
    folds: list[Fold] = []
    for pool in range(1 if kind == "newsgroups" else POOLS):
        chosen = np.sort(stream(number, "study-pool", pool).permutation(inside)[:m])
        folds += sources.topics(corpus, chosen, k=5, rule=rule, documents=documents, seed=number, name=f"p{pool}")
    author, topic = corpus.author, corpus.topic
    maker = Transplanter(
        corpus.texts, author=author, topic=topic, similarity=similarity, function_words=functions, seed=number
    )
    vectors = Untrained()
    made = [maker.transplant(fold.test) for fold in folds]
    content = _content(corpus, similarity, folds, made, vectors, number)
    domain = _domain(corpus, similarity, inside, vectors, number, documents)
    rows = [{"scorer": name, "sample": number // SAMPLES, **content[name], **domain.get(name, {})} for name in ORDER]
    return {"kind": kind, "world": number, "rows": rows, "cpu_seconds": time.process_time() - began}


def _content(
    corpus: Corpus,
    similarity: Floats,
    folds: Sequence[Fold],
    made: Sequence[Transplanted],
    vectors: Untrained,
    number: int,
) -> dict[str, dict[str, Any]]:
    numbers: dict[str, int] = {}
    kept: list[KeptFold] = []
    scores: dict[str, list[Versions]] = {}
    for fold, done in zip(folds, made, strict=True):
        test, same = fold.test.select(done.rows), fold.test_same[done.rows]
        rows = np.stack([test.known_index, test.questioned_index], axis=1)
        problem = np.array([numbers.setdefault(name, len(numbers)) for name in test.ids.tolist()])
        kept.append(KeptFold(same, corpus.author.codes[rows], problem, corpus.topic.codes[rows]))
        fitted = Scores(fold, vectors, number)
        versions = {"plain": test, "on": done.on, "off": done.off, "off2": done.off2}
        each = {version: fitted.of(p, fold.name, version, same) for version, p in versions.items()}
        for name in each["plain"]:
            scores.setdefault(name, []).append(Versions(*(each[version][name] for version in versions)))
        plain, on, off, off2 = scores["untrained"][-1]
        for dose in DOSES:
            thin = stream(number, "study-thin", fold.name, str(dose)).random(len(same)) < dose
            name = f"thin {dose:.1f}".replace("0.", ".")
            scores.setdefault(name, []).append(Versions(plain, np.where(thin, on, off2), off, off2))
    with_topics = ContentDesign(tuple(kept), similarity)
    alone = ContentDesign(tuple(kept))
    found: dict[str, dict[str, Any]] = {}
    for name, given in scores.items():
        both, authors = with_topics.figures(given), alone.figures(given)
        found[name] = {field: _plain(getattr(both, field), getattr(authors, field)) for field in FIELDS}
        found[name]["pairs"] = both.same + both.different
    return found


def _domain(
    corpus: Corpus, similarity: Floats, inside: Ints, vectors: Untrained, number: int, documents: int
) -> dict[str, dict[str, Any]]:
    rule = registry.parse("pairs", "matched")
    part = similarity[np.ix_(inside, inside)]
    gathered: dict[str, list[tuple[Crossed, Crossed]]] = {}
    for r in range(REPETITIONS):
        rng = stream(number, "study-probe", r)
        pair = probe.domains(part, probe.room_for_tests(len(part), NEAR), NEAR, rng)
        named = tuple(probe.Domain(inside[d.test], inside[d.train]) for d in pair)
        folds = probe.crossed(
            corpus, (named[0], named[1]), rule=rule, documents=documents, seed=number, name=f"probe-{r}"
        )
        fits = {"a": Scores(folds[0], vectors, number), "b": Scores(folds[2], vectors, number)}
        each = {f.name[-2:]: fits[f.name[-2]].of(f.test, f.name, "plain", f.test_same) for f in folds}
        for name in each["aa"]:
            tests = [
                Crossed(fold.test_same, each[home][name], each[away][name], _topics(corpus, fold.test))
                for fold, home, away in ((folds[0], "aa", "ba"), (folds[3], "bb", "ab"))
            ]
            gathered.setdefault(name, []).append((tests[0], tests[1]))
    found: dict[str, dict[str, Any]] = {}
    for name, repetitions in gathered.items():
        if alike(repetitions):
            found[name] = {"gain": None}
            continue
        gains = np.array([gain for pair in repetitions if (gain := gain_of(pair)) is not None])
        error = float(gains.std(ddof=1) / np.sqrt(len(gains)))
        simple = Figure(float(gains.mean()), error, None, len(gains) - 1.0)
        figure = gain_figure(repetitions)
        assert figure is not None
        found[name] = {"gain": _plain(figure, simple)}
    return found


def _topics(corpus: Corpus, problems: Problems) -> Ints:
    return corpus.topic.codes[np.stack([problems.known_index, problems.questioned_index], axis=1)]


def _plain(full: Figure | None, simple: Figure | None) -> list[float | None]:
    """Value, error and freedom, and error and freedom of the simpler way to draw."""
    assert full is not None and simple is not None
    return [full.value, full.error, full.freedom, simple.error, simple.freedom]


def verdicts(rows: Sequence[Mapping[str, Any]], field: str, margin: float, simple: bool) -> dict[str, float]:
    """Shares of worlds with each outcome, coverage of the mean, and the margin above which 95 % would be shown."""
    table = np.array([row[field] for row in rows], dtype=np.float64)
    value, error, freedom = table[:, 0], table[:, 3 if simple else 1], table[:, 4 if simple else 2]
    half = stdtrit(freedom, 0.975) * error
    low, high = value - half, value + half
    kind = np.array([row["sample"] for row in rows])
    true = np.array([value[kind == k].mean() for k in kind])
    return {
        "mean": float(value.mean()),
        "sd": float(np.sqrt(((value - true) ** 2).sum() / max(len(value) - len(set(kind.tolist())), 1))),
        "error": float(np.sqrt((error**2).mean())),
        "above": float((low > margin).mean()),
        "within": float(((low > -margin) & (high < margin)).mean()),
        # Figures of no spread agree with their mean to rounding.
        "covered": float(((low <= true + 1e-12) & (true <= high + 1e-12)).mean()),
    }


def show(worlds: Sequence[Mapping[str, Any]], margins: Sequence[float], domain_margin: float) -> None:
    """Markdown tables by kind of world, with shares of worlds and 95 % intervals of them."""
    for kind in dict.fromkeys(w["kind"] for w in worlds):
        mine = [w for w in worlds if w["kind"] == kind]
        numbers = [w["world"] for w in mine]
        print(f"\n## {kind}: {len(mine)} worlds, {min(numbers)} to {max(numbers)}\n")
        print(
            "Content: AUC, style left, swing (sd over worlds, mean error, error without likeness), shares by margin\n"
        )
        heads = " | ".join(f"relies > {m:g} | less" for m in margins)
        print(f"| scorer | AUC | style left | P | swing | sd | error | plain | covered | plain | {heads} |")
        print("|---" * (10 + 2 * len(margins)) + "|")
        for name in ORDER:
            rows = [row for w in mine for row in w["rows"] if row["scorer"] == name]
            if not rows:
                continue
            full, simple = (verdicts(rows, "swing", 0.0, s) for s in (False, True))
            means = [np.mean([row[f][0] for row in rows]) for f in ("auc", "style_left", "share")]
            cells = [f"{x:.3f}" for x in means]
            cells += [f"{full['mean']:+.3f}"] + [f"{x:.3f}" for x in (full["sd"], full["error"], simple["error"])]
            cells += [f"{full['covered']:.2f}", f"{simple['covered']:.2f}"]
            for m in margins:
                found = verdicts(rows, "swing", m, False)
                cells += [_share(found["above"], len(rows)), f"{found['within']:.2f}"]
            print(f"| {name} | " + " | ".join(cells) + " |")
        print("\nTraining domain\n\n| scorer | gain | sd | error | s/√R | covered | s/√R | depends | less |")
        print("|---" * 9 + "|")
        for name in ORDER:
            rows = [row for w in mine for row in w["rows"] if row["scorer"] == name and row.get("gain")]
            if len(rows) < 2:
                continue
            full, simple = (verdicts(rows, "gain", domain_margin, s) for s in (False, True))
            cells = [f"{full['mean']:+.3f}"] + [f"{x:.3f}" for x in (full["sd"], full["error"], simple["error"])]
            cells += [f"{full['covered']:.2f}", f"{simple['covered']:.2f}"]
            cells += [_share(full["above"], len(rows)), f"{full['within']:.2f}"]
            print(f"| {name} | " + " | ".join(cells) + " |")
    _pooled(worlds, margins)


def _pooled(worlds: Sequence[Mapping[str, Any]], margins: Sequence[float]) -> None:
    """False convictions of all style scorers, and null swings, over all worlds."""
    print("\n## All worlds\n\n| margin | style scorers convicted | null of all scorers convicted |\n|---|---|---|")
    rows = [row for w in worlds for row in w["rows"]]
    for m in margins:
        style = [verdicts([row], "swing", m, False)["above"] for row in rows if row["scorer"] in STYLE]
        null = [verdicts([row], "null_swing", m, False)["above"] for row in rows]
        print(f"| {m:g} | {_share(float(np.mean(style)), len(style))} | {_share(float(np.mean(null)), len(null))} |")
    value = np.array([row["null_swing"][:3] for row in rows if row["scorer"] in (*TOPIC, "blend .5")], dtype=float)
    covered = np.abs(value[:, 0]) <= stdtrit(value[:, 2], 0.975) * value[:, 1]
    print(f"\nNull swings of topic, untrained and blend .5 within their 95 % interval of 0: {covered.mean():.3f}")


def _share(value: float, count: int) -> str:
    low, high = binomtest(round(value * count), count).proportion_ci(method="wilson")
    return f"{value:.2f} [{low:.2f}, {high:.2f}]"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.study_transplant", description=__doc__)
    parser.add_argument("--worlds", default="0:10", help="first and one past the last number of a world")
    parser.add_argument("--kinds", default=", ".join(KINDS))
    parser.add_argument("--margins", default=".02")
    parser.add_argument("--domain-margin", type=float, default=0.02)
    parser.add_argument("--functions", type=int, default=200, help="most frequent words that stay")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every world's figures")
    parser.add_argument("--read", type=Path, nargs="*", metavar="FILE", help="summarise earlier --json instead")
    options = parser.parse_args()
    if options.read:
        worlds = [world for file in options.read for world in json.loads(file.read_text())]
    else:
        first, last = (int(x) for x in options.worlds.split(":"))
        jobs = [
            delayed(study)(kind, number, options.functions)
            for kind in registry.split(options.kinds)
            for number in range(first, last)
        ]
        worlds = []
        for one in Parallel(n_jobs=options.workers, return_as="generator")(jobs):
            worlds.append(one)
            print(f"{len(worlds)} of {len(jobs)}", file=sys.stderr, flush=True)
            if options.json is not None:
                options.json.write_text(json.dumps(worlds))
    show(worlds, [float(m) for m in options.margins.split(",")], options.domain_margin)
    print(f"\n{sum(w['cpu_seconds'] for w in worlds):.0f} s of CPU")


if __name__ == "__main__":
    main()
