"""Makes a search from a corpus, from files of queries and candidates, or from PAN's attribution problems.

In: a ``Corpus``, a path, or ``ItemRow`` lists; counts, a seed, an encoding.
Out: ``of_corpus``, ``of_attribution``, ``pool_of``: a ``Pool`` with texts, queries, candidates, rows (from 0) of each
query's true candidates, and faults of labels by kind; ``pool_at``: one of these, None if the path has neither.
FormatError for a file or line, InputError if the path does not exist, CorpusError if there is nothing to search for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ravenbench.errors import CorpusError, InputError, first_names, remark, some
from ravenbench.ext.retrieval.pool import Items, Pool, Questions, listed
from ravenbench.randomness import stream
from ravenbench.reading.decoding import UTF8
from ravenbench.reading.pan_attribution import is_attribution, read_attribution
from ravenbench.reading.queries import COLUMNS, NAMES, ItemRow, first_of, letters_of, read_queries
from ravenbench.reading.remarks import (
    Seen,
    doubtful_names,
    odd_texts,
    several_languages,
    shared,
    spelt_alike,
)
from ravenbench.text.damage import MOST, is_wordless
from ravenbench.text.names import is_nobody, name_key
from ravenbench.text.passages import cleaner
from ravenbench.texts import TextTable, composed
from ravenbench.types import Bools, Corpus, Ints, Labels


def pool_of(
    queries: Sequence[ItemRow],
    candidates: Sequence[ItemRow],
    true: Sequence[Sequence[int]] | None,
    seed: int,
    strip_shared: bool = False,
    **more: Any,
) -> Pool:
    """Return the pool of these rows; ``true`` lists each query's true candidates, by default the author's candidates.
    Candidates are put into random order.

    The pool's ``faults`` are queries ``without`` a true candidate, which are left out, queries with one by an ``other``
    author, and queries with a candidate by their author that is not a true candidate (``unlisted``).

    CorpusError if no query has a true candidate, or one that is not true.
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
                "Raven does not search for queries without a usable word:"
                f" {some(queries[i].id for i in bare)}"
            ]
        )
    searched = [i for i, own in enumerate(true) if own and i not in bare]
    if not searched or len(candidates) < 2:
        raise CorpusError(
            "nothing to search for",
            found=f"queries with a true candidate: {len(searched)}; candidates: {len(candidates)}",
            expected="at least one query and two candidates",
            file=more.get("name"),
            fix=(
                None
                if searched
                else "give true candidates in ground_truth.jsonl, or an author for every text"
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
        said.append(
            "these authors are nobody in particular, so they have no true candidates:"
            f" {first_names(nobody)}"
        )
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
    """Return a pool with a document of each author as a query, at most ``queries``, and all others as candidates.

    Parameters
    ----------
    candidates : int, optional
        Maximum number of candidates; true candidates are always kept.
    across : bool
        Whether a query's true candidates must be on other topics; the author's documents on its topic are left out.
    without : (documents,) bool, optional
        Documents that are neither query nor candidate.

    Raises
    ------
    CorpusError
        If no author has two documents (with ``across``, on two topics).
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
                "leave out --across, or give another --topic"
                if across
                else "give a corpus in which authors have several texts"
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
    """Return the pool of files of queries and candidates, or of PAN's attribution problems; None for other paths.
    ``strip_shared`` removes what texts of several authors share."""
    if not Path(path).exists():
        return None
    if (read := read_queries(path, encoding)) is not None:
        pool = pool_of(
            read.queries,
            read.candidates,
            read.true,
            seed,
            strip_shared=strip_shared,
            name=read.name,
            faults=read.faults,
        )
        authors = pool.candidates.labels.get("author")
        labels = pool.described()[1].get("author")
        rows = np.arange(min(MOST, len(pool.texts)))
        whose = Labels(rows, ()) if labels is None else labels
        seen = Seen(pool.texts.rows(rows), whose, list(map(str, rows + 1)))
        names = authors.names if authors is not None else ()
        languages = [] if "language" in pool.candidates.labels else several_languages(seen)
        remark([*odd_texts(seen), *languages, *doubtful_names(names), *shared(seen)], path)
        return pool
    return of_attribution(path, seed, encoding, strip_shared) if is_attribution(path) else None


def of_attribution(
    path: str | Path, seed: int = 0, encoding: str | None = UTF8, strip_shared: bool = False
) -> Pool:
    """Return PAN's attribution problems as a search: the known texts of the problem with most candidates are searched for
    the author of each of its unknown texts."""
    problems = [
        problem
        for problem in read_attribution(path, encoding=encoding, strip_shared=strip_shared)
        if problem.truth
    ]
    if not problems:
        raise InputError("no problem here names the authors of its unknown texts", file=path)
    problem = max(problems, key=lambda one: (len(one.candidates), one.name))
    truth = problem.truth or {}
    known = [(author, text) for author, texts in problem.candidates.items() for text in texts]

    def row(name: str, text: str, author: str | None) -> ItemRow:
        return ItemRow(name, (text,), {"author": author, "language": problem.language})

    candidates = [row(f"{author}/{i}", text, author) for i, (author, text) in enumerate(known)]
    queries = [row(name, text, truth.get(name)) for name, text in problem.unknown.items()]
    return pool_of(queries, candidates, None, seed, name=problem.name)
