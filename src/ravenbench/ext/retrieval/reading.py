"""Reads queries and candidates of a search from a corpus, from files as AuthBench and HIATUS have them, or from PAN.

In: a ``Corpus``, a path of JSON lines or of PAN's attribution problems, or ``ItemRow`` lists; counts, a seed, an
encoding.
Out: ``of_corpus``, ``read_pool``, ``of_attribution``, ``pool_of``: a ``Pool`` with texts, queries, candidates, rows
(from 0) of each query's true candidates, and faults of labels by kind; ``pool_at``: one of these, None where the path
holds neither. FormatError for a file or line, InputError where nothing is there, CorpusError if there is nothing to
search for. ``letters_of`` and ``first_of`` look up names in a record.

AuthBench (its code, ``processing/sampling.py``): ``candidates.jsonl`` with candidate_id, author_id, lang, genre,
content, source; ``queries.jsonl`` with query_id and the same but the author; ``ground_truth.jsonl`` with query_id,
positive_ids, author_id. HIATUS: ``…_queries.jsonl`` and ``…_candidates.jsonl`` with documentID, fullText and authorIDs
or authorSetIDs, where the texts of an author are one episode. LUAR: ``…_queries.jsonl`` and ``…_targets.jsonl`` with
author_id and a list of texts (syms).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from sys import intern
from typing import Any, NamedTuple

import numpy as np

from ravenbench.errors import CorpusError, FormatError, InputError, first_names, remark, some
from ravenbench.ext.retrieval.pool import COLUMNS, Items, Pool, Questions, listed
from ravenbench.randomness import stream
from ravenbench.reading.archive import Archive
from ravenbench.reading.collector import checked_text
from ravenbench.reading.decoding import UTF8, checked_name
from ravenbench.reading.pan_attribution import is_attribution, read_attribution
from ravenbench.reading.remarks import (
    Seen,
    doubtful_names,
    ids_apart,
    odd_texts,
    shared,
    spelt_alike,
)
from ravenbench.reading.tabular import records
from ravenbench.text.damage import MOST, is_wordless
from ravenbench.text.names import is_nobody, name_key
from ravenbench.text.passages import cleaner
from ravenbench.texts import TextTable, composed
from ravenbench.types import Bools, Corpus, Ints, Labels

NAMES = {
    "id": ("queryid", "candidateid", "targetid", "documentid", "docid", "id", "episodeid"),
    "text": ("content", "fulltext", "text", "syms", "texts", "body"),
    "author": ("authorid", "authorids", "authorsetids", "author", "userid"),
    "topic": ("topic", "category", "subreddit", "theme"),
    "language": ("lang", "language", "languages"),
    "genre": ("genre", "domain", "register"),
    "source": ("source", "dataset", "collection", "collectionnum", "site", "publisher"),
    "date": ("date", "timestamp", "created", "createdutc", "datetime", "year", "publishedat"),
}
"""Names of columns, the surest first; case, spaces and underscores do not matter."""
POSITIVE = (
    "positiveids",
    "candidateids",
    "relevantids",
    "positives",
    "relevant",
    "targets",
    "candidateid",
)
QUERY = tuple(name for name in NAMES["id"] if name not in POSITIVE)
EPISODES = ("authorids", "authorsetids")
"""Columns of authors that say that all texts of an author are one episode."""
SIDES = {
    "queries": ("queries",),
    "candidates": ("candidates", "targets"),
    "truth": ("ground_truth", "groundtruth"),
}


class ItemRow(NamedTuple):
    """One query or candidate as it was read: its id, its texts, and its labels by column."""

    id: str
    texts: Sequence[str]
    labels: Mapping[str, str | None]


def pool_of(
    queries: Sequence[ItemRow],
    candidates: Sequence[ItemRow],
    true: Sequence[Sequence[int]] | None,
    seed: int,
    strip_shared: bool = False,
    **more: Any,
) -> Pool:
    """The pool of these rows; ``true`` lists each query's true candidates, by default those by its author. Candidates
    are put into random order.

    The pool's ``faults`` are queries ``without`` a true candidate, which are left out, those with one by an ``other``
    author, and those with a candidate by their author that is not among the true ones (``unlisted``).

    CorpusError if no query has a true candidate, or a candidate that is not.
    """
    names = dict.fromkeys(row.labels.get("author") for row in (*queries, *candidates))
    nobody = [name for name in names if name and is_nobody(name)]
    by_author: dict[str, list[int]] = {}
    for i, row in enumerate(candidates):
        by_author.setdefault(_person(row.labels.get("author")), []).append(i)
    unsigned = set(by_author.pop("", ()))
    own_by = [by_author.get(_person(row.labels.get("author")), []) for row in queries]
    by_names = true is None
    true = own_by if true is None else true
    faults: dict[str, list[str]] = dict(more.pop("faults", {}))
    for row, stated, theirs in zip(queries, true, own_by, strict=True):
        kinds = {
            "without": not stated,
            "other": bool(theirs) and not unsigned.issuperset(set(stated).difference(theirs)),
            "unlisted": bool(stated) and not set(theirs).issubset(stated),
        }
        for kind in (kind for kind, holds in kinds.items() if holds):
            faults.setdefault(kind, []).append(row.id)
    bare = {i for i, row in enumerate(queries) if all(map(is_wordless, row.texts))}
    if bare:
        remark(
            [
                "queries that hold no word to go by are not searched for:"
                f" {some(queries[i].id for i in bare)}"
            ]
        )
    searched = [i for i, own in enumerate(true) if own and i not in bare]
    if not searched or len(candidates) < 2:
        raise CorpusError(
            "there is nothing to search for",
            found=f"{len(searched)} queries with a true candidate, {len(candidates)} candidates",
            expected="one query or more, and two candidates or more",
            file=more.get("name"),
            fix=(
                None
                if searched
                else "give true candidates in ground_truth.jsonl, or authors to all"
            ),
        )
    order = stream(seed, "retrieval-order").permutation(len(candidates))
    place = np.argsort(order)
    every = [*(queries[i] for i in searched), *(candidates[i] for i in order.tolist())]
    plain: Callable[[str], str] = str
    if strip_shared:
        named = any(row.labels.get("author") for row in every)
        authors = (
            row.labels.get("author") if named else row.id for row in every for _ in row.texts
        )
        plain = cleaner((text for row in every for text in row.texts), authors, empty=False)
    texts, rows = TextTable.collect(composed(plain(text)) for row in every for text in row.texts)
    ptr = np.concatenate([[0], np.cumsum([len(row.texts) for row in every])]).astype(np.int64)
    said: list[Any] = []
    writers = [row.labels.get("author") for row in every]
    columns = {"author": Labels.of(spelt_alike(writers, said, "author's name", name_key))}
    columns |= {
        c: Labels.of(spelt_alike([row.labels.get(c) for row in every], said, c))
        for c in COLUMNS[1:]
    }
    if nobody and by_names:
        said.append(f"nobody in particular has no true candidates: {first_names(nobody)}")
    remark(said)
    both = Items(
        [row.id for row in every],
        ptr,
        rows,
        {c: labels for c, labels in columns.items() if labels.names},
    )
    query_items = both.select(np.arange(len(searched)))
    own = listed([np.sort(place[list(true[i])]) for i in searched])
    nothing = listed([[]] * len(searched))
    return Pool(
        texts,
        Questions(query_items, *own, *nothing),
        both.select(np.arange(len(searched), len(every))),
        faults=faults,
        **more,
    )


def _person(author: str | None) -> str:
    """What is equal for two spellings of an author's name; "" of nobody in particular."""
    return "" if author is None or is_nobody(author) else name_key(author)


def of_corpus(
    corpus: Corpus,
    *,
    queries: int,
    candidates: int | None,
    across: bool,
    seed: int,
    without: Bools | None = None,
) -> Pool:
    """A document of each author as a query, at most so many, and all others as candidates.

    Parameters
    ----------
    candidates : int, optional
        Candidates at most; the true ones stay.
    across : bool
        A query's true candidates are on other topics than it is; the author's documents on its topic are left out.
    without : (documents,) bool, optional
        Documents that are neither.

    Raises
    ------
    CorpusError
        If no author has two documents, on two topics where that is wanted.
    """
    author = corpus.author.codes
    topic = corpus.topic.codes
    usable = author >= 0 if without is None else (author >= 0) & ~without
    rng = stream(seed, "retrieval-queries")
    order = rng.permutation(np.flatnonzero(usable))
    order = order[np.argsort(author[order], kind="stable")]
    begins = (
        np.flatnonzero(np.r_[True, author[order][1:] != author[order][:-1]])
        if len(order)
        else order
    )
    of_author = np.split(order, begins[1:])
    picked: dict[int, Ints] = {}
    dropped = np.zeros(len(corpus), dtype=np.bool_)
    for number in rng.permutation(len(of_author)).tolist():
        own = of_author[number].tolist()
        query = next((row for row in own if not is_wordless(corpus.texts[row])), own[0])
        rest = [row for row in own if row != query]
        left = [
            row
            for row in rest
            if not across or (topic[row] != topic[query] and topic[row] >= 0 <= topic[query])
        ]
        if left and len(picked) < queries:
            picked[query] = np.array(left)
            dropped[[row for row in rest if row not in set(left)]] = True
    if not picked:
        raise CorpusError(
            "no author has two documents" + (" on two topics" if across else ""),
            file=corpus.name,
            fix=(
                "without --across, or with another --topic"
                if across
                else "a corpus where authors wrote several texts"
            ),
        )
    true = np.concatenate(list(picked.values()))
    free = usable & ~dropped
    free[list(picked)] = free[true] = False
    others = rng.permutation(np.flatnonzero(free))
    others = others if candidates is None else others[: max(0, candidates - len(true))]
    columns = _columns(corpus)

    def rows(which: Iterable[int]) -> list[ItemRow]:
        return [
            ItemRow(
                corpus.ids[i],
                corpus.texts.view(np.array([i])),
                {c: labels[i] for c, labels in columns.items()},
            )
            for i in which
        ]

    return pool_of(
        rows(picked), rows(np.concatenate([true, others]).tolist()), None, seed, name=corpus.name
    )


def _columns(corpus: Corpus) -> dict[str, Labels]:
    """What of a corpus is known by the names of ``COLUMNS``."""
    columns = {"author": corpus.author, "topic": corpus.topic, "language": corpus.language}
    for name in ("language", "genre", "source", "date"):
        columns[name] = columns.get(name) or first_of(letters_of(corpus.columns), NAMES[name])
    return {name: labels for name, labels in columns.items() if labels is not None}


def pool_at(
    path: str | Path, seed: int = 0, encoding: str | None = UTF8, strip_shared: bool = False
) -> Pool | None:
    """The pool of files of queries and candidates, or of PAN's attribution problems; None where there are neither.
    ``strip_shared`` takes out what texts of several authors share."""
    if not Path(path).exists():
        return None
    with Archive(path) as archive:
        if not archive.single and _files(archive):
            pool = read_pool(path, seed, encoding, strip_shared)
            authors = pool.candidates.labels.get("author")
            labels = pool.described()[1].get("author")
            rows = np.arange(min(MOST, len(pool.texts)))
            whose = Labels(rows, ()) if labels is None else labels
            seen = Seen(pool.texts.rows(rows), whose, list(map(str, rows + 1)))
            names = authors.names if authors is not None else ()
            remark([*odd_texts(seen), *doubtful_names(names), *shared(seen)], path)
            return pool
    return of_attribution(path, seed, encoding, strip_shared) if is_attribution(path) else None


def read_pool(
    path: str | Path, seed: int = 0, encoding: str | None = UTF8, strip_shared: bool = False
) -> Pool:
    """Queries and candidates from a folder or zip with ``queries.jsonl`` and ``candidates.jsonl``.

    Where there is no ``ground_truth.jsonl``, candidates by a query's author are its true ones. FormatError if a file or
    a line is not what it should be; CorpusError if no query has a true candidate.
    """
    with Archive(path, encoding) as archive:
        files = _files(archive)
        if not files:
            raise InputError(
                "there are no queries and candidates here",
                file=path,
                expected="queries.jsonl, candidates.jsonl",
            )
        queries, candidates = (_rows(archive, files[side]) for side in ("queries", "candidates"))
        if "truth" not in files:
            return pool_of(
                queries, candidates, None, seed, strip_shared=strip_shared, name=archive.stem
            )
        place = {row.id: i for i, row in enumerate(candidates)}
        positive: dict[str, set[int]] = {}
        writers: dict[str, str | None] = {}
        absent = list[str]()
        where = archive.label(files["truth"])
        for line, record in records(archive, files["truth"]):
            keys = letters_of(record)
            name = _text(first_of(keys, QUERY), where, line)
            given = first_of(keys, POSITIVE)
            if name is None or given is None:
                raise FormatError(
                    "this line does not say which candidates are true",
                    file=where,
                    line=line,
                    found=sorted(record),
                    expected='"query_id": "…", "positive_ids": ["…"]',
                )
            try:
                relevance = float(keys.get("relevance", 1))
                if math.isnan(relevance):
                    raise ValueError("not a number")
            except (TypeError, ValueError):
                raise FormatError(
                    "a relevance must be a number", file=where, line=line, found=keys["relevance"]
                ) from None
            if relevance <= 0:
                continue
            ids = [
                _text(value, where, line) or ""
                for value in (given if isinstance(given, list) else [given])
            ]
            absent += [i for i in ids if i not in place]
            positive.setdefault(name, set()).update(place[i] for i in ids if i in place)
            writers[name] = _label(keys, "author", where, line)
        true = [sorted(positive.get(row.id, ())) for row in queries]
        queries = [
            row._replace(
                labels={**row.labels, "author": row.labels["author"] or writers.get(row.id)}
            )
            for row in queries
        ]
        strangers = sorted(positive.keys() - {row.id for row in queries})
        remark(ids_apart(absent, place), path)
        faults = {kind: ids for kind, ids in (("absent", absent), ("strangers", strangers)) if ids}
        return pool_of(
            queries,
            candidates,
            true,
            seed,
            strip_shared=strip_shared,
            name=archive.stem,
            faults=faults,
        )


def _files(archive: Archive) -> dict[str, str]:
    """Files of queries, candidates and truth by side; those of a part called test where several lie here."""
    by_side: dict[str, str] = {}
    for side, endings in SIDES.items():
        names = [
            n for n in archive.names if n.endswith(tuple(f"{ending}.jsonl" for ending in endings))
        ]
        names.sort(
            key=lambda name: (
                not re.search(r"(^|/)test[/_]|(^|/)[^/]*$", name),
                name.count("/"),
                name,
            )
        )
        if names:
            by_side[side] = names[0]
    if not (here := {"queries", "candidates"} & by_side.keys()):
        return {}
    if missing := {"queries", "candidates"} - here:
        raise FormatError(
            f"there is no {missing.pop()}.jsonl",
            file=archive.path,
            found=by_side[here.pop()],
            expected="queries.jsonl and candidates.jsonl",
        )
    place = by_side["queries"].rpartition("/")[0]
    return {side: name for side, name in by_side.items() if name.rpartition("/")[0] == place}


def _rows(archive: Archive, name: str) -> list[ItemRow]:
    where = archive.label(name)
    rows = dict[str, ItemRow]()
    places = dict[str, list[int]]()
    known = dict[tuple[str | None, ...], dict[str, str | None]]()

    def gathered() -> Iterator[str]:
        episodes = False
        count = 0
        for line, record in records(archive, name):
            keys = letters_of(record)
            texts = first_of(keys, NAMES["text"])
            texts = texts if isinstance(texts, list) else [texts]
            if not texts or not all(isinstance(text, str) and text.strip() for text in texts):
                raise FormatError(
                    "this line has no text",
                    file=where,
                    line=line,
                    expected='"content": "…", and not empty',
                    found=[f"{key}: {str(value)[:20]!r}" for key, value in sorted(record.items())],
                )
            values = tuple(_label(keys, column, where, line) for column in COLUMNS)
            labels = known.setdefault(values, dict(zip(COLUMNS, values, strict=True)))
            episodes = episodes or any(k in keys for k in EPISODES)
            id = labels["author"] if episodes else None
            id = id or _text(first_of(keys, NAMES["id"]), where, line) or f"{len(rows):06d}"
            if id in rows and not episodes:
                raise FormatError("this id stands twice", file=where, line=line, found=id)
            rows.setdefault(id, ItemRow(id, (), labels))
            places.setdefault(id, []).extend(range(count, count + len(texts)))
            count += len(texts)
            yield from (checked_text(text, where, line) for text in texts)

    # A million texts are not held in memory.
    table, place = TextTable.collect(gathered())
    return [row._replace(texts=table.view(place[places[id]])) for id, row in rows.items()]


def _label(keys: Mapping[str, Any], column: str, where: str, line: int) -> str | None:
    value = next(
        (keys[k] for k in NAMES[column] if k in keys and keys[k] not in (None, "", [])), None
    )
    name = _text(value, where, line)
    return name and intern(name)


def _text(value: Any, where: str, line: int) -> str | None:
    """A name from what a record holds; of a list its first."""
    value = value[0] if isinstance(value, list) and value else value
    if value is None or value == "":
        return None
    if isinstance(value, dict | list):
        raise FormatError("a name must be a text or a number", file=where, line=line, found=value)
    return checked_name(str(value), "a name", where, line)


def letters_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record by the letters of its names."""
    return {re.sub(r"[^a-z]", "", name.lower()): value for name, value in record.items()}


def first_of(keys: Mapping[str, Any], names: Iterable[str]) -> Any:
    """The value of the first of these names that there is."""
    return next((keys[name] for name in names if name in keys), None)


def of_attribution(
    path: str | Path, seed: int = 0, encoding: str | None = UTF8, strip_shared: bool = False
) -> Pool:
    """PAN's attribution problems as a search: the known texts of that with most candidates are searched for the author
    of each of its unknown texts."""
    problems = [
        problem
        for problem in read_attribution(path, encoding=encoding, strip_shared=strip_shared)
        if problem.truth
    ]
    if not problems:
        raise InputError("no problem here says who wrote its unknown texts", file=path)
    problem = max(problems, key=lambda one: (len(one.candidates), one.name))
    truth = problem.truth or {}
    known = [(author, text) for author, texts in problem.candidates.items() for text in texts]

    def row(name: str, text: str, author: str | None) -> ItemRow:
        return ItemRow(name, (text,), {"author": author, "language": problem.language})

    candidates = [row(f"{author}/{i}", text, author) for i, (author, text) in enumerate(known)]
    queries = [row(name, text, truth.get(name)) for name, text in problem.unknown.items()]
    return pool_of(queries, candidates, None, seed, name=problem.name)
