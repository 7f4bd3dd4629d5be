"""Tables and problem sets of people set apart: half of the authors serve development, half are looked at once.

``python -m benchmarks.study_style_data OUT`` writes, from ``RAVEN_DATA`` and ``SCIKIT_LEARN_DATA``, for each half
(authors by the parity of a hash of their names, as in ``study_attribution``; ``developed`` has the even ones) a table
of 20 Newsgroups, one of the Extended Brennan–Greenstadt corpus, and problem sets of ELTeC: of authors with several
novels, pairs of samples of 1,000 words from two novels; and as many pairs of two authors' novels.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import zipfile
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from benchmarks.study_attribution import half
from ravenbench.ext.corpora.ebg import EBG
from ravenbench.randomness import stream
from ravenbench.reading.load import load_corpus
from ravenbench.types import Corpus

SIDES = ("developed", "shown")
TEI = "{http://www.tei-c.org/ns/1.0}"
SAMPLE = 1000
"""Words of a sample of a novel."""
SAMPLES = 6
"""Samples of a novel, spread evenly over it."""
PAIRS = 3
"""Same-author pairs of every two novels of one author."""


def main() -> None:
    """Write everything that is not there."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    out: Path = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    data = Path(os.environ["RAVEN_DATA"])
    tables(load_corpus("newsgroups"), "newsgroups", out)
    tables(EBG(path=str(data / "ebg" / "extended-brennan-greenstadt.zip")).load(), "ebg", out)
    novels(data / "eltec" / "eltec-eng.zip", out)


def tables(corpus: Corpus, name: str, out: Path) -> None:
    """A table of either half of a corpus's authors."""
    topics = corpus.topic if len(corpus.topic.names) > 1 else None
    for side in range(2):
        with (out / f"{name}-{SIDES[side]}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["id", "author", "text", *(["topic"] if topics is not None else [])])
            for i, document in enumerate(corpus):
                readable = not re.search("[\x80-\x9f]", document.text)
                if readable and document.author is not None and half(document.author) == side:
                    about = [] if topics is None else [topics[i] or ""]
                    writer.writerow([document.id, document.author, document.text, *about])


def novels(place: Path, out: Path) -> None:
    """Problem sets of either half of the novelists; those with several novels are dealt out in turns."""
    samples: dict[str, list[list[str]]] = defaultdict(list)
    named: dict[str, list[str]] = defaultdict(list)
    with zipfile.ZipFile(place) as archive:
        for name in sorted(
            n for n in archive.namelist() if n.startswith("level1/") and n.endswith(".xml")
        ):
            root = ElementTree.fromstring(archive.read(name))  # noqa: S314 - a corpus that the user brings
            author = next(root.iter(f"{TEI}author"))
            body = next(root.iter(f"{TEI}body"))
            words = re.findall(
                r"\S+\s*", "\n".join("".join(p.itertext()) for p in body.iter(f"{TEI}p"))
            )
            starts = np.linspace(0, len(words) - SAMPLE, SAMPLES).astype(int)
            named[str(author.get("ref"))].append(Path(name).stem)
            samples[str(author.get("ref"))].append(
                ["".join(words[s : s + SAMPLE]) for s in starts.tolist()]
            )
    several = sorted(
        (a for a in samples if len(samples[a]) > 1),
        key=lambda a: stream(0, "novelists", a).random(),
    )
    single = sorted(a for a in samples if len(samples[a]) == 1)
    for side in range(2):
        rng, rows = stream(0, "novels", side), list[tuple[list[str], list[str]]]()
        mine, others = several[side::2], single[side::2]
        with (out / f"eltec-{SIDES[side]}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["id", "author", "text", "topic"])
            for author in sorted([*mine, *others]):
                for novel, texts in zip(named[author], samples[author], strict=True):
                    writer.writerows(
                        [f"{novel}-{i}", author, text, novel] for i, text in enumerate(texts)
                    )
        for author in mine:
            own = samples[author]
            for a in range(len(own)):
                for b in range(len(own)):
                    if a != b:
                        for k in rng.permutation(SAMPLES)[:PAIRS].tolist():
                            known, asked = own[a][k], own[b][int(rng.integers(SAMPLES))]
                            rows.append(([known, asked], [author, author]))
                            other = str(rng.choice([o for o in [*mine, *others] if o != author]))
                            novel = samples[other][int(rng.integers(len(samples[other])))]
                            text = novel[int(rng.integers(SAMPLES))]
                            rows.append(([known, text], [author, other]))
        place = out / f"eltec-{SIDES[side]}.jsonl"
        with (
            place.open("w", encoding="utf-8") as pairs,
            place.with_stem(f"{place.stem}-truth").open("w") as truth,
        ):
            for i, (pair, authors) in enumerate(rows):
                name = f"{SIDES[side]}-{i:03}"
                pairs.write(json.dumps({"id": name, "pair": pair}, ensure_ascii=False) + "\n")
                said = {"id": name, "same": authors[0] == authors[1], "authors": authors}
                truth.write(json.dumps(said) + "\n")


if __name__ == "__main__":
    main()
