"""Runs ``raven retrieve``: searches many candidates for an author, and measures how much of the result is topic.

In: a ``RetrieveSpec`` (corpus or files of queries and candidates; methods); the folder or URL of the result.
Out: a folder of the files below, from which ``analyse_search`` makes a ``Search``; a cell (one method, version and
shard) contains the result of ``search.search``: scores (t,) of true candidates, higher = same author, and counts.
SpecError if names clash or re-rankers have nothing to learn from. ``stored_pool``, ``version_of`` and ``kept_vectors``
read the folder; ``nameless``, ``asked_about``, ``fitted``, ``asking`` and ``scored`` serve methods in other processes.

OUT/run.json, plan.json, texts/, cells/   as for a run; a fold is a version of the queries and a shard of the candidates
OUT/pool-….npy                            queries, candidates and truth (``pool``)
OUT/vectors/                              embeddings of the candidates, memory-mapped, by method
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from ravenbench import files, registry
from ravenbench.components import foreign
from ravenbench.engine.apart import Apart, Given, Unsendable, answered, exposed, outsider, own_table
from ravenbench.engine.apart import learned as learned_apart
from ravenbench.engine.cells import CellUnit, Filled
from ravenbench.engine.guard import answer, smoke_test
from ravenbench.engine.options import PATH, Option
from ravenbench.engine.task import Draft, Task, content_hash, slug
from ravenbench.errors import SpecError, remarks_gathered
from ravenbench.ext.retrieval.audit import FAULTS, NAMED, audit
from ravenbench.ext.retrieval.content import with_content
from ravenbench.ext.retrieval.methods import Retriever, shortcuts
from ravenbench.ext.retrieval.pool import OWN, Items, Pool, Questions, chosen
from ravenbench.ext.retrieval.rankings import ELSEWHERE, Ranking, named_rankings, ranking_faults
from ravenbench.ext.retrieval.reading import pool_at
from ravenbench.ext.retrieval.search import Ask, kept_apart, reranked, search, shards, training
from ravenbench.ext.retrieval.spec import METHODS, RetrieveSpec, build
from ravenbench.problems.sources import given
from ravenbench.randomness import stream
from ravenbench.store.plans import content_key, decides, fold_record, on_one_table, verifier_record
from ravenbench.store.records import CellPlace, FoldRecord, Plan
from ravenbench.text.counting import forget_counts
from ravenbench.texts import TextTable
from ravenbench.types import Arrays, Floats, Fold, Ints, Problems
from ravenbench.verifiers.contract.base import as_verifier, fresh

if TYPE_CHECKING:
    from ravenbench.ext.freeze.frozen import Source
    from ravenbench.store.store import Store

TRAINING = 1 / 3
"""Share of a corpus' authors from whom re-rankers learn."""
TAUGHT = "lessons"
"""Name of the fold that they learn from."""
SHARD = 100_000
"""Number of candidates of a unit of work."""


class RetrievePlan(Plan, frozen=True, kw_only=True):
    """The manifest of a search: ``shortcuts`` are the methods that read no text, which are not used with other
    content; ``queries``, ``candidates`` and ``lessons`` (training pairs of re-rankers) are counts;
    ``transplanted`` counts queries that also have other content, and ``left_out`` the reasons why others have not. ``faults``
    counts queries and candidates with faulty labels, by kind (``audit``, ``reading``), ``named`` are examples.
    """

    source: str
    queries: int
    candidates: int
    shortcuts: list[str]
    transplanted: int = msgspec.field(name="kept")
    left_out: dict[str, int]
    faults: dict[str, list[int]]
    lessons: int
    named: dict[str, list[str]] = {}
    warnings: list[str] = []

    def doubts(self) -> list[str]:
        """Return a sentence on faulty labels, or an empty list."""
        counts = {
            kind: candidates if kind == "absent" else queries
            for kind, (queries, candidates) in self.faults.items()
        }
        said = [
            f"{FAULTS[kind][0]}: {count}"
            for kind, count in counts.items()
            if count and kind != "marks"
        ]
        return [f"Queries with labels that may be wrong: {'; '.join(said)}."] if said else []


class Retrieve(Task):
    """Search many candidates for texts by the author of each query, and show how much of the result is topic.

    Every figure has an interval over authors, and is shown next to the results of methods that read no text: language,
    length, source, date or chance. If it is interrupted, the same command continues where it stopped.

        raven retrieve newsgroups --topic group --methods char-ngrams,words,encoder

        raven retrieve authbench/test --methods 'encoder(model="intfloat/multilingual-e5-small")' --plan
    """

    name = "retrieve"
    in_spec = "skip_faulty text author"
    first = "methods k out"
    report = "ravenbench.ext.retrieval.report:RetrieveReport"
    Spec = RetrieveSpec
    own = (Option("out", "The search's folder or URL; default raven-runs/retrieve-….", takes=PATH),)
    pools_seeds = True
    arguments = ("source",)
    order = "source methods k"
    plan_help = "Only show what Raven would search, and the cost."
    device = True
    spec: RetrieveSpec

    @classmethod
    def source_at(cls, what: str | Path, encoding: str | None = None) -> Source | None:
        """Return queries, candidates and truth of a search's files, for ``raven freeze``."""
        from ravenbench.ext.freeze.copies import truth_of
        from ravenbench.ext.freeze.frozen import Source

        if (pool := pool_at(what, encoding=encoding)) is None:
            return None
        ids, labels = pool.described()
        role = {"role": labels.pop("role")}
        truth = truth_of(pool.texts, pool.arrays().__getitem__)
        return Source(pool.texts, ids, labels, truth, role, pool.name, {"command": "given"})

    @classmethod
    def export(cls, store: Store, folder: Path) -> list[str]:
        """Write queries (also with other content) and candidates for methods elsewhere, without labels."""
        from ravenbench.outputs import fresh_folder

        pool = stored_pool(store)
        versions = [pool.questions(version).queries for version in ("plain", *pool.versions)]
        with fresh_folder(folder, kind="export") as place:
            for side, items in (("query", versions), ("candidate", [pool.candidates])):
                with (place / f"{side.replace('y', 'ie')}s.jsonl").open(
                    "w", encoding="utf-8"
                ) as file:
                    for one in items:
                        texts = (pool.texts.rows(one.texts_of(i)) for i in range(len(one)))
                        rows = (
                            {f"{side}_id": name, "texts": each}
                            for name, each in zip(one.ids, texts, strict=True)
                        )
                        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        return ["candidates.jsonl", "queries.jsonl"]

    def resolve(self) -> None:
        from ravenbench.store.resume import data_hash

        self.spec = spec = build(dict(self.values))
        self.named: dict[str, Any] = registry.named("retriever", spec.methods, default=METHODS)
        self.rerankers = registry.named("verifier", spec.rerank) if spec.rerank else {}
        smoke_test(self.rerankers)
        every = [*self.named.values(), *self.rerankers.values()]
        self.data = {
            "source": data_hash(spec.source),
            "methods": content_key([decides(method) for method in every]),
        }
        if spec.train is not None:
            self.data["train"] = data_hash(spec.train)
        self.rankings = named_rankings(spec.rankings or ())
        if clash := self.rankings.keys() & {*self.named, *self.orders}:
            raise SpecError(
                "a ranking has the name of a method", found=min(clash), fix="rename the file"
            )
        if self.rankings:
            self.data["rankings"] = content_key(
                [ranking.digest for ranking in self.rankings.values()]
            )
        self.folder = self.place_or(
            f"retrieve-{slug(spec.source)}-{content_hash([spec.resolved(), self.data])}"
        )

    @property
    def base(self) -> Any:
        """Return the method whose first candidates re-rankers order."""
        return next(iter(self.named.values()))

    @property
    def orders(self) -> dict[str, Any]:
        """Return re-rankers, with names that include the base method."""
        return {
            f"{next(iter(self.named))} + {name}": verifier
            for name, verifier in self.rerankers.items()
        }

    def pools(self) -> tuple[Pool, Pool | None]:
        """Return the queries and candidates, and the training data of re-rankers."""
        spec = self.spec
        self.progress("reading the texts", 0, 0)
        pool, rest = self._read(
            spec.source, TRAINING if spec.rerank is not None and spec.train is None else 0
        )
        if spec.rerank is None:
            return pool, None
        if spec.train is not None:
            rest, _ = self._read(spec.train, 0)
        if rest is None:
            raise SpecError(
                "re-rankers have nothing to learn from", fix="--train, another corpus or folder"
            )
        return pool, rest

    def _read(self, place: str, share: float) -> tuple[Pool, Pool | None]:
        """The pool of a place; of a corpus, without a share of its authors, and that of these."""
        from ravenbench.ext.retrieval.reading import of_corpus, pool_at
        from ravenbench.reading.load import load_corpus
        from ravenbench.topics.levels import at_level

        spec = self.spec
        if (pool := pool_at(place, spec.seed, spec.encoding, spec.strip_shared)) is not None:
            return pool, None
        corpus = load_corpus(
            place, **(spec.reading() | ({"topic": None} if spec.topic == "none" else {}))
        )
        suited = corpus.notes.get("defaults", {})
        level = spec.topic or suited.get("topic")
        if level is not None and level != "none":
            corpus = at_level(corpus, level, suited.get("levels", {}))[0]
        names = stream(spec.seed, "retrieval-authors").permutation(len(corpus.author.names))
        apart = np.isin(corpus.author.codes, names[: int(len(names) * share)])
        pool_of = partial(of_corpus, corpus, across=spec.across, seed=spec.seed)
        pool = pool_of(queries=spec.queries, candidates=spec.limit, without=apart)
        return pool, pool_of(queries=len(names), candidates=None, without=~apart) if share else None

    def draft(self) -> Draft[RetrievePlan]:
        with remarks_gathered() as remarks:
            pool, lessons = self.pools()
        left_out: Mapping[str, int] = {}
        self.progress("checking labels", 0, 0)
        audited = audit(pool)
        warnings: list[str | None] = [f"Note: {sentence}." for sentence in remarks]
        if lessons is not None and self.spec.train is not None:
            warnings.append(kept_apart(pool, lessons, self.spec.train))
        if self.spec.content:
            self.progress("transplanting content", 0, 0)
            pool, left_out = with_content(pool, self.spec.content, self.spec.seed)
        faults = ranking_faults()
        for name, ranking in self.rankings.items():
            ranking.read(pool, faults)
            warnings += [] if faults else ranking.notes(name)
        faults.check()
        learned: list[Fold] = []
        if lessons is not None:
            problems, same = training(lessons, self.spec.seed)
            texts, (problems,) = on_one_table([problems], pool.texts)
            pool = replace(pool, texts=texts)
            nothing = np.arange(0)
            learned = [given(problems, same, problems.select(nothing), same[nothing], TAUGHT)]
        arrays = pool.arrays()
        if (most := max(self.spec.k)) >= (there := len(pool.candidates)):
            warnings.append(
                f"Warning: all of the {there:,} candidates are among the first {most:,}: a smaller"
                " --k shows more."
            )
        digest = hashlib.blake2b(pool.texts.digest().encode(), digest_size=16)
        for name, array in arrays.items():
            digest.update(name.encode() + array.tobytes())
        data = digest.hexdigest()
        folds = dict[str, FoldRecord]()
        for version in ("plain", *pool.versions):
            for number, _ in enumerate(shards(len(pool.candidates), SHARD)):
                test = content_key([data, version, number])
                other = None if version == "plain" else version
                folds[f"{version}-{number}"] = FoldRecord(
                    train_digest=data, test_digest=test, fold=number, transplanted=other
                )
        controls = shortcuts(pool)
        once = {
            *controls,
            *(name for name, ranking in self.rankings.items() if not ranking.transplanted_),
        }
        cells = [
            CellPlace(
                key=content_key([decides(method), record.test_digest, WHOLE]),
                verifier=name,
                fold=fold,
            )
            for name, method in {**self.named, **controls, **self.rankings}.items()
            for fold, record in folds.items()
            if name not in once or fold.startswith("plain-")
        ]
        for name, verifier in self.orders.items():
            how = [
                decides(self.base),
                decides(verifier),
                self.spec.first,
                learned[0].train_digest(),
                WHOLE,
            ]
            cells += [
                CellPlace(key=content_key([*how, record.test_digest]), verifier=name, fold=fold)
                for fold, record in folds.items()
                if record.fold == 0
            ]
        of_others = set(self.orders) if self.orders and foreign(self.base) else set[str]()
        methods = {**self.named, **controls, **self.rankings, **self.orders}
        records = map(verifier_record, methods, methods.values())
        plan = RetrievePlan(
            folds={**folds, **{fold.name: fold_record(fold) for fold in learned}},
            verifiers=[
                msgspec.structs.replace(v, foreign=v.foreign or v.name in of_others)
                for v in records
            ],
            cells=cells,
            source=pool.name,
            queries=len(pool.plain.queries),
            candidates=len(pool.candidates),
            shortcuts=list(controls),
            transplanted=len(pool.transplanted),
            left_out=dict(left_out),
            faults={
                kind: [int(touched.sum()), audited.candidates[kind]]
                for kind, touched in audited.queries.items()
            }
            | {
                kind: [0, len(ids)] if kind == "absent" else [len(ids), 0]
                for kind, ids in pool.faults.items()
            },
            named=audited.named | {kind: ids[:NAMED] for kind, ids in pool.faults.items()},
            warnings=[warning for warning in warnings if warning],
            lessons=len(learned[0].train) if learned else 0,
        )
        stored: Any = {f"pool-{name}": array for name, array in arrays.items()} | {
            "audit-touched": audited.touched
        }
        ids, labels = pool.described()
        return Draft(plan, learned, pool.texts, {}, ids, stored, {"role": labels["role"]})

    def cells(self, store: Store) -> list[str]:
        from ravenbench.engine.pool import run_units

        methods: dict[str, Any] = {**self.named, **shortcuts(stored_pool(store)), **self.rankings}
        waiting: dict[tuple[str, int], list[CellPlace]] = {}
        for place in store.unanswered():
            waiting.setdefault((place.verifier, store.plan.folds[place.fold].fold or 0), []).append(
                place
            )
        units = [
            (
                SearchUnit(store.path, methods[name], tuple(places))
                if name in methods
                else RerankUnit(
                    store.path,
                    self.base,
                    tuple(places),
                    self.orders[name],
                    self.spec.first,
                )
            )
            for (name, _), places in waiting.items()
        ]
        return run_units(self.engine, units, self.progress, "searching")

    def notes(self, draft: Draft[RetrievePlan]) -> list[str]:
        plan = draft.plan
        pairs = self.spec.first * (plan.queries + len(OWN) * plan.transplanted)
        return [
            (
                f"{plan.source}: {plan.queries:,} queries, {plan.candidates:,} candidates;"
                f" {plan.transplanted:,} queries are also searched for with other content"
            ),
            *(
                f"{name}: orders {pairs:,} pairs after {next(iter(self.named))}"
                for name in self.rerankers
            ),
            *(f"{kind}: {count}" for kind, count in sorted(plan.left_out.items())),
            *plan.doubts(),
            *plan.warnings,
        ]


@lru_cache(2)
def stored_pool(store: Store) -> Pool:
    """Return the pool of a search's folder."""

    def read(name: str) -> NDArray[Any] | None:
        file = f"pool-{name}.npy"
        return files.read_array(store.path / file) if file in store.plan.files else None

    return Pool.of_arrays(store.texts, read)


WHOLE = False
"""Part of every key: embeddings are not stored in half precision."""


@dataclass(frozen=True)
class SearchUnit(CellUnit):
    """A method that learns from the candidates and searches a shard of them, for every version of the queries."""

    def learn(self, store: Store) -> Any:
        forget_counts()  # those of another shard are not needed again
        shard = self.shard(store, self.cells[0])
        pool = stored_pool(store)
        again = len(self.cells) > 1
        if foreign(self.method):
            with suppress(Unsendable):
                return Alone.learned(store, self.method, pool, shard, again)
        method: Retriever = fresh(self.method)
        method.again = again
        identity = content_key(
            [
                decides(method),
                self.digests(store, self.cells[0])[0],
                WHOLE,
                int(shard[0]),
                len(shard),
            ]
        )
        return method.fit(
            pool,
            lambda make: kept_vectors(store.path / "vectors" / identity, make),
            shard,
        )

    def shard(self, store: Store, place: CellPlace) -> Ints:
        """Return rows (c,) of the candidates that a cell searches."""
        begin = (store.plan.folds[place.fold].fold or 0) * SHARD
        return np.arange(begin, min(begin + SHARD, len(stored_pool(store).candidates)))

    def answer(self, store: Store, learned: Any, place: CellPlace) -> Filled:
        questions = self.questions(store, place)
        candidates = stored_pool(store).candidates
        shard = self.shard(store, place)
        edges = version_of(place.fold) == "plain"
        if isinstance(learned, Ranking):
            ask = learned.ask(questions.queries)
            return (
                search(
                    ask,
                    questions,
                    candidates,
                    shard,
                    edges=edges and learned.comparable,
                    tolerance=0.0,
                ),
                {},
            )
        with asked_about(learned, store, questions.queries) as ask:
            return search(ask, questions, candidates, shard, edges=edges), {}

    def exposed(self, store: Store, learned: Any) -> str | None:
        if isinstance(learned, Ranking):
            return ELSEWHERE
        return exposed(self.method, store, learned.apart if isinstance(learned, Alone) else learned)

    def questions(self, store: Store, place: CellPlace) -> Questions:
        """Return the queries of a cell."""
        return stored_pool(store).questions(version_of(place.fold))

    def size(self, store: Store, place: CellPlace, filled: Arrays) -> int:
        return len(self.questions(store, place).queries)


@dataclass(frozen=True)
class RerankUnit(SearchUnit):
    """A method whose first candidates a verifier orders again."""

    verifier: Any = None
    first: int = 0

    def shard(self, store: Store, place: CellPlace) -> Ints:
        return np.arange(len(stored_pool(store).candidates))

    def learn(self, store: Store) -> Any:
        lessons = store.shared_fold(TAUGHT)
        method = super().learn(store)
        if outsider(self.verifier):
            return method, learned_apart(
                self.verifier, store, lessons.train, lessons.train_same, check=False
            )
        return method, as_verifier(fresh(self.verifier)).fit(lessons.train, lessons.train_same)

    def answer(self, store: Store, learned: Any, place: CellPlace) -> Filled:
        (method, verifier), pool, questions = (
            learned,
            stored_pool(store),
            self.questions(store, place),
        )
        every = self.shard(store, place)
        with asked_about(method, store, questions.queries) as ask:
            counts = search(ask, questions, pool.candidates, every, top=self.first, edges=False)

        def scores(problems: Problems) -> Floats:
            if outsider(self.verifier):
                whole, _ = answered(verifier, store, place.fold, problems)
                raw = whole["scores"]
                answers = whole["answers"]
            else:
                raw, answers = answer(verifier, problems)
            return np.nan_to_num(raw, nan=float(np.nanmedian(raw))) if raw.ndim == 1 else answers

        return reranked(scores, counts, questions, pool), {}

    def exposed(self, store: Store, learned: Any) -> str | None:
        reasons = super().exposed(store, learned[0]), exposed(self.verifier, store, learned[1])
        return max((reason for reason in reasons if reason is not None), default=None)


@dataclass(frozen=True)
class Alone:
    """A retriever of a class outside Raven, which got candidates without names, and the ``place`` (c,) of
    each candidate among them."""

    apart: Apart
    place: Ints

    @classmethod
    def learned(
        cls, store: Store, method: Retriever, pool: Pool, shard: Ints, again: bool
    ) -> Alone:
        """Return a retriever that learns from the candidates, for scoring a shard and true candidates."""
        texts, row = own_table(pool.texts, np.unique(pool.candidates.rows))
        candidates, order = nameless(pool.candidates, pool.texts, row)
        place = np.argsort(order)
        none = np.zeros(0, dtype=np.int64)
        nobody = Questions(Items([], np.zeros(1, dtype=np.int64), none, {}), none, none, none, none)
        some = np.sort(place[np.union1d(shard, pool.plain.true)])
        return cls(
            Apart.learned(
                method, store, fitted, method, Pool(texts, nobody, candidates), some, again
            ),
            place,
        )


def nameless(items: Items, texts: TextTable, row: Ints) -> tuple[Items, Ints]:
    """Return items without labels, with hashes of their content as ids and in the order of these, and which each was;
    ``row`` is the new row of each text."""
    hashes = (texts.hashes[items.texts_of(i)].tobytes() for i in range(len(items)))
    names = [hashlib.blake2b(one, digest_size=10).hexdigest() for one in hashes]
    order: Ints = np.argsort(np.array(names, dtype=np.str_), kind="stable").astype(np.int64)
    ptr, rows = chosen(items.ptr, row[items.rows], order)
    return Items([names[i] for i in order.tolist()], ptr, rows, {}), order


@contextmanager
def asked_about(learned: Any, store: Store, queries: Items) -> Iterator[Ask]:
    """Give the function that scores candidates for these queries, within a block."""
    if not isinstance(learned, Alone):
        yield learned.ask(queries)
        return
    texts, row = own_table(store.texts, np.unique(queries.rows))
    own, order = nameless(queries, store.texts, row)
    back = np.argsort(order)
    with learned.apart.process_for(store) as process:
        process.ask(asking, texts, own)
        yield lambda block: process.ask(scored, learned.place[block])["scores"][back]


def fitted(state: Any, method: Retriever, pool: Pool, shard: Ints, again: bool) -> Given:
    """Fit a retriever to candidates, in a separate process."""
    method = fresh(method)
    method.again = again
    return method.fit(pool, lambda make: np.asarray(make()).astype(np.float32), shard), {}


def asking(state: Any, texts: TextTable, queries: Items) -> Given:
    """Prepare, in that process, the scores for queries that come with their texts."""
    pool = state.pool_
    every = (table.blocks(range(len(table))) for table in (pool.texts, texts))
    whole, place = TextTable.of_blocks(chain.from_iterable(every))
    state.pool_ = replace(pool, texts=whole)
    return state.ask(replace(queries, rows=place[len(pool.texts) :][queries.rows])), {}


def scored(state: Any, block: Ints) -> Given:
    """Return, from that process, the scores of some candidates."""
    return state, {"scores": np.asarray(state(block), dtype=np.float32)}


def version_of(fold: str) -> str:
    """Return the version of the queries in a fold."""
    return fold.partition("-")[0]


def kept_vectors(place: Path, make: Callable[[], Any]) -> NDArray[Any]:
    """Return an array that is made once and then mapped from its file, whose name ends with its hash; a damaged file is made
    again."""
    if files.is_remote(place):
        return np.asarray(make())
    for path in place.parent.glob(f"{place.name}-*.npy"):
        if (array := files.map_hashed(path)) is not None:
            return array
    files.make_folder(place.parent)
    array = make().astype(np.float32)
    return files.map_array(files.write_hashed(place.parent, array, f"{place.name}-"))
