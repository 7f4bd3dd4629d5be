"""What a run wrote outside of its folder, such as a file of answers: by its hash, so that it may be replaced again.

RUN/products.json     the hashes (``formats.output.digest``), without the places: those may name people
"""

from __future__ import annotations

from pathlib import Path

from ravenbench.bench.shared.record import Record, read_record, write_record
from ravenbench.errors import StoreError


class Products(Record, frozen=True, kw_only=True):
    """``products.json``."""

    digests: list[str]


def written(folder: Path) -> frozenset[str]:
    """Hashes of what a run has written elsewhere; none where it is new or the record is damaged."""
    try:
        return frozenset(read_record(folder / "products.json", Products).digests)
    except (OSError, StoreError):
        return frozenset()


def note(folder: Path, kind: str, digest: str) -> None:
    """Note a product before it takes its place, so that no moment of an end can make a stranger's of it."""
    known = written(folder)
    if digest not in known:
        write_record(folder / "products.json", kind, Products(digests=sorted({*known, digest})))
