"""How few background authors can serve: ``python -m benchmarks.study_few_authors [CORPUS,…] [--sizes N,…] [--write]``

Backgrounds of 6 to 40 authors are drawn again and again from one pool, and each answers the same cases, whose people
are in no background. What is kept of each case: its log10 LR within its bounds, its 95 % interval, and whether an
answer is given. Verifiers are cheap ones, the same everywhere. ``--write`` puts ``few_authors.json`` together and
writes the table into docs/data.

- ``newsgroups``: posts of 150 words, two known ones and a questioned one; 30 people, each with a text of their own and
  a stranger's, against authors drawn from the rest.
- ``ebg``: EBG's parts 0 and 1 (30 people; part 2 stays unseen): 10 people are asked about, the others are the pool.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pages import bare, table_file
from benchmarks.study_cases_corpora import LEAST, SEED, WORDS, Batch, _apart, data
from benchmarks.study_human_obfuscation import read as read_ebg
from ravenbench import compare, load_corpus
from ravenbench.ext.case.compare import analysis, background
from ravenbench.ext.case.likelihood_ratios import cllr
from ravenbench.randomness import stream
from ravenbench.text.tokens import count_words, cut

CHEAP = "char-ngram,function-words,ppm"
DRAWN = {6: 8, 8: 8, 10: 8, 15: 5, 20: 4, 40: 2}
"""Backgrounds that are drawn, by their number of authors."""
TITLES = {"newsgroups": "20 Newsgroups, 150 words", "ebg": "EBG, parts 0 and 1, 500 words"}
KEPT = Path(__file__).with_name("few_authors.json")
DATA = Path(__file__).parent.parent / "docs" / "data"
Texts = Mapping[str, Sequence[str]]


def newsgroups() -> tuple[Texts, list[str], list[str], int]:
    """Texts by author, the people asked about, the pool, and the words of a case's texts."""
    corpus = load_corpus("newsgroups")
    rows: dict[str, list[int]] = defaultdict(list)
    for row, author in enumerate(corpus.author):
        if author is not None and count_words(corpus.texts[row]) >= 150:
            rows[author].append(row)
    able = sorted(name for name, own in rows.items() if len(own) >= 4)
    names = [able[i] for i in stream(SEED, "newsgroups").permutation(len(able))[:150]]
    return (
        {name: [corpus.texts[row] for row in rows[name][:6]] for name in names},
        names[:30],
        names[30:],
        150,
    )


def ebg() -> tuple[Texts, list[str], list[str], int]:
    """As ``newsgroups``."""
    samples, _ = read_ebg(str(data() / "ebg" / "extended-brennan-greenstadt.zip"))
    order = sorted(samples)
    names = [order[i] for i in stream(SEED, "ebg").permutation(len(order))]
    names = [name for place, name in enumerate(names) if place % 3 != 2]
    texts = {name: [text for _, text in _apart(samples[name], LEAST)] for name in names}
    asked = [name for name in names if len(texts[name]) > 2][:10]
    return (
        texts,
        asked,
        [name for name in names if name not in asked and len(texts[name]) > 1],
        WORDS,
    )


def answered(name: str, place: Path, sizes: Collection[int]) -> list[dict[str, Any]]:
    """What every background of these sizes answers to every case, beside what those of others did before."""
    texts, asked, pool, words = {"newsgroups": newsgroups, "ebg": ebg}[name]()
    before = json.loads(KEPT.read_text(encoding="utf-8")).get(name, []) if KEPT.exists() else []
    rows: list[dict[str, Any]] = [row for row in before if row["authors"] not in sizes]
    for size in sizes:
        for draw in range(DRAWN[size] if size <= len(pool) else 0):
            folder = place / f"{name}-{size}-{draw}"
            batch = Batch(folder)
            chosen = stream(SEED, "few", size, draw).choice(len(pool), size, replace=False)
            for number, one in enumerate(sorted(chosen)):
                for i, text in enumerate(texts[pool[one]]):
                    batch.other(f"author{number:03d}", str(i), text)
            for number, person in enumerate(asked):
                own = [cut(text, words) for text in texts[person]]
                known = [batch.text(f"{number}/known{i}", text) for i, text in enumerate(own[:2])]
                stranger = cut(texts[asked[(number + 1) % len(asked)]][2], words)
                for kind, text in (("same", own[2]), ("different", stranger)):
                    batch.case(
                        f"{number}-{kind}",
                        kind,
                        known,
                        batch.text(f"{number}/{kind}", text),
                        f"person {number}",
                    )
            store = compare(
                batch=batch.finish(),
                background=folder / "background",
                out=folder / "run",
                verifiers=CHEAP,
                donors=1,
                workers=1,
            ).store
            rows += [{"authors": size, "draw": draw, **one} for one in told(store, batch.truth)]
            shutil.rmtree(folder)
            (place / f"{name}.json").write_text(json.dumps(rows), encoding="utf-8")
            print(name, size, draw, flush=True)
    return rows


def told(store: Any, truth: Mapping[str, str]) -> list[dict[str, Any]]:
    """Every case's answer."""
    rows = []
    for case in analysis.Comparison.of(store).cases:
        fused = None if case.scored is None else case.scored.fused
        row: dict[str, Any] = {"case": case.id, "same": truth[case.id] == "same"}
        row["answered"] = case.answered
        if fused is not None:
            row |= {
                "llr": round(fused.llr, 3),
                "interval": [round(end, 3) for end in fused.interval],
            }
            row |= {"cllr": round(fused.cllr, 3), "cllr_min": round(fused.cllr_min, 3)}
            row["high"] = round(min(case.scored.promise["cllr"].high, 9.0), 3)
        rows.append(row)
    return rows


def table(kept: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """What backgrounds of each size are worth, as Markdown."""
    lines = [
        "| people | background authors | backgrounds | answered | C_llr | worst background | LR > 2 for a stranger | "
        "LR < 1/2 for an own text | width of the interval |",
        "|---" * 9 + "|",
    ]
    for name, title in TITLES.items():
        for size in DRAWN:
            rows = [row for row in kept.get(name, ()) if row["authors"] == size and "llr" in row]
            ours = [row for row in rows if row["answered"]]
            if not ours:
                continue
            draws = sorted({row["draw"] for row in rows})
            costs = [_cllr([row for row in ours if row["draw"] == draw]) for draw in draws]
            strange, own = (
                [row["llr"] for row in ours if row["same"] is side] for side in (False, True)
            )
            share = sum(row["answered"] for row in rows) / len(rows)
            width = float(np.mean([row["interval"][1] - row["interval"][0] for row in ours]))
            false, missed = (
                float(np.mean(np.array(strange) > 0.301)),
                float(np.mean(np.array(own) < -0.301)),
            )
            lines.append(
                f"| {title} | {size} | {len(draws)} | {share:.0%} | {_interval(ours)} | "
                f"{bare(max(c for c in costs if c is not None))} | {bare(false)} | {bare(missed)} | {bare(width)} |"
            )
    return "\n".join(lines) + "\n"


def _cllr(rows: Sequence[Mapping[str, Any]]) -> float | None:
    same = np.array([row["same"] for row in rows], dtype=bool)
    return None if not same.any() or same.all() else cllr([row["llr"] for row in rows], same)


def _interval(rows: Sequence[Mapping[str, Any]]) -> str:
    """C_llr, and its 95 % interval when people and backgrounds are drawn anew."""
    rng, drawn = stream(SEED, "few-people"), []
    people, person = np.unique([row["case"].partition("-")[0] for row in rows], return_inverse=True)
    draws, draw = np.unique([row["draw"] for row in rows], return_inverse=True)
    for _ in range(500):
        times = np.bincount(rng.integers(len(people), size=len(people)), minlength=len(people))[
            person
        ]
        times = (
            times
            * np.bincount(rng.integers(len(draws), size=len(draws)), minlength=len(draws))[draw]
        )
        value = _cllr(
            [row for row, often in zip(rows, times.tolist(), strict=True) for _ in range(often)]
        )
        drawn += [] if value is None else [value]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return f"{bare(_cllr(rows) or 0.0)} [{bare(low)}, {bare(high)}]"


def main() -> None:
    """Answer, or write down what was answered."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpora", nargs="?", default="newsgroups,ebg")
    parser.add_argument("--sizes", default=",".join(map(str, DRAWN)))
    parser.add_argument("--out", type=Path, default=Path("raven-runs/study-few"))
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if arguments.write:
        kept = {
            name: json.loads((arguments.out / f"{name}.json").read_text(encoding="utf-8"))
            for name in TITLES
        }
        lines = ",\n".join(
            f'"{name}": [\n' + ",\n".join(map(json.dumps, rows)) + "]"
            for name, rows in kept.items()
        )
        KEPT.write_text("{" + lines + "}\n", encoding="utf-8")
        table_file(DATA / "compare-few-authors.csv", table(kept))
        return
    # The study asks where the least should lie, so it takes none for granted.
    background.FEWEST_AUTHORS = 4  # type: ignore[misc]
    background.LIKE = 0  # type: ignore[misc]
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in arguments.corpora.split(","):
        answered(name, arguments.out, [int(size) for size in arguments.sizes.split(",")])


if __name__ == "__main__":
    main()
