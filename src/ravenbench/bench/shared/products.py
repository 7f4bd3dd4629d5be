"""What a run wrote outside of its folder, such as a file of answers: by its hash, so that it may be replaced again.

RUN/products/HASH     an empty file for each hash (``formats.output.digest``): there is nothing in it to be damaged, and
                      it does not say where the product lies, for places may name people
"""

from __future__ import annotations

from pathlib import Path

from ravenbench import files


def written(folder: Path) -> frozenset[str]:
    """Hashes of what a run has written elsewhere; none where it is new."""
    place = folder / "products"
    return frozenset(p.name for p in place.iterdir()) if place.is_dir() else frozenset()


def note(folder: Path, digest: str) -> None:
    """Note a product before it takes its place, so that no moment of an end can make a stranger's of it."""
    files.make_folder(folder / "products")
    files.write_bytes(folder / "products" / digest, b"")
