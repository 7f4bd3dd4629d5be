"""Reads and writes pairs in the format of PAN 2020 to 2023: pairs.jsonl with truth.jsonl, also X.jsonl with X-truth.jsonl.

In: an open ``Archive`` and names of files; ``Problems`` to write.
Out: ``Pair``s and ``PairTruth`` one by one, ``FORMAT``; or files (their folder is returned). Lines count from 1.
FormatError for what does not parse, InputError for a place that Raven cannot write.

A pair: {"id", "pair": [text, text], "fandoms": [a, b]} (2020, 2021) or "discourse_types" (2022, 2023);
its truth: {"id", "same", "authors": [a, b]}.

References
----------
Kestemont et al., Overview of the Cross-Domain Authorship Verification Task at PAN 2020 and 2021; Stamatatos et al. for
2022 and 2023 (CLEF working notes).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from ravenbench.errors import (
    FormatError,
    remark,
)
from ravenbench.outputs import whole_file
from ravenbench.reading.account import fault, noted
from ravenbench.reading.archive import Archive, Split, split_roots
from ravenbench.reading.decoding import Faults
from ravenbench.reading.problem_formats.pair_tables import (
    TableRoles,
    own_label,
    pair_table,
    says_same,
    table_truth,
)
from ravenbench.reading.problem_sets import (
    ID_TWICE,
    NOT_TRUTH,
    OF_TRUTH,
    SWAPPED,
    ProblemBuilder,
    ProblemFormat,
    ProblemSet,
    is_truth,
)
from ravenbench.reading.tabular import (
    is_lines,
    record_id,
    records,
    stem_of,
    table_kind,
)
from ravenbench.reading.text_pairs import Pair, PairTruth, nobody, set_of_pairs, two_names
from ravenbench.text.names import (
    name_key,
)
from ravenbench.types import Bools, Labels, Problems


def pairs_files(archive: Archive) -> dict[str, str | None]:
    """Return pairs files in an archive and the truth file of each: the same file if its lines have truth; None if absent."""
    lines = [name for name in archive.names if is_lines(name)]
    pairs = [name for name in lines if not is_truth(name) and "pair" in first_record(archive, name)]
    files: dict[str, str | None] = {}
    for name in pairs:
        parent = PurePosixPath(name).parent
        stem = stem_of(name)
        truth_stems = [f"{stem}-truth", f"{stem}_truth", stem.replace("pairs", "truth")]
        if len(pairs) == 1 or stem == "pairs":
            truth_stems.append("truth")
        near = [
            PurePosixPath(n).name for n in lines if PurePosixPath(n).parent == parent
        ] + archive.siblings()
        truths = [
            name
            for truth_stem in truth_stems
            for name in near
            if is_truth(name) and is_lines(name) and stem_of(name) == truth_stem
        ]
        files[name] = (
            str(parent / truths[0])
            if truths
            else name
            if own_label(first_record(archive, name))
            else None
        )
    return files


def first_record(archive: Archive, name: str) -> dict[str, Any]:
    """Return the first line of a JSON-lines file as a mapping; {} if it is not one."""
    try:
        _, line = next(archive.lines(name), (0, ""))
        record = json.loads(line)
    except (ValueError, RecursionError, FormatError):
        return {}
    return record if isinstance(record, dict) else {}


def _human(record: Mapping[str, Any]) -> Any:
    return record.get("is_human", record.get("label"))


def of_pair(record: Mapping[str, Any]) -> bool:
    """Return whether a line's label is about a pair of a person's and a machine's text."""
    return isinstance(_human(record), list)


def label_of(record: Mapping[str, Any], **location: Any) -> bool | None:
    """Return whether a machine wrote the text of a line (of texts, truth or answers); None if it has no label.

    For a pair: whether a machine wrote the first text, as in PAN's evaluator. FormatError if the label is invalid.
    """
    human = _human(record)
    if "is_human" in record or of_pair(record):
        if human in ([True, False], [False, True]):
            return not human[0]
        raise fault("is-human-not-one-of-each", **location, found=human)
    label = record.get("label")
    if label is None:
        return None
    if isinstance(label, bool) or label not in range(6):  # 1.0 too, as PAN's evaluator
        raise fault("not-label", **location, found=repr(label))
    return bool(label != 0)


def read_truth_records(archive: Archive, name: str) -> dict[str, PairTruth]:
    """Read a ``truth.jsonl``, or a table with a column of labels, into the truth of each pair by id; the names of nobody in
    particular are not authors.

    FormatError, with all such lines, if lines are not truth (Raven recognises answers), or an id is duplicate; or if the
    file is empty.
    """
    if (table := pair_table(archive, name)) is not None or table_kind(name) in ("csv", "xlsx"):
        return table_truth(archive, name, table or TableRoles((), None, "id"))
    truth: dict[str, PairTruth] = {}
    faults = Faults(OF_TRUTH)
    nobodies = 0
    for line, record in records(archive, name):
        location = archive.located(name, line)
        if "same" not in record and "value" in record:
            raise FormatError(
                NOT_TRUTH, **location, found=sorted(record), expected='{"id", "same"}', fix=SWAPPED
            )
        with faults.gathered():
            key = record_id(record, archive, name, line)
            if key in truth:
                raise FormatError(
                    ID_TWICE, **location, found=key, fix="keep the line that is right"
                )
            truth[key], of_nobody = _record_truth(record, location)
            nobodies += of_nobody
    faults.check()
    if not truth:
        raise fault("truth-file-empty", file=archive.label(name))
    remark(noted("truth-of-nobody", count=nobodies), archive.path)
    return truth


def _record_truth(record: Mapping[str, Any], location: dict[str, Any]) -> tuple[PairTruth, bool]:
    """What a line of truth says, and whether it says that two texts are by one author who is nobody in particular."""
    same = record.get("same")
    about = "authors"
    if same is None and (label := own_label(record)) is not None:
        same = says_same(record, label)
    elif same is None:
        same = label_of(record, **location)
        about = "machine pairs" if of_pair(record) else "machines"
    if not isinstance(same, bool):
        raise fault("truth-no-same-true-or", **location, found=record)
    authors = two_names(record.get("authors"), "an author", **location)
    if authors is not None and nobody(*authors):
        return PairTruth(same, None, about), same
    if authors is not None and (name_key(authors[0]) == name_key(authors[1])) != same:
        raise fault("same-contradicts-two-authors", **location, found=record)
    return PairTruth(same, authors, about), False


def read_pairs(archive: Archive, name: str) -> Iterator[Pair | tuple[str, str]]:
    """Read the pairs of one file; for an unusable pair, (id, reason) is yielded instead.

    FormatError if a line is not JSON, has no id, or repeats one.
    """
    seen_ids: set[str] = set()
    for line, record in records(archive, name):
        key = record_id(record, archive, name, line)
        if key in seen_ids:
            raise fault("id-twice-unresolved", file=archive.label(name), line=line, found=key)
        seen_ids.add(key)
        texts = record.get("pair")
        location = archive.located(name, line)
        if isinstance(texts, list) and len(texts) > 2:
            raise fault("pair-two-texts", **location, found=len(texts))
        if (
            not isinstance(texts, list)
            or len(texts) != 2
            or not all(isinstance(text, str) for text in texts)
        ):
            yield key, f"line {line} does not have a pair of two texts"
            continue
        topics = next(
            (record[k] for k in ("fandoms", "discourse_types", "discourse_type") if k in record),
            None,
        )
        if isinstance(topics, str):
            topics = [topics, topics]
        first, second = (text.lstrip("\ufeff").replace("\r\n", "\n") for text in texts)
        yield Pair(
            key, (first, second), two_names(topics, "a topic", **location) or (None, None), line
        )


def write_pan_pairs(folder: str | Path, problems: Problems, same: Bools | None = None) -> Path:
    """Write ``pairs.jsonl``, and ``truth.jsonl`` if ``same`` is given, one line for each problem; return the folder.

    If ``problems`` has them, topics become ``fandoms`` and authors are added to the truth. InputError if a problem has
    several known documents, or the folder cannot be written.
    """
    folder = Path(folder)
    if np.any(problems.sizes != 1):
        i = int(np.argmax(problems.sizes != 1))
        raise fault(
            "several-known-documents-as-pairs", found=f"{problems.ids[i]} with {problems.sizes[i]}"
        )
    rows_by_side = list(
        zip(problems.known_index.tolist(), problems.questioned_index.tolist(), strict=True)
    )

    def two_labels(labels: Labels | None, i: int) -> list[str] | None:
        pair = [labels[row] for row in rows_by_side[i]] if labels is not None else [None]
        return None if None in pair else [str(label) for label in pair]

    with whole_file(folder / "pairs.jsonl") as file:
        for i, name in enumerate(problems.ids.tolist()):
            record: dict[str, Any] = {"id": name}
            if (topics := two_labels(problems.topic, i)) is not None:
                record["fandoms"] = topics
            record["pair"] = [problems.texts[row] for row in rows_by_side[i]]
            file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
    if same is not None:
        with whole_file(folder / "truth.jsonl") as file:
            for i, name in enumerate(problems.ids.tolist()):
                record = {"id": name, "same": bool(same[i])}
                if (authors := two_labels(problems.author, i)) is not None:
                    record["authors"] = authors
                file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
    return folder


def _read(
    archive: Archive, files: dict[str, str | None], split: Split | None, _: bool
) -> list[ProblemSet]:
    folders = sorted({str(PurePosixPath(name).parent) for name in files})
    of_split = set(split_roots(folders, split, archive.path))
    truths = {
        name: None if truth_file is None else read_truth_records(archive, truth_file)
        for name, truth_file in files.items()
        if str(PurePosixPath(name).parent) in of_split
    }
    return [
        set_of_pairs(archive, name, ProblemBuilder(), read_pairs(archive, name), truth)
        for name, truth in truths.items()
    ]


FORMAT = ProblemFormat(2, pairs_files, _read)
