"""Writes a made-up corpus of any size as Parquet files: ``python -m benchmarks generate CORPUS FOLDER [--workers N]``.

The same parameters give the same bytes for any number of workers. After an interruption the same command continues.

    python -m benchmarks generate "synthetic(documents=50000, authors=5000, topics=100, words=2900)" big
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ravenbench import registry
from ravenbench.components import Component
from ravenbench.corpora.synthetic import Synthetic
from ravenbench.errors import InputError, SpecError
from ravenbench.files import check_not_forked, make_folder, replacing, sha256, write_json
from ravenbench.outputs import check_folder
from ravenbench.programs import ending_with_me

ABOUT = "generated.json"
_BEGUN = ".begun.json"
_PART_BYTES = 2**25
_LETTERS_A_WORD = 7.3
"""Characters for each word of a document, with punctuation and spaces; includes the mean of a log-normal length."""

Progress = Callable[[int, int], None]
"""Called with (parts done, parts in all)."""


def generate_corpus(
    corpus: Component,
    folder: str | Path,
    workers: int = 1,
    progress: Progress = lambda done, total: None,
) -> Path:
    """Write a synthetic corpus as ``part-00000.parquet`` …, with ``generated.json`` (its dials, hashes of the parts).

    Parts are made in a folder ``.NAME.partial`` beside the place, which is renamed when all are there; a call with the
    same dials goes on where an earlier one stopped. Memory holds one part a worker. SpecError if a dial is out of
    range, or the corpus is none that is generated; InputError if the place is taken, holds a part of another corpus, or
    the disk has no room.
    """
    if not isinstance(corpus, Synthetic):
        raise SpecError(
            "only a synthetic corpus is generated", found=str(corpus), expected="synthetic(…)"
        )
    corpus.check()
    for name in ("documents", "authors"):
        if getattr(corpus, name) < 2:
            raise SpecError(
                f"synthetic: {name} must be at least 2, or there are no pairs",
                found=getattr(corpus, name),
            )
    if workers < 1:
        raise SpecError("workers must be at least 1", found=workers)
    folder = Path(folder)
    about: dict[str, Any] = {
        "corpus": str(corpus),
        "version": corpus.version,
        "documents": corpus.documents,
    }
    with suppress(OSError, ValueError, AttributeError):
        if about.items() <= json.loads((folder / ABOUT).read_bytes()).items():
            return folder  # an earlier call came as far
    check_folder(folder)
    if folder == Path():
        raise InputError(
            "you are in this folder, and it cannot be replaced", file=folder, fix="name another"
        )
    partial = folder.absolute().parent / f".{folder.name}.partial"
    _check_room(corpus, folder, partial)
    parts = list(plan_parts(corpus))
    missing = _take_up(corpus, partial, parts)
    done = len(parts) - len(missing)
    progress(done, len(parts))
    for _ in _work(corpus, partial, missing, workers):
        done += 1
        progress(done, len(parts))
    hashes = {_name(number): sha256(partial / _name(number)) for number in range(len(parts))}
    write_json(partial / ABOUT, {**about, "parts": hashes})
    if folder.exists():
        folder.rmdir()
    partial.rename(folder)
    (folder / _BEGUN).unlink()
    return folder


def plan_parts(corpus: Synthetic) -> Iterator[tuple[int, range]]:
    """Number and documents of each part: a function of the dials, so of no machine."""
    each = _documents_a_part(corpus)
    for number, start in enumerate(range(0, corpus.documents, each)):
        yield number, range(start, min(start + each, corpus.documents))


def _documents_a_part(corpus: Synthetic) -> int:
    return max(1, int(_PART_BYTES / (_LETTERS_A_WORD * corpus.words)))


def write_part(corpus: Synthetic, folder: Path, number: int, documents: range) -> None:
    """Write one part, whole or not at all."""
    import polars as pl

    check_not_forked()
    rows = list(corpus.stream(documents))
    frame = pl.DataFrame(
        {
            "id": [d.id for d in rows],
            "author": [d.author for d in rows],
            "topic": [d.topic for d in rows],
            "family": [d.topic[:-1] for d in rows if d.topic],
            "language": [d.language for d in rows],
            "text": [d.text for d in rows],
        }
    )
    with replacing(folder / _name(number)) as file:
        frame.write_parquet(file, compression="zstd", compression_level=1, row_group_size=512)


def _work(
    corpus: Synthetic, folder: Path, parts: list[tuple[int, range]], workers: int
) -> Iterator[None]:
    if workers == 1 or len(parts) < 2:
        for number, documents in parts:
            write_part(corpus, folder, number, documents)
            yield
        return
    from joblib import Parallel, delayed

    pool = Parallel(
        n_jobs=min(workers, len(parts)), return_as="generator_unordered", **ending_with_me()
    )
    yield from pool(
        delayed(write_part)(corpus, folder, number, documents) for number, documents in parts
    )


def _take_up(
    corpus: Synthetic, partial: Path, parts: list[tuple[int, range]]
) -> list[tuple[int, range]]:
    """The parts that an earlier call has not written."""
    begun = partial / _BEGUN
    mark: dict[str, object] = {"corpus": str(corpus), "version": corpus.version}
    if partial.exists():
        try:
            earlier = json.loads(begun.read_text("utf-8"))
        except FileNotFoundError:
            earlier = None
        except (OSError, ValueError, RecursionError):
            earlier = "a mark that cannot be read"
        if earlier not in (mark, None) or (earlier is None and any(partial.glob("part-*"))):
            raise InputError(
                "another corpus was begun here",
                file=partial,
                found=earlier,
                expected=str(corpus),
                fix="give another --out, or remove this folder",
            )
    make_folder(partial)
    write_json(begun, mark)
    return [part for part in parts if not (partial / _name(part[0])).is_file()]


def _check_room(corpus: Synthetic, folder: Path, partial: Path) -> None:
    # Parquet needs less than half of the letters; a full disk is better known before an hour's work.
    there = sum(1 for _ in partial.glob("part-*.parquet")) * _documents_a_part(corpus)
    need = int(max(0, corpus.documents - there) * corpus.words * _LETTERS_A_WORD * 0.45)
    place = partial.parent
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    if need > free:
        raise InputError(
            "not enough disk space for this corpus",
            file=folder,
            found=f"{free / 1e9:,.1f} GB free",
            expected=f"about {need / 1e9:,.1f} GB",
            fix="give fewer documents or words, or another --out",
        )


def _name(number: int) -> str:
    return f"part-{number:05d}.parquet"


def main(arguments: Sequence[str] | None = None) -> None:
    """Generate the corpus that the arguments describe."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks generate", description=__doc__)
    parser.add_argument("corpus", help="synthetic(…) with its parameters")
    parser.add_argument("folder", type=Path, help="output folder")
    parser.add_argument(
        "--workers", type=int, default=os.cpu_count() or 1, help="processes; default: all cores"
    )
    given = parser.parse_args(arguments)
    place = generate_corpus(registry.parse("corpus", given.corpus), given.folder, given.workers)
    print(
        f"{given.corpus}: {sum(part.stat().st_size for part in place.iterdir()) / 1e6:,.1f} MB in {place}"
    )
