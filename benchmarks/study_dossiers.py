"""Dossiers of raven validate: ``python -m benchmarks.study_dossiers PLACE [NAME,…] [--quick] [--write]``

Lays out the background and its conditions in PLACE, validates the default verifiers on it (``--quick``: three
cheap ones), and ``--write`` puts every dossier's figures into docs/validate.md.

- ``ebg``: essays by 45 people, of those no two of which are from one source document;
- ``newsgroups``: the posts of at least 140 words of all who wrote four such posts, with their newsgroup as topic;
- ``eltec`` (only if named): eight passages of 1,000 words by each novelist, at equal distances in his or her novels.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path

from benchmarks.pages import bare, put_between, table_file
from benchmarks.study_cases_corpora import _apart, data
from benchmarks.study_human_obfuscation import read as read_ebg
from ravenbench import load_corpus, validate, write_report
from ravenbench.ext.case.compare.dossier import FILE, CellResult, Dossier
from ravenbench.store.records import read_record
from ravenbench.text.tokens import count_words, cut

QUICK = "ppm,char-ngram,function-words"
TITLES = {"ebg": "EBG", "newsgroups": "newsgroups", "eltec": "ELTeC-eng"}
LEAST, POSTS = 140, 4
PASSAGES, WORDS = 8, 1000
CONDITIONS = {
    "ebg": (
        "questioned,known,texts",
        "500,500,1",
        "500,500,2",
        "250,250,1",
        "250,250,2",
        "250,250,4",
    ),
    "newsgroups": (
        "questioned,known,texts,topic",
        "250,250,1,any",
        "125,125,2,any",
        "125,125,4,any",
        "125,125,2,same",
        "125,125,2,different",
    ),
    "eltec": (
        "questioned,known,texts",
        "1000,1000,1",
        "500,500,1",
        "500,500,2",
        "250,250,1",
        "250,250,2",
        "250,250,4",
    ),
}
PAGE = Path(__file__).parent.parent / "docs" / "validate.md"
BEGIN, END = (
    "<!-- default: written by python -m benchmarks.study_dossiers -->",
    "<!-- end of default -->",
)


def ebg(place: Path) -> None:
    """A folder for each author."""
    samples, _ = read_ebg(str(data() / "ebg" / "extended-brennan-greenstadt.zip"))
    for author, own in samples.items():
        (place / author).mkdir(parents=True, exist_ok=True)
        for number, (_, text) in enumerate(_apart(own)):
            (place / author / f"{number}.txt").write_text(text, encoding="utf-8")


def newsgroups(place: Path) -> None:
    """A table of posts, with their newsgroup as topic."""
    corpus = load_corpus("newsgroups")
    rows: dict[str, list[int]] = defaultdict(list)
    for row, author in enumerate(corpus.author):
        if author is not None and count_words(corpus.texts[row]) >= LEAST:
            rows[author].append(row)
    kept = [(author, row) for author, own in rows.items() if len(own) >= POSTS for row in own]
    lines = [
        {"author": author, "topic": corpus.topic[row], "text": corpus.texts[row]}
        for author, row in kept
    ]
    place.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")


def eltec(place: Path) -> None:
    """A folder for each novelist. Most wrote one novel here: no two authors share it, and all passages of one do."""
    corpus = load_corpus(data() / "eltec" / "eltec-eng.zip", pairs=False)
    rows: dict[str, list[int]] = defaultdict(list)
    for row, author in enumerate(corpus.author):
        rows[author or ""].append(row)
    for author, own in rows.items():
        (place / author.replace("/", "-")).mkdir(parents=True, exist_ok=True)
        for number, row in enumerate(own):
            text = corpus.texts[row]
            count = PASSAGES // len(own) + (number < PASSAGES % len(own))
            for part in range(count):
                start = (2 * part + 1) * count_words(text) // (2 * count) - WORDS // 2
                name = f"{Path(corpus.ids[row]).stem}-{part}.txt"
                passage = place / author.replace("/", "-") / name
                passage.write_text(cut(text, WORDS, start), encoding="utf-8")


def laid_out(name: str, folder: Path) -> tuple[Path, Path]:
    """The background and the conditions, as files."""
    folder.mkdir(parents=True, exist_ok=True)
    background, conditions = (
        folder / ("posts.jsonl" if name == "newsgroups" else "essays"),
        folder / "conditions.csv",
    )
    {"ebg": ebg, "newsgroups": newsgroups, "eltec": eltec}[name](background)
    conditions.write_text("\n".join(CONDITIONS[name]) + "\n", encoding="utf-8")
    return background, conditions


def row(background: str, cell: CellResult) -> str:
    """A cell as a row of the page's table."""
    c, m = cell.condition, cell.measures
    if not m:
        return f"| {background} | {c.questioned} words, {c.texts} of {c.known} | | | | | | | {cell.verdict} |"
    topic = "".join(f", {key} {value}" for key, value in c.between.items())
    cllr = f"{bare(m['cllr'].value)} [{bare(m['cllr'].low)}, {bare(m['cllr'].high)}]"
    ends = ", ".join(
        bare(m[key].high, 3).removesuffix("0") for key in ("misleading_for", "misleading_against")
    )
    figures = " | ".join(bare(m[key].value) for key in ("cllr_min", "eer", "devpav"))
    return (
        f"| {background} | {c.questioned} words, {c.texts} of {c.known}{topic} | {cell.authors} | {cllr} | {figures} | "
        f"{ends} | {cell.verdict} |"
    )


def shown(table: str) -> str:
    """The columns of the page; the file beside it has all."""
    rows = [line.strip("|").split("|") for line in table.split("\n")]
    return "\n".join("|" + "|".join(cells[at] for at in (0, 1, 2, 3, 7, 8)) + "|" for cells in rows)


def main() -> None:
    """Validate, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("place", type=Path)
    parser.add_argument("names", nargs="?", default="ebg,newsgroups")
    for flag in ("quick", "write"):
        parser.add_argument(f"--{flag}", action="store_true")
    given = parser.parse_args()
    names, which = given.names.split(","), "quick" if given.quick else "default"
    for name in names:
        folder = given.place / f"{name}-{which}"
        background, conditions = laid_out(name, folder)
        system = {"verifiers": QUICK} if given.quick else {}
        write_report(
            validate(
                str(background), str(conditions), out=folder / "dossier", workers=1, **system
            ).store
        )
    if given.write:
        lines = [
            "| background | questioned, known | authors | C_llr | C_llr min | EER | devPAV | misleading at 10 or "
            "more: for, against (upper ends) | verdict |",
            "|---" * 9 + "|",
        ]
        for name in names:
            cells = read_record(
                given.place / f"{name}-{which}" / "dossier" / "report" / FILE, Dossier
            ).cells
            lines += [row(TITLES[name], cell) for cell in cells]
        told = "\n".join(lines)
        table_file(PAGE.parent / "data" / f"dossiers-{which}.csv", told)
        if which == "default":
            put_between(PAGE, BEGIN, END, f"\n{shown(told)}\n")


if __name__ == "__main__":
    main()
