"""Writes problems as a manifest without texts (``ravenbench.freeze``), and rebuilds them from it (``thaw``).

In: ``freeze``: a run's folder, problems, folds or a corpus, and optionally a file to write; ``thaw``: a manifest, a copy
of its corpus, and optionally a folder to write; ``manifest_of``: a ``Source``.
Out: ``freeze`` and ``manifest_of``: a ``Manifest`` (hashes instead of texts); ``thaw``: ``Thawed``: a ``Rebuilt``
(problems, truth or None, number of missing problems) for each set, rows (n,) of the copy from 0, −1 = none, and
differences; ``write_manifest`` writes JSON. InputError if there is nothing to freeze, another manifest or a folder
exists, or something to be written is missing; FormatError for a damaged manifest.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from ravenbench import __version__, files
from ravenbench.engine.options import READING
from ravenbench.engine.task import task_of, tasks
from ravenbench.errors import CorpusError, FormatError, InputError, first_names, remark
from ravenbench.ext.freeze.copies import Difference, match, parts_of, source_of
from ravenbench.ext.freeze.frozen import (
    COLUMNS,
    FORM,
    FORMAT,
    HASH,
    SHORT,
    FrozenColumn,
    FrozenSet,
    Keys,
    Manifest,
    Names,
    Source,
    SourcePart,
    checksum_of,
    column_of,
    digest_of,
    digest_of_all,
    exact_hash,
    hidden_name,
    keys_of,
    made_ids,
    marks_text,
    packed,
    read_manifest,
    text_key,
)
from ravenbench.outputs import check_file, check_folder, digest, fresh_folder, whole_file
from ravenbench.reading.load import load_corpus
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.reading.problem_formats.pan_pairs import write_pan_pairs
from ravenbench.reading.problems import problems_at, read_problem_sets
from ravenbench.store.plans import on_one_table
from ravenbench.store.store import Store
from ravenbench.text.copies import Copies, Sketch
from ravenbench.text.names import label_key
from ravenbench.types import Bools, Corpus, Fold, Ints, Labels, Problems


def freeze(
    what: str | Path | Store | Fold | Sequence[Fold],
    out: str | Path | None = None,
    *,
    names: Names = "clear",
    truth: bool = True,
    corpus: str | Path | Corpus | None = None,
    column: str | None = None,
    seed: int = 0,
    **reading: Any,
) -> Manifest:
    """Describe problems, folds or a split so that others can rebuild them from their copy of the texts.

    Parameters
    ----------
    what : str, Path, Store, Fold or a sequence of Fold
        A run's folder; problems (PAN13–15 or PAN20–23: file, folder, zip); a spec file of ``raven run`` or a corpus,
        whose split is drawn as in ``raven run``, without computing anything.
    out : path, optional
        The file to write, compressed if it ends in ``.gz``.
    names : 'clear' or 'hashed'
        How documents, authors and topics are named: a hash cannot be read, but somebody who guesses a name can check it.
    truth : bool
        Whether the manifest includes truth.
    corpus : optional
        The whole corpus: ``thaw`` then lists additional documents of a copy.
    column : str, optional
        The column of a corpus that is its split (train and test, query and candidate), instead of drawing a split.
    seed : int
        Seed of a split that is drawn.
    **reading
        Options for reading a corpus, as in ``load_corpus``.

    Raises
    ------
    InputError
        If there are no problems, or Raven cannot write the manifest.
    """
    if names not in ("clear", "hashed"):
        raise InputError("names must be clear or hashed", found=names, expected="clear or hashed")
    if out is not None:
        earlier = _manifest_at(out)
        known = [] if earlier is None else [digest(Path(out))]
        check_file(
            out, inputs=[one for one in (what, corpus) if isinstance(one, str | Path)], known=known
        )
    source = _source(what, column, seed, reading)
    parts = [
        part if truth else part._replace(same=None) for part in source.parts if len(part.problems)
    ]
    if source.splits and not truth:
        parts = []
    if not parts and not source.splits:
        raise InputError(
            "no problems to freeze found here", found=", ".join(source.left_out) or None
        )
    left_out = {why: count for why, count in source.left_out.items() if count}
    whole = None if corpus is None else _documents(corpus, reading)
    manifest = manifest_of(source._replace(parts=parts, left_out=left_out), names, whole)
    if out is not None and (earlier is None or earlier.checksum != manifest.checksum):
        if earlier is not None:
            raise InputError(
                "another manifest exists here, and may have been cited",
                file=out,
                fix="give a new name",
            )
        write_manifest(manifest, out)
    return manifest


def _manifest_at(place: str | Path) -> Manifest | None:
    """The earlier manifest that stands there."""
    try:
        return read_manifest(place)
    except InputError:
        return None


class Rebuilt(NamedTuple):
    """A set of n problems over the copy's texts, its truth (n,) if included, and the number of problems that
    could not be rebuilt."""

    problems: Problems
    same: Bools | None
    lacking: int


@dataclass(frozen=True, eq=False)
class Thawed:
    """A manifest rebuilt from a copy of a corpus: problems by the name of their set, and how the copy differs.

    ``documents`` are the copy's with the manifest's labels, ``rows`` (n,) which of them are the manifest's (−1:
    none), ``splits`` their parts. ``exact`` says that all texts are identical to the frozen texts byte by byte,
    including white space.
    """

    manifest: Manifest
    documents: Source
    rows: Ints
    sets: Mapping[str, Rebuilt]
    splits: Mapping[str, Labels]
    differences: Sequence[Difference]
    exact: bool

    @property
    def lacking(self) -> int:
        """Return how many problems, and documents of a split, could not be rebuilt."""
        return (
            int((self.rows < 0).sum())
            if self.splits
            else sum(one.lacking for one in self.sets.values())
        )

    @property
    def folds(self) -> list[Fold]:
        """Return folds, from sets named ``FOLD/train`` and ``FOLD/test`` with truth."""
        true_sets = {name: one for name, one in self.sets.items() if one.same is not None}
        both = [
            name.removesuffix("/train")
            for name in true_sets
            if name.replace("/train", "/test") in true_sets.keys() - {name}
        ]
        pairs = [(name, true_sets[f"{name}/train"], true_sets[f"{name}/test"]) for name in both]
        return [Fold(n, a.problems, a.same, b.problems.blind(), b.same) for n, a, b in pairs]  # type: ignore[arg-type]

    def to_json(self) -> dict[str, Any]:
        """Return one object of plain values."""
        sets = {
            n: {"problems": len(one.problems), "lacking": one.lacking}
            for n, one in self.sets.items()
        }
        described = {
            "digest": self.manifest.digest,
            "lacking": self.lacking,
            "exact": self.exact,
            "sets": sets,
        }
        return described | {"differences": [one._asdict() for one in self.differences]}

    def write(self, out: str | Path, partial: bool = False) -> None:
        """Write every set as PAN problems, in ``OUT/<set>``, and splits as columns of ``OUT/documents.jsonl``; a search
        as ``queries.jsonl``, ``candidates.jsonl`` and ``ground_truth.jsonl``.

        InputError if something is missing, unless ``partial`` is True.
        """
        if self.lacking and not partial:
            raise InputError(
                "this copy cannot give all frozen problems, so Raven writes nothing",
                found=f"missing problems or documents: {self.lacking:,}",
                fix="correct the copy where it differs, or write what is possible with --partial",
            )
        texts, ids, labels = self.documents[:3]
        columns = {name: one for name, one in {**labels, **self.splits}.items() if one is not None}
        with fresh_folder(out, kind="thaw") as folder:
            if self.splits and self.sets:
                for name, records in self._search(columns).items():
                    body = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records)
                    files.write_text(folder / f"{name}.jsonl", body)
                return
            for name, (problems, same, _) in self.sets.items():
                if len(problems):
                    write = write_pan_pairs if (problems.sizes == 1).all() else write_pan_problems
                    files.make_folder((folder / name).parent, private=True)
                    write(folder / name, problems, same)
            if self.splits:
                lines: list[dict[str, str | None]] = [
                    {"id": str(row) if ids is None else ids[row], "text": texts[row]}
                    | {name: one[row] for name, one in columns.items()}
                    for row in self.rows[self.rows >= 0].tolist()
                ]
                body = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
                files.write_text(folder / "documents.jsonl", body)

    def _search(self, columns: Mapping[str, Labels]) -> dict[str, list[dict[str, Any]]]:
        """The records of a search's files by name. A text that is both query and true candidate stands in both."""
        (truth,), rows = (one.problems for one in self.sets.values()), self.rows.tolist()
        ids = dict(zip(rows, self.manifest.ids or map(str, rows), strict=True))
        items: dict[str, dict[str, dict[str, Any]]] = {"queries": {}, "candidates": {}}
        queries = set(truth.questioned_index.tolist())
        candidates = set(truth.known_index.tolist())
        for row, id in sorted((row, id) for row, id in ids.items() if row >= 0):
            role = columns["role"][row]
            labels = {
                name: one[row]
                for name, one in columns.items()
                if name != "role" and one[row] is not None
            }
            for side, key, here in (
                ("queries", "query_id", role == "query" or row in queries),
                ("candidates", "candidate_id", role == "candidate" or row in candidates),
            ):
                if here:
                    record = items[side].setdefault(id, {key: id, "content": [], **labels})
                    record["content"].append(self.documents.texts[row])
        true: dict[str, list[str]] = {}
        for row, of in zip(
            truth.known_index.tolist(), truth.questioned_index[truth.owner].tolist(), strict=True
        ):
            true.setdefault(ids[of], []).append(ids[row])
        lines = [{"query_id": of, "positive_ids": own} for of, own in true.items()]
        return {**{side: [*own.values()] for side, own in items.items()}, "ground_truth": lines}


def thaw(
    manifest: str | Path | Manifest,
    corpus: str | Path | Corpus | Store,
    out: str | Path | None = None,
    *,
    partial: bool = False,
    **reading: Any,
) -> Thawed:
    """Rebuild frozen problems from a copy of their corpus, and list the difference of each document.

    Parameters
    ----------
    manifest : path or Manifest
        The manifest that ``freeze`` wrote.
    corpus : path, name, Corpus or Store
        The copy: a corpus as for ``load_corpus``, problems, or a run's folder.
    out : path, optional
        A new folder for the problems, in PAN's forms.
    partial : bool
        Write the problems that can be rebuilt even if some cannot.
    **reading
        Options of ``load_corpus``; shared passages are removed if they were removed before freezing.

    Raises
    ------
    InputError
        If the manifest or the copy cannot be read, or ``out`` is given and not all can be rebuilt.
    """
    if out is not None:
        check_folder(
            out,
            inputs=[one for one in (manifest, corpus) if isinstance(one, str | Path)],
            kind="thaw",
        )
    described = manifest if isinstance(manifest, Manifest) else read_manifest(manifest)
    if described.rule.get("strip_shared"):
        reading["strip_shared"] = True
    copy = _documents(corpus, reading)
    matched = match(described, copy)
    size = len(copy.texts)
    labels: dict[str, Any] = {
        name: one.labels(matched.rows, size) for name, one in described.columns.items()
    }
    sets = {}
    for one in described.sets:
        problems, same = described.problems(one)
        there = matched.rows[problems.questioned_index] >= 0
        there[problems.owner[matched.rows[problems.known_index] < 0]] = False
        rebuilt = problems.select(there)
        known = matched.rows[rebuilt.known_index]
        questioned = matched.rows[rebuilt.questioned_index]
        ids = (
            rebuilt.ids
            if one.ids is not None
            else Problems.pairs(copy.texts, known, questioned).ids
        )
        rebuilt = replace(
            rebuilt,
            texts=copy.texts,
            ids=ids,
            known_index=known,
            questioned_index=questioned,
            **labels,
        )
        sets[one.name] = Rebuilt(
            rebuilt, None if same is None else same[there], int((~there).sum())
        )
    splits = {name: column.labels(matched.rows, size) for name, column in described.splits.items()}
    documents = copy._replace(labels=labels)
    thawed = Thawed(
        described, documents, matched.rows, sets, splits, matched.differences, matched.exact
    )
    if out is not None:
        thawed.write(out, partial)
    return thawed


def _documents(what: str | Path | Corpus | Store, reading: Mapping[str, Any]) -> Source:
    """The documents of a corpus, of problems, of a search's files, or of a run's folder."""
    if not isinstance(what, Corpus):
        if (source := _kept(what, reading)) is not None:
            return source
        # Topics are the manifest's: a table need not have a column of them.
        what = load_corpus(what, level="extract()", **reading)  # type: ignore[arg-type]
    return Source(
        what.texts,
        what.ids,
        {"author": what.author, "topic": what.topic, "language": what.language},
    )


def _source(what: Any, column: str | None, seed: int, reading: Mapping[str, Any]) -> Source:
    if column is not None:
        if not isinstance(what, str | Path):
            raise InputError("only a corpus has columns", found=column)
        corpus = load_corpus(what, level=column, **reading)
        as_topic = corpus.notes.get("columns", {}).get("topic") == column
        splits = {column: corpus.at("topic" if as_topic else column).topic}
        remark(_across(corpus, splits[column]))
        return _documents(corpus, reading)._replace(
            splits=splits, name=corpus.name, rule={"column": column}
        )
    if isinstance(what, str | Path | Store):
        return _kept(what, reading) or _drawn(str(what), seed, reading)
    folds = [what] if isinstance(what, Fold) else list(what)
    if not folds:
        raise InputError("no folds to freeze found here", expected="at least one")
    texts, sides = on_one_table([side for fold in folds for side in (fold.train, fold.test)])
    parts = parts_of(
        replace(f, train=a, test=b) for f, a, b in zip(folds, sides[::2], sides[1::2], strict=True)
    )
    return Source(
        texts, None, {c: getattr(sides[0], c) for c in COLUMNS}, parts, name=folds[0].name
    )


def _across(corpus: Corpus, parts: Labels) -> Iterator[str]:
    """Sentences on texts of two parts that repeat each other, and on parts whose names begin alike."""
    repeated = Copies.among([Sketch.of(text) for text in corpus.texts]).repeated()
    pairs = [
        (a, b) for a, b in repeated if None not in (parts[a], parts[b]) and parts[a] != parts[b]
    ]
    leaks = [" and ".join(f"{corpus.ids[row]} ({parts[row]})" for row in pair) for pair in pairs]
    if leaks:
        yield (
            "texts of two parts repeat each other, so one part reveals the other:"
            f" {first_names(leaks)}"
        )
    plain = {name: label_key(name) for name in parts.names}
    alike = [f"{a} / {b}" for a in plain for b in plain if a != b and plain[b].startswith(plain[a])]
    if alike:
        yield f"parts that may be the same: {first_names(alike)}"


def _kept(what: str | Path | Store, reading: Mapping[str, Any]) -> Source | None:
    """What a run's folder, files of a search or a set of problems hold; None where this is none of them."""
    if isinstance(what, Store) or (files.location(what) / "run.json").is_file():
        store = what if isinstance(what, Store) else Store.open(what)
        if not task_of(store.kind).freezes:
            raise InputError(
                f"raven {store.kind} builds its own problems, and these cannot be frozen",
                file=store.path,
            )
        return _made(store, store.kind, store.run.spec, store.run.seed)
    for name in tasks():
        try:
            task = task_of(name)
        except Exception:  # noqa: S112 - a package may do anything while it is imported; doctor says what is wrong
            continue
        # What files in a task's own form hold.
        source_at = getattr(task, "source_at", lambda *_: None)
        if isinstance(source := source_at(what, reading.get("encoding")), Source):
            return source
    return _given(what, reading) if problems_at(what) else None


def _made(made: Any, kind: str, spec: Mapping[str, Any], seed: int) -> Source:
    """What a draft or a run's folder holds, and how it was made."""
    rule = {"command": kind, **{key: value for key, value in spec.items() if value is not None}}
    name = next(
        (
            str(spec[key])
            for key in ("corpus", "test", "source", "problems", "texts")
            if spec.get(key)
        ),
        kind,
    )
    return source_of(made)._replace(name=Path(name).stem, rule=rule, seed=seed)


def _drawn(what: str, seed: int, reading: Mapping[str, Any]) -> Source:
    """The split that ``raven run`` would draw."""
    given = {"corpus": what, "seed": seed, "probe": "none", **reading}
    task: Any = task_of("run")(
        {"verifiers": "chance", **({"spec": what} if what.endswith(".toml") else given)}
    )
    try:
        return _made(task.draft(), "run", task.spec.resolved(), task.spec.seed)
    except (CorpusError, FormatError) as error:
        raise CorpusError(
            f"Raven cannot draw a split here: {error.problem}",
            file=error.file,
            line=error.line,
            found=error.found,
            fix=(
                f"{error.fix or ''}; or give a spec file of raven run, problems that raven problems"
                " writes, or the --column of the split"
            ).removeprefix("; or "),
        ) from None


def _given(what: str | Path, reading: Mapping[str, Any]) -> Source:
    """Problems as they are; each document has the labels of the first set that tells them."""
    how = {name: bool(reading.get(name)) for name in READING}
    sets = read_problem_sets(what, None, reading.get("encoding"), **how)
    texts, problems = on_one_table([one.problems for one in sets])
    named = [f"{one.name}/{one.split}" if one.split else one.name for one in sets]
    parts = [
        SourcePart(name, over, one.same)
        for name, over, one in zip(named, problems, sets, strict=True)
    ]
    columns: dict[str, Labels | None] = {}
    for column in COLUMNS:
        known: dict[int, str] = {}
        for over in reversed(problems):
            labels = getattr(over, column) or ()
            known |= {row: label for row, label in enumerate(labels) if label is not None}
        columns[column] = Labels.of(map(known.get, range(len(texts)))) if known else None
    left_out = {"problems that cannot be read": sum(len(one.faults) for one in sets)}
    rule = {"command": "given", **{name: True for name in READING if how[name]}}
    return Source(texts, None, columns, parts, {}, Path(what).stem, rule, None, left_out)


def manifest_of(source: Source, names: Names, corpus: Source | None = None) -> Manifest:
    """Return the manifest of problems and splits; ``corpus`` lists the other documents."""
    texts = source.texts
    used = source.used
    ids = source.ids
    others = None
    labels = dict(source.labels)
    keys = keys_of(texts, used)
    counts = {"documents": len(used), "problems": sum(len(part.problems) for part in source.parts)}
    if corpus is not None:
        counts["corpus"] = len(corpus.texts)
        rows = {text_key(text): row for row, text in enumerate(corpus.texts)}
        there = [rows.pop(key.tobytes(), -1) for key in keys[used]]
        others = packed(b"".join(key[:SHORT] for key in sorted(rows)))
        authors = corpus.labels.get("author")
        if (
            labels.get("author") is None
            and authors is not None
            and any(part.same is not None for part in source.parts)
        ):
            # Problems came without authors: thaw compares those of the corpus.
            by_row = {
                row: authors[own] for row, own in zip(used.tolist(), there, strict=True) if own >= 0
            }
            labels["author"] = Labels.of(map(by_row.get, range(len(texts))))
        if ids is None and corpus.ids is not None and min(there) >= 0:
            # Problems came without names and order: those of the corpus.
            names_there = dict(zip(used.tolist(), (corpus.ids[row] for row in there), strict=True))
            used = used[np.argsort(there)]
            ids = [names_there.get(row, "") for row in range(len(texts))]
    place = np.full(len(texts), -1, dtype=np.int64)
    place[used] = np.arange(len(used))
    sets = [_frozen(part, keys, place) for part in source.parts]
    divided = {name: column_of(labels, used) for name, labels in source.splits.items()}
    digest = digest_of_all(keys[used], sets, divided)

    def named(values: Iterable[str]) -> list[str]:
        return [value if names == "clear" else hidden_name(value, digest) for value in values]

    known = {c: column_of(column, used) for c, column in labels.items() if column is not None}
    manifest = Manifest(
        format=FORMAT,
        name=source.name,
        digest=digest,
        checksum="",
        raven=__version__,
        rule=dict(source.rule),
        seed=source.seed,
        names=names,
        text=FORM,
        hash=HASH,
        counts=counts,
        left_out=dict(source.left_out),
        exact=exact_hash(texts, used),
        documents=packed(keys[used].tobytes()),
        others=others,
        ids=None if ids is None else named(ids[row] for row in used),
        columns={
            c: FrozenColumn(names=named(one.names), codes=one.codes)
            for c, one in known.items()
            if one.names
        },
        splits=divided,
        sets=sets,
    )
    return msgspec.structs.replace(manifest, checksum=checksum_of(msgspec.to_builtins(manifest)))


def _frozen(part: SourcePart, keys: Keys, place: Ints) -> FrozenSet:
    problems = part.problems
    made = made_ids(part.problems)
    return FrozenSet(
        name=part.name,
        digest=digest_of(keys, problems, part.same, not made),
        problems=len(problems),
        known=packed(place[problems.known_index]),
        questioned=packed(place[problems.questioned_index]),
        sizes=None if (problems.sizes == 1).all() else packed(problems.sizes),
        ids=None if made else problems.ids.tolist(),
        same=marks_text(part.same),
        calibrate=marks_text(problems.calibrate),
    )


def write_manifest(manifest: Manifest, place: str | Path) -> None:
    """Write a manifest as JSON, compressed if its name ends in ``.gz``; the same problems give the same bytes."""
    text = files.json_bytes(msgspec.to_builtins(manifest))
    with whole_file(place) as file:
        file.write(gzip.compress(text, mtime=0) if str(place).endswith(".gz") else text)
