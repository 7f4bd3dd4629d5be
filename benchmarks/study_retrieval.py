"""Is a retriever of content flagged, and one of style not? ``python -m benchmarks.study_retrieval FILE FIRST WORLDS``

Worlds of known truth from both generators of the lab, in which function words carry style and nothing else.
*style* is the cosine of standardised shares of these words and of marks; *content* that of all other words; the blends
add the standardised scores of both. The margin (``ext.retrieval.intervals.RANK_MARGIN``) was chosen on worlds 0 to 9
and is shown on others: 100 and on. Each world is kept in FILE (JSON), and the same command goes on; with 0 WORLDS it
prints alone.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import lab
from benchmarks.lab.report import Share
from benchmarks.lab.spec import generator as made_by
from ravenbench import registry
from ravenbench.ext.retrieval.content import with_content
from ravenbench.ext.retrieval.measures import Authors, of_queries, rank_content
from ravenbench.ext.retrieval.methods import Retriever
from ravenbench.ext.retrieval.reading import of_corpus
from ravenbench.ext.retrieval.search import search

GENERATORS = {
    "synthetic": "synthetic(style=0.4, documents=1500, authors=150, topics=30)",
    "manifold": "manifold(style=0.6, documents=1500, authors=100, topics=30)",
}
SEED = 60_000
WORD = re.compile(r"[^\W\d_]+")
MARKS = ".,;:!?-"


class Known(Retriever):
    """Style or content alone, or a blend: ``dose`` is the share of content."""

    def __init__(self, functions: frozenset[str], dose: float) -> None:
        self.functions, self.dose = functions, dose

    def fit(self, pool: Any, keep: Any = None) -> Known:
        from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

        units = [*sorted(self.functions), *MARKS]
        self.pool_ = pool
        self.count_ = CountVectorizer(
            vocabulary=units, token_pattern=r"[^\W\d_]+|[" + re.escape(MARKS) + "]"
        )
        others = TfidfVectorizer(
            analyzer=lambda text: [w for w in WORD.findall(text.lower()) if w not in self.functions]
        )
        texts = pool.texts.rows(pool.candidates.rows)
        self.words_ = others.fit(texts)
        shares = self.shares(texts)
        self.mean_, self.spread_ = (
            shares.mean(axis=0),
            np.where(shares.std(axis=0) > 0, shares.std(axis=0), 1),
        )
        self.parts_ = [self.style(texts), others.transform(texts)]
        return self

    def shares(self, texts: list[str]) -> Any:
        counts = self.count_.transform(text.lower() for text in texts).toarray()
        return counts / np.array([max(1, len(WORD.findall(text))) for text in texts])[:, None]

    def style(self, texts: list[str]) -> Any:
        rows = (self.shares(texts) - self.mean_) / self.spread_
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)

    def ask(self, queries: Any) -> Any:
        texts = self.pool_.texts.rows(queries.rows)
        both = [
            self.style(texts) @ self.parts_[0].T,
            (self.words_.transform(texts) @ self.parts_[1].T).toarray(),
        ]
        style, content = ((one - one.mean()) / one.std() for one in both)
        every = ((1 - self.dose) * style + self.dose * content).astype(np.float32)
        return lambda block: every[:, block]


def world(generator: str, number: int) -> dict[str, Any]:
    """Figures of every method in one world."""
    lab.register()
    source = made_by(GENERATORS[generator])
    assert source is not None
    source = source.set_params(seed=SEED + number)
    if generator == "manifold":
        source = source.set_params(language=number)
    functions = frozenset(source.functions())
    pool = of_corpus(source.load(), queries=150, candidates=None, across=False, seed=number)
    pool, _ = with_content(pool, 150, number)
    methods: dict[str, Retriever] = {
        "style": Known(functions, 0.0),
        "content": Known(functions, 1.0),
        "blend .3": Known(functions, 0.3),
        "blend .1": Known(functions, 0.1),
        **{name: registry.parse("retriever", name) for name in ("char-ngrams", "words", "delta")},
    }
    every, found = np.arange(len(pool.candidates)), {}
    for name, method in methods.items():
        method.fit(pool)
        bits, success = {}, {}
        for version in pool.versions:
            asked = pool.questions(version)
            one = search(method.ask(asked.queries), asked, pool.candidates, every, edges=False)
            values = of_queries(one, asked.true_ptr, (8,))
            bits[version], success[version] = values["bits"], float(values["success@8"].mean())
        outcome, figures = rank_content(Authors.of(asked.queries.codes("author")), bits)
        found[name] = {"outcome": str(outcome), "success": success, **figures}
    return found


def main(file: Path, first: int, worlds: int) -> None:
    """Compute what is missing, then print the table of these worlds."""
    kept = json.loads(file.read_text()) if file.is_file() else {}
    for number in range(first, first + worlds):
        for generator in GENERATORS:
            key = f"{generator} {number}"
            if key not in kept:
                kept[key] = world(generator, number)
                file.write_text(json.dumps(kept))
    print(
        "| method | generator | worlds | flagged | no effect | undecided | Success@8 | left | swing in rank | drop |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    shown = {k: v for k, v in kept.items() if (int(k.split()[1]) >= 100) == (first >= 100)}
    for name in next(iter(shown.values()), {}):
        for generator in GENERATORS:
            rows = [one[name] for key, one in shown.items() if key.startswith(generator)]
            said = [row["outcome"] for row in rows]
            none, open_ = (
                sum(one.startswith("no content effect") for one in said),
                said.count("undecided"),
            )
            flagged = Share(len(said) - none - open_, len(said))
            success, left = (
                np.mean([np.mean([row["success"][v] for v in versions]) for row in rows])
                for versions in (("own",), ("off", "off2"))
            )
            low, high = flagged.interval or (0, 1)
            swing, drop = (
                np.mean([row[part][0] for row in rows])
                for part in ("swing_in_rank", "drop_in_rank")
            )
            print(
                f"| {name} | {generator} | {len(rows)} | {flagged} [{low:.2f}, {high:.2f}] | {none} | {open_} "
                f"| {success:.2f} | {left:.2f} | {swing:+.2f} | {drop:+.2f} |"
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
