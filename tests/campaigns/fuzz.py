"""Fuzzing: inputs changed at random are read, and nothing but Raven's own errors may leave a reader."""

from __future__ import annotations

import json
import random
import shutil
from contextlib import suppress
from pathlib import Path

import numpy as np

import extensions
from bad_input.attribution import made as rewriting
from bad_input.cases import GOOD_CSV, PAIR, collection, parquet, part, parts, problem, row
from bad_input.readers import GROUPS, PATHS
from bad_input.retrieval import files as retrieval
from campaigns.outcome import Outcome
from ext.freeze.manifests import good as manifest
from ext.freeze.manifests import sealed
from ravenbench import registry
from ravenbench.errors import RavenError
from ravenbench.store.records import CellRecord, Seconds, read_packed, write_packed

Files = dict[str, bytes]
TOKENS = [
    b"",
    b"\0",
    b'"',
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b"\n",
    b"\r",
    b"\xff",
    b"\xed\xa0\x80",
    b"NaN",
    b"1e999",
]
TOKENS += [
    b"null",
    b"true",
    b'"id"',
    b"\\ud800",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"-1",
    b"=",
    b"(",
    b")",
    b"'",
    b"../",
]
TOKENS += [b"9" * 400]
STRINGS = {
    "verifier": [
        "char-ngram(n=3, weight='tf')",
        "calibrated(length, logistic)",
        "command('true', timeout=3)",
        "ppm",
    ],
    "encoder": ["lsa", "nmf(iterations=200)"],
    "sampler": ["hits", "random(draw=1)"],
    "pairs": ["reference", "matched"],
    "obfuscator": ["raven-hide", "mihaylova-2016(seed=1)"],
    "corpus": ["synthetic(authors=3)", "newsgroups"],
} | extensions.rows("COMPONENTS")


def _seeds() -> dict[str, list[tuple[Files, str]]]:
    """For each reader of files, good inputs and every malformed one of the catalogue, with what the reader is given."""
    truth = "".join(json.dumps({"id": f"p{i}", "same": bool(i % 2)}) + "\n" for i in range(4))
    answers = "".join(json.dumps({"id": f"p{i}", "value": i / 4}) + "\n" for i in range(4))
    spec = b'[run]\ncorpus = "c.csv"\nverifiers = ["ppm", "mine"]\nfolds = 3\n[verifiers.mine]\nis = "length"\n'
    good: dict[str, list[tuple[dict[str, object], str]]] = {
        "corpus": [
            ({"c.csv": GOOD_CSV}, "c.csv"),
            ({"c.jsonl": row() + row(topic="b")}, "c.jsonl"),
        ],
        "problems": [(problem(), ""), ({"pairs.jsonl": PAIR + "\n", "truth.jsonl": truth}, "")],
        "truth": [
            ({"truth.jsonl": truth}, "truth.jsonl"),
            ({"truth.txt": "EN001 Y\nEN002 N\n"}, "truth.txt"),
        ],
        "answers": [
            ({"a.jsonl": answers}, "a.jsonl"),
            ({"answers.txt": "EN001 0.5\nEN002 0.7\n"}, "answers.txt"),
        ],
        "attribute": [({"a.csv": "id,length\np1,3\np2,4\n"}, "a.csv:length")],
        "attribution": [(collection(), "")],
        "batch": [],
        "document": [],
        "parts": [({"p.json": parts(part())}, "p.json")],
        "rewritten": [(dict(rewriting()), "r.jsonl")],
        "reviews": [],
        "retrieval": [(dict(retrieval()), "")],
        "manifest": [({"m.json": sealed(manifest())}, "m.json")],
        "spec": [({"run.toml": spec}, "run.toml")],
        "store": [],
        "texts": [],
    }
    table = parquet(
        text=["One two three."] * 4, author=["a", "a", "b", "b"], topic=["x", "y", "x", "y"]
    )
    good["corpus"].append(({"c.parquet": table}, "c.parquet"))
    for case in (
        case for cases in GROUPS.values() for case in cases if case.files and case.reader in PATHS
    ):
        good.setdefault(case.reader, []).append((dict(case.files or {}), case.given))
    found: dict[str, list[tuple[Files, str]]] = {}
    for reader, cases in ((reader, cases) for reader, cases in good.items() if reader in PATHS):
        for content, given in cases:
            made = {name: data() if callable(data) else data for name, data in content.items()}
            whole = {
                n: d if isinstance(d, bytes) else str(d).encode("utf-8", "surrogatepass")
                for n, d in made.items()
            }
            if sum(map(len, whole.values())) < 100_000:
                found.setdefault(reader, []).append((whole, given))
    return found


def changed(data: bytes, rng: random.Random) -> bytes:
    """These bytes with a few random changes: flips, cuts, repeats, tokens that parsers stumble over."""
    found = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(found) + 1)
        end = min(len(found), place + rng.choice((1, 2, 8, 60)))
        kind = rng.randrange(4)
        if kind == 0 and place < len(found):
            found[place] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del found[place:end]
        elif kind == 2:
            found[place:place] = found[place:end] * rng.randint(1, 3)
        else:
            found[place : place if rng.random() < 0.5 else end] = rng.choice(TOKENS)
    return bytes(found)


def fuzz_files(outcome: Outcome, scratch: Path, calls: int, seed: int) -> None:
    """Readers of files in turn, each with good and bad inputs of which one file is changed."""
    rng, inputs = random.Random(f"files-{seed}-{outcome.tried}"), _seeds()
    readers = sorted(inputs)
    while outcome.wants(calls):
        number = outcome.tried
        reader = readers[number % len(readers)]
        content, given = rng.choice(inputs[reader])
        content = dict(content)
        name = rng.choice(sorted(content))
        content[name] = changed(content[name], rng)
        if (
            reader == "manifest" and rng.random() < 0.7
        ):  # of those that differ by their checksum alone one was enough
            with suppress(ValueError, RecursionError):
                content[name] = sealed(json.loads(content[name]))
        folder = scratch / "fuzzed"
        for inner, data in content.items():
            (folder / inner).parent.mkdir(parents=True, exist_ok=True)
            (folder / inner).write_bytes(data)
        folder.mkdir(exist_ok=True)
        try:
            PATHS[reader](folder / given)
        except RavenError:
            outcome.note("refused with an error of Raven's")
        except Exception as error:
            outcome.count(
                False,
                f"seed {seed}, call {number}, {reader}, {name} = {content[name][:200]!r}: {error!r}",
            )
            continue
        finally:
            shutil.rmtree(folder)
        outcome.count(True, "")


def fuzz_components(outcome: Outcome, calls: int, seed: int) -> None:
    """Component strings of every kind, changed."""
    rng = random.Random(f"components-{seed}-{outcome.tried}")
    kinds = sorted(STRINGS)
    while outcome.wants(calls):
        number = outcome.tried
        kind = kinds[number % len(kinds)]
        text = changed(rng.choice(STRINGS[kind]).encode(), rng).decode("utf-8", "replace")
        try:
            registry.parse(kind, text)
        except RavenError:
            outcome.note("refused with an error of Raven's")
        except Exception as error:
            outcome.count(False, f"seed {seed}, call {number}, {kind} {text!r}: {error!r}")
            continue
        outcome.count(True, "")


def fuzz_cells(outcome: Outcome, scratch: Path, calls: int, seed: int) -> None:
    """Result files of a run: a changed one is never read as if it were whole."""
    rng, place = random.Random(f"cells-{seed}-{outcome.tried}"), scratch / "fuzzed.cell"
    record = CellRecord(
        key="k",
        verifier="v",
        identity={},
        train_digest="a",
        test_digest="b",
        n=3,
        seconds=Seconds(fit=0.1, score=0.1),
    )
    write_packed(place, "run", record, {"answers": np.array([0.1, 0.5, 0.9])}, sync=False)
    whole = place.read_bytes()
    while outcome.wants(calls):
        number = outcome.tried
        data = changed(whole, rng)
        place.write_bytes(data)
        try:
            found, arrays = read_packed(place, CellRecord)
        except RavenError:
            outcome.note("refused with an error of Raven's")
            outcome.count(True, "")
        except Exception as error:
            outcome.count(False, f"seed {seed}, call {number}, a cell {data[:200]!r}: {error!r}")
        else:
            same = found == record and arrays["answers"].tolist() == [0.1, 0.5, 0.9]
            outcome.count(same, f"seed {seed}, call {number}: a changed cell was read")
