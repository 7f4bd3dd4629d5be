"""How many words does a verifier need? Accuracy over length on four kinds of corpora, into docs/lengths.md.

    python -m benchmarks.study_lengths PAN14_FOLDER PAN18_ZIP EBG_ZIP OUT_FOLDER

20 Newsgroups is read from scikit-learn's cache. Every text is cut to its first words, those learned from included;
verifiers are fast ones of the shelf. Runs are kept in OUT_FOLDER and taken up again.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ravenbench
from ravenbench.reading.pan_attribution import read_attribution
from ravenbench.reports.page import save, style
from ravenbench.reports.view import figure
from ravenbench.tasks.api import run
from ravenbench.tasks.run.probes import LengthRow, lengths_figure

VERIFIERS = "char-ngram, function-words, ppm, cng-2013, length"
PAGE = Path(__file__).parents[1] / "docs" / "lengths.md"
HEAD = """# How many words do I need?

Expect little below a hundred words; on most corpora figures rise until 250 or 500. `raven run CORPUS --lengths
50,100,250` repeats a run with every text cut to its first words, and draws AUC over the number of words, with 95 %
intervals over authors.

[data/lengths.csv](data/lengths.csv) has every figure with its interval. Made by `python -m
benchmarks.study_lengths PAN14_FOLDER PAN18_ZIP EBG_ZIP OUT_FOLDER`.
"""


def fandoms(collection: Path, place: Path) -> Path:
    """The larger problem of PAN-2018 as a table of texts; the topic is whether they are of the fandom asked about.

    A candidate's known texts are fan fiction of other fandoms than the unknown texts.
    """
    problem = max(read_attribution(collection), key=lambda each: len(each.candidates))
    texts = [
        (author, "other fandoms", text)
        for author, known in problem.candidates.items()
        for text in known
    ]
    texts += [
        ((problem.truth or {})[name], "target fandom", text)
        for name, text in problem.unknown.items()
    ]
    rows = (dict(zip(("author", "topic", "text"), each, strict=True)) for each in texts)
    place.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return place


def settings(pan14: Path, pan18: Path, ebg: Path) -> dict[str, dict[str, Any]]:
    """Runs by their heading."""
    essays = {
        f"PAN-2014 {name}": dict.fromkeys(("train", "test"), str(pan14 / f"{name}.zip"))
        | {"lengths": lengths}
        for name, lengths in (
            ("du_essays", "50,100,250"),
            ("en_essays", "50,100,250,500"),
            ("gr_articles", "50,100,250,500,1000"),
        )
    }
    return {
        **essays,
        "PAN-2018 fan fiction, tested on other fandoms than trained on": {
            "corpus": str(pan18),
            "lengths": "50,100,250,500",
            "topics": 2,
            "folds": 2,
            "pools": 1,
            "min_docs": 20,
            "samplers": "random",
            "limit": 400,
        },
        "Extended Brennan–Greenstadt, across an author's documents": {
            "corpus": f"ebg(path='{ebg}')",
            "lengths": "50,100,250,500",
            "folds": 2,
            "topics": 4,
            "samplers": "random",
            "limit": 400,
        },
        "20 Newsgroups": {
            "corpus": "newsgroups",
            "lengths": "50,100,250",
            "topics": 10,
            "folds": 5,
            "pools": 1,
            "samplers": "random",
            "limit": 600,
        },
    }


def table(every: Sequence[Sequence[str]]) -> str:
    """One row a corpus, one column a length: AUC of some verifiers, from the rows of the CSV file."""
    shown = ("char-ngram", "function-words", "ppm")
    words = sorted({int(row[2]) for row in every})
    found = {(row[0], row[1], int(row[2])): row[3] for row in every}
    lines = [f"| AUC of {', '.join(shown)} | {' | '.join(f'{w:,} words' for w in words)} |"]
    lines.append("|---" * (len(words) + 1) + "|")
    for corpus in dict.fromkeys(row[0] for row in every):
        cells = (
            ", ".join(found.get((corpus, name, w), "") for name in shown).strip(", ") for w in words
        )
        lines.append(f"| {corpus} | {' | '.join(cells)} |")
    return "\n".join(lines)


def intervals(heading: str, rows: tuple[LengthRow, ...]) -> list[list[str]]:
    """Every figure with its interval, and the share of problems of full length."""
    full = {row.words: row.reached for row in rows}
    told = [
        [heading, "(full length)", str(words), f"{reached:.0%}", "", ""]
        for words, reached in full.items()
    ]
    for row in rows:
        ends = () if row.auc is None else (row.auc.value, *(row.auc.interval or ()))
        shown = [figure(min(max(end, 0), 1)) for end in ends]
        told.append([heading, row.verifier, str(row.words), *shown, *[""] * (3 - len(shown))])
    return told


def main(pan14: str, pan18: str, ebg: str, out: str) -> None:
    """Run, and write the page."""
    every, pictures = list[list[str]](), list[str]()
    Path(out).mkdir(parents=True, exist_ok=True)
    table18 = fandoms(Path(pan18), Path(out) / "pan18.jsonl")
    for number, (heading, given) in enumerate(settings(Path(pan14), table18, Path(ebg)).items()):
        result = run(
            verifiers=VERIFIERS, probe="none", workers=1, out=Path(out) / f"{number:02d}", **given
        )
        analysis = ravenbench.analyse(result.store)
        image = f"images/lengths-{number}.svg"
        with style():
            save(lengths_figure(analysis.lengths), PAGE.parent / image)
        every += intervals(heading, analysis.lengths)
        pictures.append(
            picture(number, heading, next((row.problems for row in analysis.lengths), 0))
        )
    PAGE.write_text(
        "\n\n".join([HEAD.rstrip("\n"), table(every), *pictures]) + "\n", encoding="utf-8"
    )
    with (PAGE.parent / "data" / "lengths.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(
            [["corpus", "verifier", "words", "auc", "low", "high"], *every]
        )


def picture(number: int, heading: str, problems: int) -> str:
    """A section of the page: a corpus and its curves."""
    return f"![{heading}: {problems:,} test problems](images/lengths-{number}.svg)"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for place in ("pan14", "pan18", "ebg", "out"):
        parser.add_argument(place)
    main(**vars(parser.parse_args()))
