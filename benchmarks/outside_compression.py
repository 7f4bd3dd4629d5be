"""An outside program as PAN's organisers would run it: a compression distance with a fixed threshold, stdlib only.

``python outside_compression.py -i INPUT -o OUTPUT`` reads ``pairs.jsonl`` from the input folder and writes
``answers.jsonl``. Nothing is learned: two texts count as near where compressing them together saves much.
"""

from __future__ import annotations

import argparse
import json
import lzma
from pathlib import Path

CENTRE, SLOPE = 0.88, 40.0
"""Distance that is answered by 0.5, and how steeply answers fall with it."""


def size(text: str) -> int:
    """Bytes of a text once compressed."""
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 6}]
    return len(lzma.compress(text.encode(), lzma.FORMAT_RAW, filters=filters))


def answer(first: str, second: str) -> float:
    """From 0 to 1 by the normalised compression distance."""
    a, b = size(first), size(second)
    distance = (size(first + second) - min(a, b)) / max(a, b, 1)
    return min(1.0, max(0.0, 0.5 - (distance - CENTRE) * SLOPE / 100))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-i", type=Path, required=True, metavar="INPUT")
    parser.add_argument("-o", type=Path, required=True, metavar="OUTPUT")
    options = parser.parse_args()
    with (options.i / "pairs.jsonl").open(encoding="utf-8") as pairs:
        answers = [
            {"id": row["id"], "value": answer(*row["pair"])} for row in map(json.loads, pairs)
        ]
    written = "".join(json.dumps(row) + "\n" for row in answers)
    (options.o / "answers.jsonl").write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main()
