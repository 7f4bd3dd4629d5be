"""PAN's tasks on generated content, read: pairs of 2024, the six mixtures of 2025, single texts of 2025 and 2026.

2024  pairs.jsonl {"id", "text1", "text2"} and truth.jsonl {"id", "is_human": [true, false]}; to learn from,
      human.jsonl and machines/MODEL.jsonl {"id", "text"}
2025  {"id", "text", "model", "label": 0 or 1, "genre"}; task 2: {"id", "text", "label": 0 … 5, "label_text"}
2026  as the first of 2025; test sets {"id", "text"} have their truth {"id", "label"} in a file beside them
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from ravenbench.errors import FormatError, counted, first_names, remark, some
from ravenbench.formats.archive import Archive
from ravenbench.formats.collector import checked_text
from ravenbench.formats.decoding import checked_name
from ravenbench.formats.problems import is_truth, label_of, of_pair
from ravenbench.formats.tabular import is_lines, record_id, records
from ravenbench.text.copies import Copies, Sketch
from ravenbench.text.damage import MOST, odd_texts
from ravenbench.text.names import one_spelling, zeros_lost
from ravenbench.text.passages import cleaner, sentence_on_shared
from ravenbench.types import Bools, Labels

MIXTURES = (
    "fully human-written", "human-written, then machine-polished", "machine-written, then machine-humanized",
    "human-initiated, then machine-continued", "deeply-mixed text", "machine-written, then human-edited",
)  # fmt: skip
"""Classes of 2025's second task by number, for files without ``label_text``; only the first is a person's alone."""
_PEOPLE = ("human", "humans", "person", "people", "human-written")
COLUMNS = {"genre": "genre", "model": "model", "source": "source", "mixture": "label_text"}
"""Columns and the fields that hold them."""


@dataclass(frozen=True, eq=False)
class GeneratedTexts:
    """Texts, and which of them a machine had a hand in.

    Attributes
    ----------
    ids, texts : tuple of str
        Of the two texts of a pair, ids end in ``/1`` and ``/2`` and stand one after the other.
    machine : (n,) bool
    columns : mapping of str to Labels
        Those of ``COLUMNS`` that the files have.
    pairs : bool
        Whether texts are pairs, of which one is by a person.
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    machine: Bools
    columns: Mapping[str, Labels]
    pairs: bool


def read_generated(path: str | Path, encoding: str | None = None, strip_shared: bool = False) -> GeneratedTexts:
    """Read texts with their labels from a file, folder or zip; ``strip_shared`` takes out what several texts share.

    FormatError if a text has no label anywhere, an id stands twice, or a line is none of these formats.
    """
    texts: dict[str, str] = {}
    truth: dict[str, bool] = {}
    said_in: dict[str, str] = {}
    columns: dict[str, dict[str, str]] = {name: {} for name in COLUMNS}
    numbers: dict[str, int] = {}
    pairs = False
    with Archive(path, encoding) as archive:
        names = [name for name in archive.names if is_lines(name)]
        several = any(PurePosixPath(name).stem.lower() == "human" for name in names)
        beside = [name for name in archive.siblings() if archive.single and is_truth(name) and is_lines(name)]
        for name in [*names, *beside]:
            for line, record in records(archive, name):
                where: dict[str, Any] = {"file": archive.label(name), "line": line}
                key = record_id(record, archive, name, line)
                stem = PurePosixPath(name).stem
                parts = {f"{key}/{i}": record[f"text{i}"] for i in (1, 2) if f"text{i}" in record}
                if several and not is_truth(name):
                    key, record = f"{stem}/{key}", {"label": int(stem.lower() != "human"), "model": stem, **record}
                if len(parts) == 1:
                    raise FormatError(
                        "a pair has two texts", **where, found=", ".join(record), expected="text1 and text2"
                    )
                pairs |= bool(parts)
                for own, text in (parts or ({key: record["text"]} if "text" in record else {})).items():
                    if not isinstance(text, str):
                        raise FormatError("a text must be a string", **where, found=text)
                    if own in texts:
                        raise FormatError("an id stands twice", **where, found=own)
                    texts[own] = checked_text(text, **where)
                label = label_of(record, **where)
                here = f"{archive.label(name)}:{line}"
                if label is not None and truth.get(f"{key}/1" if of_pair(record) else key, label) != label:
                    raise FormatError(
                        f"{key} has opposite labels", **where, found=f"another one in {said_in[key]}",
                        expected="one label for a text", fix="mend or remove the one that is wrong",
                    )  # fmt: skip
                if label is not None:
                    said_in[key] = here
                    truth |= {f"{key}/1": label, f"{key}/2": not label} if of_pair(record) else {key: label}
                if isinstance(record.get("label"), int):
                    numbers[key] = record["label"]
                for column, field in COLUMNS.items():
                    if isinstance(record.get(field), str):
                        columns[column][key] = checked_name(record[field], f"the {column}", **where)
    models, mixed = columns["model"], max(numbers.values(), default=0) > 1
    odd = [k for k, model in models.items() if k in truth and truth[k] == (model.casefold() in _PEOPLE) and not mixed]
    if odd:
        raise FormatError(
            "labels contradict the model", file=path, found=f"{len(odd):,} of {len(texts):,}, as {odd[0]}: label "
            f"{int(truth[odd[0]])}, model {models[odd[0]]}", expected="label 0 with the model human, 1 with others",
            fix="are labels turned round? Mend them, or leave the model out",
        )  # fmt: skip
    if mixed:
        columns["mixture"] = {key: MIXTURES[number] for key, number in numbers.items()} | columns["mixture"]
    if not texts:
        raise FormatError(
            "there are no texts here", file=path,
            expected='a .jsonl file, or a folder or zip of such, of lines such as {"id", "text", "label"}',
        )  # fmt: skip
    if pairs and any(not key.endswith(("/1", "/2")) for key in texts):
        raise FormatError("pairs and single texts stand together", file=path, expected="only one of the two")
    if unknown := [key for key in texts if key not in truth]:
        raise FormatError(
            "no label says whether a machine wrote these", file=path, found=", ".join(unknown[:3]),
            expected='"label" in each line, truth.jsonl beside it, or people\'s texts in a file human.jsonl',
            fix=next(iter(zeros_lost(texts, truth)), None),
        )  # fmt: skip
    if strip_shared:
        distinct = dict.fromkeys(texts.values())
        plain = cleaner(distinct, range(len(distinct)), empty=False)
        texts = {key: plain(text) for key, text in texts.items()}
        count = sum(plain(text) != text for text in distinct)
        remark([f"passages of several texts were taken out of {count:,} texts"])
    alone = truth.keys() - texts
    said = [f"{counted(len(alone), 'label')} of texts that are not here: {some(alone)}"] if alone else []
    labels = {n: Labels.of(one_spelling([of.get(k) for k in texts], said, n)) for n, of in columns.items() if of}
    distinct_texts = list(islice(dict.fromkeys(texts.values()), MOST))
    shared = sentence_on_shared(distinct_texts, range(MOST), "whoever wrote them")
    ids, machine = tuple(texts), np.array([truth[key] for key in texts], dtype=bool)
    repeated = Copies.among(list(map(Sketch.of, texts.values()))).repeated()
    if both := [f"{ids[one]} and {ids[other]}" for one, other in repeated if machine[one] != machine[other]]:
        said.append(
            f"{counted(len(both), 'pair')} of texts that repeat each other, cut or changed a little, one labelled a "
            f"person's and one a machine's: {first_names(both)}"
        )
    remark([*said, *odd_texts(texts.values(), texts), *shared])
    return GeneratedTexts(ids, tuple(texts.values()), machine, labels, pairs)
