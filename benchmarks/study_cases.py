"""Cases with a known answer: ``python -m benchmarks.study_cases [ebg,newsgroups,en_essays,…] [--out DIR]``

Each corpus gives backgrounds and cases whose authors (or problems) are not in them. A case has the same number of known
texts and the same lengths as its fellows, so that they share their background pairs.

- ``ebg``: Extended Brennan–Greenstadt corpus (RAVEN_DATA), two known samples of 500 words. 45 authors in three parts,
  each asked about against the two others. No two texts of a problem are from one source document. Up to two texts of
  each author's own, two of others, and the author's obfuscation and imitation.
- ``ebg-short``: the first part once more, its questioned texts cut to 250 and to 125 words.
- ``newsgroups``: 20 Newsgroups, two known posts and one questioned of 150 words; 60 authors against 40.
- ``en_essays``, ``gr_articles``, ``du_essays``: PAN-2014; background from training problems, cases from test problems.

The first part of ``ebg`` was looked at during development; the rest was not. Runs are kept under ``--out`` and go on
where they stopped.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.study_human_obfuscation import read as read_ebg
from ravenbench import compare, load_corpus
from ravenbench.formats.pan_problems import read_pan_problems
from ravenbench.randomness import stream
from ravenbench.reports.of_any import analyse
from ravenbench.text.lengths import count_words, cut

VERIFIERS = (
    "raven-2026,impostors,ppm,char-ngram,function-words,masked(lambdag, frequency-mask),masked(lambdag, posnoise)"
)
SEED = 7
WORDS = 500


def data() -> Path:
    """The folder of research corpora."""
    return Path(os.environ["RAVEN_DATA"])


class Batch:
    """Texts and cases laid out as files."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.lines: list[dict[str, Any]] = []
        self.truth: dict[str, str] = {}

    def text(self, name: str, text: str) -> str:
        """A text of the cases; returns its path from the batch's folder."""
        path = self.place / "texts" / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return str(path.relative_to(self.place))

    def other(self, author: str, name: str, text: str) -> None:
        """A text of the background."""
        path = self.place / "background" / author / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def case(self, name: str, kind: str, known: Sequence[str], questioned: str, candidate: str) -> None:
        """A case of some kind: ``same``, ``different`` or a hostile one."""
        self.lines.append({"case": name, "questioned": questioned, "known": list(known), "candidate": candidate})
        self.truth[name] = kind

    def run(self) -> list[dict[str, Any]]:
        """Ask all cases; what was found of each, with its kind."""
        (self.place / "cases.jsonl").write_text("\n".join(map(json.dumps, self.lines)) + "\n")
        result = compare(
            batch=self.place / "cases.jsonl", background=self.place / "background", out=self.place / "run",
            verifiers=VERIFIERS, donors=2, progress=_told,
        )  # fmt: skip
        for error in result.errors:
            print("  failed:", error)
        found = []
        for case in analyse(result.store).cases:
            answer = case.answer
            found.append(
                {
                    "case": case.record.id,
                    "kind": self.truth[case.record.id],
                    "reasons": list(case.reasons),
                    "content": None if answer is None or answer.content is None else answer.content.outcome,
                    "style": None if answer is None or answer.content is None else answer.content.style,
                    "llr": {} if answer is None else {line.name: line.llr for line in answer.lines},
                    "raw": {} if answer is None else {line.name: line.raw for line in answer.lines},
                    "interval": None if answer is None else list(answer.fused.interval),
                    "rank": None if answer is None else answer.rank,
                }
            )
        return found


def _told(stage: str, done: int, total: int) -> None:
    print(f"  {stage} {done}/{total}", flush=True)


def ebg(place: Path, part: int, parts: int = 3, lengths: Sequence[int] = (WORDS,)) -> Batch:
    """One part of the authors against the others."""
    samples, attacks = read_ebg(str(data() / "ebg" / "extended-brennan-greenstadt.zip"))
    order = sorted(samples)
    names = [order[i] for i in stream(SEED, "ebg").permutation(len(order))]
    asked = names[part::parts]
    batch = Batch(place)
    for author in (name for name in names if name not in asked):
        for number, (source, text) in enumerate(_apart(samples[author])):
            batch.other(author, f"{number}-{'-'.join(sorted(source))}", text)
    split = {name: _sides(samples[name]) for name in asked}
    split = {name: sides for name, sides in split.items() if sides is not None}
    ready = list(split)
    for place_of, name in enumerate(ready):
        known, own = split[name]
        paths = [batch.text(f"{name}/known{i}", cut(text, WORDS)) for i, text in enumerate(known)]
        other = ready[(place_of + 1) % len(ready)], ready[(place_of + 2) % len(ready)]
        for words in lengths:
            for i, text in enumerate(own):
                batch.case(
                    f"{name}-own{i}-{words}",
                    "same",
                    paths,
                    batch.text(f"{name}/own{i}-{words}", cut(text, words)),
                    name,
                )
            for i, writer in enumerate(other):
                text = split[writer][1][i % len(split[writer][1])]
                batch.case(
                    f"{name}-by-{writer}-{words}",
                    "different",
                    paths,
                    batch.text(f"{name}/by{writer}-{words}", cut(text, words)),
                    name,
                )
        if lengths == (WORDS,):
            for kind, texts in attacks.items():
                if name in texts:
                    batch.case(
                        f"{name}-{kind}", kind, paths, batch.text(f"{name}/{kind}", cut(texts[name], WORDS)), name
                    )
    return batch


Sample = tuple[frozenset[str], str]


def _apart(samples: Sequence[Sample], most: int = 6) -> list[Sample]:
    """Samples no two of which are from one source document."""
    found: list[Sample] = []
    for sources, text in samples:
        if len(found) < most and not any(sources & other for other, _ in found):
            found.append((sources, text))
    return found


def _sides(samples: Sequence[Sample]) -> tuple[list[str], list[str]] | None:
    """Two known samples and up to two questioned ones, all of different source documents; None where they are fewer."""
    apart = [text for _, text in _apart(samples)]
    return (apart[:2], apart[2:4]) if len(apart) > 2 else None


def newsgroups(place: Path, words: int = 150, background: int = 60, asked: int = 40) -> Batch:
    """Posts of authors who wrote three of so many words or more."""
    corpus = load_corpus("newsgroups")
    rows: dict[str, list[int]] = defaultdict(list)
    for row, author in enumerate(corpus.author):
        if author is not None and count_words(corpus.texts[row]) >= words:
            rows[author].append(row)
    able = sorted(name for name, own in rows.items() if len(own) >= 4)
    names = [able[i] for i in stream(SEED, "newsgroups").permutation(len(able))[: background + asked]]
    batch = Batch(place)
    for number, name in enumerate(names[asked:]):
        for row in rows[name][:6]:
            batch.other(f"author{number:03d}", str(row), corpus.texts[row])
    held = names[:asked]
    for number, name in enumerate(held):
        own = [cut(corpus.texts[row], words) for row in rows[name]]
        paths = [batch.text(f"{number}/known{i}", text) for i, text in enumerate(own[:2])]
        stranger = cut(corpus.texts[rows[held[(number + 1) % asked]][2]], words)
        batch.case(f"{number}-own", "same", paths, batch.text(f"{number}/own", own[2]), f"person {number}")
        batch.case(f"{number}-other", "different", paths, batch.text(f"{number}/other", stranger), f"person {number}")
    return batch


def pan14(place: Path, name: str) -> Batch:
    """Test problems with two known texts or more against training problems; texts are cut to usual lengths."""
    archive = next((data() / "pan14").glob(f"*{name}*.zip"))
    train, test = (read_pan_problems(archive, split)[0] for split in ("train", "test"))
    problems, same = train.problems, train.truth()
    batch = Batch(place)
    group = _authors(problems, same)
    for row, author in group.items():
        batch.other(f"author{author:03d}", str(row), problems.texts[row])
    asked, truth = test.problems, test.truth()
    words = {int(row): count_words(asked.texts[row]) for row in asked.documents}
    long = int(np.quantile(list(words.values()), 0.25))
    least = [sorted((words[int(row)] for row in asked.known(i)), reverse=True)[:2] for i in range(len(asked))]
    usable = [
        i
        for i in range(len(asked))
        if len(least[i]) == 2 and min(*least[i], words[int(asked.questioned_index[i])]) >= 0.92 * long
    ]
    for i in usable[:100]:
        name_of = str(asked.ids[i])
        longest = sorted(asked.known(i).tolist(), key=lambda row: -words[row])[:2]
        known = [cut(asked.texts[row], long) for row in longest]
        paths = [batch.text(f"{name_of}/known{k}", text) for k, text in enumerate(known)]
        questioned = batch.text(f"{name_of}/questioned", cut(asked.texts[asked.questioned_index[i]], long))
        batch.case(name_of, "same" if truth[i] else "different", paths, questioned, f"candidate {name_of}")
    return batch


def _authors(problems: Any, same: Any) -> dict[int, int]:
    """The author of each training document as far as problems tell: known sets and same-author problems link them."""
    parent = {int(row): int(row) for row in problems.documents}

    def root(row: int) -> int:
        while parent[row] != row:
            row = parent[row]
        return row

    for i in range(len(problems)):
        linked = [*problems.known(i).tolist(), *([int(problems.questioned_index[i])] if same[i] else [])]
        for row in linked[1:]:
            parent[root(row)] = root(linked[0])
    names = {r: n for n, r in enumerate(sorted({root(row) for row in parent}))}
    return {row: names[root(row)] for row in parent}


def main() -> None:
    """Run what was asked for and print the tables."""
    from benchmarks.study_cases_tables import show

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="?", default="ebg,ebg-short,newsgroups,en_essays,gr_articles,du_essays")
    parser.add_argument("--out", default="raven-runs/study-cases")
    arguments = parser.parse_args()
    out = Path(arguments.out)
    for name in arguments.corpora.split(","):
        made = {
            "ebg": lambda: [ebg(out / f"ebg{part}", part) for part in range(3)],
            "ebg-short": lambda: [ebg(out / "ebg-short", 0, lengths=(250, 125))],
            "newsgroups": lambda: [newsgroups(out / "newsgroups")],
        }.get(name, lambda name=name: [pan14(out / name, name)])  # type: ignore[misc]
        found: list[dict[str, Any]] = []
        for number, batch in enumerate(made()):
            print(f"{name} {number}: {len(batch.lines)} cases", flush=True)
            found += batch.run()
        out.mkdir(parents=True, exist_ok=True)
        (out / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
        show(name, found)


if __name__ == "__main__":
    main()
