"""Counts of a large table's texts in a file beside it, which all processes map instead of counting texts anew.

They lie in the folder ``counts`` beside a saved table, two files for each kind of unit: entries, packed as
``CountStore`` keeps them, and, written last, what is needed to read these. Processes share the pages of a mapped file,
and the system takes them back when memory is short. Whoever has them made removes them.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ravenbench import files
from ravenbench.text.packed_counts import Many, Packed
from ravenbench.texts import TextTable
from ravenbench.types import Int32s, Ints

Part = tuple[Packed, Ints, Many]
"""Counts of some texts: entries, where those of each text end, and what stands apart."""


@dataclass(frozen=True, eq=False)
class KeptCounts:
    """Row r of the table has ``packed[starts[r]:stops[r]]``, −1 where it was not counted.

    Its ids are those of who counted, ``ids`` by these the reader's own, None where they are the same.
    """

    packed: Packed
    starts: Ints
    stops: Ints
    many: Many
    ids: Int32s | None


def folder_of(table: TextTable) -> Path | None:
    """Where counts of a table lie, if it lies in a local folder itself."""
    return None if table.path is None or files.is_remote(table.path) else Path(table.path).with_name("counts")


def save_counts(
    table: TextTable, units: object, rows: Ints, parts: Iterable[Part], names: Callable[[], list[str]]
) -> None:
    """Write counts of these rows of a saved table part by part; ``names`` of all ids are asked for at the end."""
    folder = folder_of(table)
    if folder is None:
        return
    files.make_folder(folder)
    entries, index = _files(folder, units)
    ends, many = [np.zeros(1, np.int64)], list[tuple[int, int, int]]()
    with files.replacing(entries, sync=False) as file:
        for packed, stops, apart in parts:
            file.write(packed.tobytes())
            filled = int(ends[-1][-1])
            many += [(filled + at, *entry) for at, entry in apart.items()]
            ends.append(stops + filled)
    told = io.BytesIO()
    np.savez(
        told,
        table=np.frombuffer(table.digest().encode(), np.uint8),
        rows=rows,
        ends=np.concatenate(ends),
        many=np.array(many, dtype=np.int64).reshape(-1, 3),
        names=np.frombuffer(json.dumps(names()).encode(), np.uint8),
    )
    files.write_bytes(index, told.getvalue(), sync=False)


def open_counts(table: TextTable, units: object, ids: Callable[[list[str]], Ints]) -> KeptCounts | None:
    """Map the counts of these units of a table, whose ``ids`` are asked for by name.

    None where there are none, those of another table, or damaged ones.
    """
    folder = folder_of(table)
    if folder is None or not folder.is_dir():
        return None
    entries, index = _files(folder, units)
    if not index.is_file():
        return None
    try:
        with np.load(index, allow_pickle=False) as told:
            rows, ends, many, names = (told[name] for name in ("rows", "ends", "many", "names"))
            of = told["table"].tobytes().decode()
        packed: Packed = np.memmap(entries, np.uint32, "r") if ends[-1] else np.empty(0, np.uint32)
        starts, stops = np.full((2, len(table)), -1, np.int64)
        starts[rows], stops[rows] = ends[:-1], ends[1:]
        apart = {at: (unit, count) for at, unit, count in many.tolist()}
        named = json.loads(names.tobytes())
    except Exception:  # a process that was killed left them, or another removes them at this moment
        return None
    # The kernel that reads them looks at no bounds.
    if of != table.digest() or len(packed) != ends[-1] or (np.diff(ends) < 0).any():
        return None
    own = ids(named).astype(np.int32)
    same = np.array_equal(own, np.arange(len(own)))
    return KeptCounts(packed, starts, stops, apart, None if same else own)


def _files(folder: Path, units: object) -> tuple[Path, Path]:
    stem = hashlib.sha256(repr(units).encode()).hexdigest()[:16]
    return folder / f"{stem}.packed", folder / f"{stem}.index"
