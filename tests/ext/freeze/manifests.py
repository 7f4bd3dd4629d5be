"""Malformed manifests of frozen problems; most have a checksum that fits, as somebody would who means harm."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import Any

import msgspec

from bad_input.cases import Case
from ravenbench.ext.freeze.frozen import MOST_BYTES, Source, SourcePart, checksum_of
from ravenbench.ext.freeze.manifests import manifest_of
from ravenbench.testing import toy_problems
from ravenbench.types import Labels


def good() -> dict[str, Any]:
    """A manifest of problems and a split, as plain values."""
    problems, same = toy_problems(4, known=1, words=12)
    role = Labels.of(("query", "candidate")[row % 2] for row in range(len(problems.texts)))
    ids = [f"d{row}" for row in range(len(problems.texts))]
    source = Source(
        problems.texts,
        ids,
        {"author": problems.author},
        [SourcePart("toy/test", problems, same)],
        {"role": role},
    )
    return dict(msgspec.to_builtins(manifest_of(source._replace(name="toy"), "clear")))


def sealed(value: Any) -> bytes:
    """A manifest whose checksum is that of its content."""
    return json.dumps(
        {**value, "checksum": checksum_of(value)} if isinstance(value, dict) else value
    ).encode()


def changed(**parts: Any) -> Callable[[], bytes]:
    """A sealed manifest with some parts other than usual; those of its set by ``set_NAME``."""

    def made() -> bytes:
        value = good()
        own = {
            name.removeprefix("set_"): part
            for name, part in parts.items()
            if name.startswith("set_")
        }
        sets = [{**value["sets"][0], **own}]
        return sealed(
            {
                **value,
                "sets": sets,
                **{n: part for n, part in parts.items() if not n.startswith("set_")},
            }
        )

    return made


def case(name: str, data: Callable[[], bytes], says: str = "not a complete manifest") -> Case:
    """One malformed manifest."""
    return Case(name, "manifest", says, {"m.json": data})


FROZEN = [
    case("gzip that was cut short", lambda: gzip.compress(sealed(good()))[:-40]),
    case("gzip of zeros without end", lambda: gzip.compress(bytes(MOST_BYTES + 9), 1)),
    case("gzip of deep lists", lambda: gzip.compress(b"[" * 200_000)),
    case("JSON that was cut short", lambda: sealed(good())[:-40]),
    case("a list", lambda: b"[]"),
    case("an object of another program", lambda: b'{"name": "toy"}'),
    case("another format", changed(format=9), "not JSON of format 1"),
    case(
        "one letter changed",
        lambda: sealed(good()).replace(b'"name": "toy"', b'"name": "boy"'),
        "its checksum",
    ),
    case("a number for a text", changed(documents=7)),
    case("a text for counts", changed(counts="many")),
    case("counts of other problems", changed(counts={"documents": 8, "problems": 10**9})),
    case("numbers that are not packed", changed(set_known="u9:AAAA"), "not packed numbers"),
    case("documents that do not exist", changed(set_known="u1://///w==")),
    case("problems of no documents", changed(set_sizes="u1:AAAAAA==")),
    case("truth of fewer problems", changed(set_same="Y"), "do not fit together"),
    case("another digest", changed(digest="0" * 32), "its digest is not that of its sets"),
    case("a set that climbs out", changed(set_name="../../out"), "cannot be the name of a folder"),
    case("a set from the root", changed(set_name="/etc/passwd"), "cannot be the name of a folder"),
    case("a name with NUL", changed(set_name="a\0b"), "contains a NUL character"),
    case("a name without end", changed(name="x" * 100_000), "a name is too long"),
    case("an id without end", changed(ids=["x" * 100_000] * 8), "a name is too long"),
    case("fewer ids than documents", changed(ids=[]), "do not fit together"),
    case(
        "labels beyond their names",
        changed(columns={"author": {"names": ["a"], "codes": "u1:CQkJCQkJCQk="}}),
    ),
]
