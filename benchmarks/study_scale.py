"""How a run and an import grow: ``python -m benchmarks.study_scale growth|import|draw [options]``.

``growth`` runs m = 70, k = 10 with char-ngram, ppm and topic-fit on generated corpora of several numbers of
documents, lengths and pairs, in one process, and notes the CPU seconds of every stage. ``import`` writes pairs in the
format of PAN20 and imports them under a limit of memory. Each adds its rows to ``scale.json``; ``draw`` fits exponents
and draws them. ``study_workers`` measures how much of two workers is used.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

for variable in (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
):
    os.environ.setdefault(variable, "1")

HERE = Path(__file__).parent
RESULTS = HERE / "scale.json"
FIGURE = HERE.parent / "docs" / "images" / "scale.svg"
WORDS = 2913
"""Of a document of 21,000 characters in the median."""
DOCUMENTS, LENGTHS, SETUPS = (500, 1000, 2000, 4000), (364, 728, 1457, WORDS), (1, 2, 3, 4)
BASE = 1000
"""Documents where it is length or pairs that grow; more setups draw more pairs among the same documents."""
PAN_TEXTS = 494_000 / 275_000
"""Distinct texts a pair in PAN20."""


def keep(study: str, rows: list[dict[str, Any]]) -> None:
    """Put a study's rows in the place of its former ones."""
    known = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    RESULTS.write_text(
        json.dumps({**known, study: rows}, indent=1, allow_nan=False) + "\n", "utf-8"
    )


def generated(folder: Path, documents: int, words: int) -> Path:
    """A corpus of 100 topics with ten documents an author."""
    from benchmarks.generate import generate_corpus
    from ravenbench.corpora.synthetic import Synthetic

    place = folder / f"c-{documents}-{words}"
    made = Synthetic(documents=documents, authors=max(50, documents // 10), topics=100, words=words)
    return place if place.exists() else generate_corpus(made, place)


def measured(corpus: Path, out: Path, setups: int) -> dict[str, Any]:
    """CPU seconds by stage of one run in this process, with its counts."""
    from ravenbench.tasks.api import run

    marks: list[tuple[str, float]] = []

    def progress(stage: str, done: int, total: int) -> None:
        if not marks or marks[-1][0] != stage:
            marks.append((stage, time.process_time()))

    samplers = ", ".join(
        ["hits", "random", *(f"random(draw={i})" for i in range(1, setups))][:setups]
    )
    store = run(
        str(corpus),
        topics=70,
        folds=10,
        samplers=samplers,
        pairs="reference",
        probe="none",
        min_docs=2,
        verifiers="char-ngram, ppm, topic-fit",
        workers=1,
        out=out,
        progress=progress,
    ).store
    marks.append(("end", time.process_time()))
    stages = {stage: after - begun for (stage, begun), (_, after) in pairwise(marks)}
    from ravenbench.files import read_array

    return {
        "seconds": stages,
        "characters": int(store.texts.offsets[-1]),
        "pairs": int(read_array(store.path / "pairs" / "pairs.npy").shape[1]),
        "folds": len(store.plan["folds"]),
    }


def growth(folder: Path) -> None:
    """Documents, length and pairs, each with the others fixed; a fresh process for every run."""
    settings = [("documents", n, n, WORDS, 1) for n in DOCUMENTS]
    settings += [("length", words, BASE, words, 1) for words in LENGTHS]
    settings += [("pairs", setups, BASE, WORDS, setups) for setups in SETUPS]
    done: dict[tuple[int, int, int], dict[str, Any]] = {}
    # A row that is there already is not measured again: the study can be stopped and taken up.
    kept = folder / "measured.json"
    rows = []
    for what, value, documents, words, setups in settings:
        key = (documents, words, setups)
        if key not in done:
            corpus = generated(folder, documents, words)
            out = folder / f"r-{documents}-{words}-{setups}"
            command = [
                sys.executable,
                "-m",
                "benchmarks.study_scale",
                "one",
                str(corpus),
                "--out",
                str(out),
            ]
            command += ["--setups", str(setups)]
            earlier = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
            if str(key) not in earlier:
                told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                earlier[str(key)] = json.loads(told)
                kept.write_text(json.dumps(earlier), "utf-8")
            done[key] = earlier[str(key)]
        rows.append(
            {"grows": what, "value": value, "documents": documents, "words": words, **done[key]}
        )
        print(rows[-1], flush=True)
        keep("growth", rows)


def pan_pairs(folder: Path, pairs: int, seed: int = 0) -> Path:
    """Pairs in PAN20's format: a tenth of the texts stand in a second pair."""
    from ravenbench.corpora.synthetic import Synthetic

    texts = round(pairs * PAN_TEXTS)
    made = Synthetic(documents=texts, authors=texts // 2, topics=1600, words=WORDS, seed=seed)

    def twice(start: int) -> Iterator[int]:
        while True:
            yield start % texts
            start += 11

    folder.mkdir(parents=True, exist_ok=True)
    fresh, again = made.stream(), made.stream(twice(texts // 3))
    with (folder / "pairs.jsonl").open("w") as file, (folder / "truth.jsonl").open("w") as truth:
        for i in range(pairs):
            one = next(fresh, None) or next(again)
            other = next(fresh, None) or next(again)
            if 2 * i + 2 > texts and one.id == other.id:
                other = next(again)
            name = f"pair-{i:06d}"
            pair = {"id": name, "fandoms": [one.topic, other.topic], "pair": [one.text, other.text]}
            file.write(json.dumps(pair) + "\n")
            authors = [one.author, other.author]
            truth.write(
                json.dumps({"id": name, "same": authors[0] == authors[1], "authors": authors})
                + "\n"
            )
    return folder


def importing(source: Path, out: Path, limit_mb: int) -> None:
    """Import, then topic vectors, with at most so much memory of its own; one row on stdout."""
    # Pages of mapped files are not counted: they are the system's to take back.
    resource.setrlimit(resource.RLIMIT_DATA, (limit_mb * 2**20, limit_mb * 2**20))
    import numpy as np

    from ravenbench.reading.load import import_corpus, open_corpus
    from ravenbench.topics.encoders import LSA
    from ravenbench.topics.levels import document_vectors, topic_vectors

    marks = [time.process_time()]
    corpus = open_corpus(out) if out.exists() else import_corpus(source, out)
    marks.append(time.process_time())
    vectors = document_vectors(LSA(), corpus.texts, np.arange(len(corpus), dtype=np.int64))
    topics = topic_vectors(vectors, corpus.topic.codes, len(corpus.topic.names))
    marks.append(time.process_time())
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    row = {
        "bytes": (source / "pairs.jsonl").stat().st_size,
        "texts": len(corpus),
        "dropped": corpus.notes["dropped"],
        "topics": len(topics),
        "seconds": {"import": marks[1] - marks[0], "vectors": marks[2] - marks[1]},
        "limit_mb": limit_mb,
        "own_mb_at_end": int(status["RssAnon"].split()[0]) // 1024,
        "peak_resident_mb": int(status["VmHWM"].split()[0]) // 1024,
    }
    print(json.dumps(row))


def imports(folder: Path, pairs: list[int], limit_mb: int) -> None:
    """Slices of several sizes, each imported by a fresh process."""
    rows = []
    for count in pairs:
        source = folder / f"pan-{count}"
        if not source.exists():
            pan_pairs(source, count)
        out = folder / f"imported-{count}"
        command = [
            sys.executable,
            "-m",
            "benchmarks.study_scale",
            "one-import",
            str(source),
            "--out",
            str(out),
        ]
        command += ["--limit", str(limit_mb)]
        row = json.loads(
            subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        )
        rows.append({"pairs": count, **row})
        print(rows[-1], flush=True)
        keep("import", rows)


def exponents(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Slope of log CPU seconds over the log of what grows, by what grows and stage."""
    import numpy as np

    found: dict[str, dict[str, float]] = {}
    for what in dict.fromkeys(row["grows"] for row in rows):
        mine = [row for row in rows if row["grows"] == what]
        x = np.log([row["pairs"] if what == "pairs" else row["value"] for row in mine])
        stages = [*mine[0]["seconds"], "all"]
        for stage in stages:
            seconds = [
                sum(r["seconds"].values()) if stage == "all" else r["seconds"][stage] for r in mine
            ]
            if min(seconds) > 0.05:
                found.setdefault(what, {})[stage] = float(np.polyfit(x, np.log(seconds), 1)[0])
    return found


def draw() -> None:
    """Exponents into ``scale.json`` and curves into the figure."""
    from ravenbench.reports.page import canvas, save, style

    known = json.loads(RESULTS.read_text("utf-8"))
    keep("exponents", exponents(known["growth"]))  # type: ignore[arg-type]
    with style():
        figure, axes = canvas(8.6, 3.0, columns=3)
        for ax, what in zip(axes, ("documents", "length", "pairs"), strict=True):
            mine = [row for row in known["growth"] if row["grows"] == what]
            x = [row["pairs"] if what == "pairs" else row["value"] for row in mine]
            for number, stage in enumerate(mine[0]["seconds"]):
                y = [row["seconds"][stage] for row in mine]
                if min(y) > 0.05:
                    ax.plot(
                        x,
                        y,
                        marker="o",
                        markersize=3,
                        linewidth=1.2,
                        color=f"C{number}",
                        label=stage,
                    )
            ax.set_xscale("log")
            ax.set_yscale("log")
            ax.minorticks_off()
            ax.set_xticks(x, [f"{v:,}" for v in x])
            ax.set_yticks([0.1, 1, 10], ["0.1", "1", "10"])
            ax.set_ylim(0.1, 60)
            ax.set_xlabel({"length": "words a document", "pairs": "distinct pairs"}.get(what, what))
        axes[0].set_ylabel("CPU seconds")
        axes[0].legend(fontsize=7)
        save(figure, FIGURE)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.study_scale", description=__doc__)
    parser.add_argument("study", choices=["growth", "import", "draw", "one", "one-import"])
    parser.add_argument("source", nargs="?", type=Path)
    parser.add_argument(
        "--out", type=Path, default=Path("scale"), help="folder for corpora and runs"
    )
    parser.add_argument("--pairs", type=int, nargs="*", default=[7_000, 21_000, 70_000])
    parser.add_argument("--limit", type=int, help="most megabytes of memory (import)")
    parser.add_argument(
        "--setups", type=int, default=1, help="HITS and so many less one draws of Random (one)"
    )
    options = parser.parse_args()
    if options.study == "draw":
        draw()
    elif options.study == "growth":
        growth(options.out)
    elif options.study == "import":
        imports(options.out, options.pairs, options.limit or 2000)
    elif options.study == "one":
        print(json.dumps(measured(options.source, options.out, options.setups)))
    else:
        importing(options.source, options.out, options.limit)


if __name__ == "__main__":
    main()
