"""Computes a map (pictures of how n texts group): distances, trees, places, neighbours, and how much is topic.

In: ``analyse_map``, ``preview_map``: a corpus, its path or a mapping of names to texts, and a ``MapSpec``; ``tree_of``:
distances (n, n), a linkage; ``places_of``: a picture's name, distances, frequencies (n, words), a seed; ``cut_into``: a
tree (n − 1, 4), how many clusters; ``clusters_of``: a tree; ``consensus``: trees, resampled trees, a share.
Out: ``analyse_map``: a ``MapAnalysis`` of n texts, or of n samples drawn from texts: two ``MapView``s (all words;
content words masked) with distances (n, n) ≥ 0, lower = more alike, tree, places (n, 2), clusters of the ``consensus``
with shares of trees (0 to 1), links with weights by rank (the nearest most); and ``scores`` (topic's share 0 to 1, …).
``cut_into``: cluster numbers (n,) from 0; ``clusters_of``: bit masks (bit i = text i); ``preview_map``: a ``Preview``.
InputError (such as CorpusError) for texts or settings. ``draw_texts`` … handle texts.

Everything is computed twice: with all words and with content words masked. The numbers are computed a third time with
as many words as the mask leaves, because a smaller number of words also changes a picture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import PurePosixPath
from typing import Any

import numpy as np
from msgspec import structs

from ravenbench.engine.pool import Progress, shown_by_default
from ravenbench.engine.task import Preview
from ravenbench.errors import (
    CorpusError,
    InputError,
    counted,
    did_you_mean,
    first_names,
)
from ravenbench.ext.map.grouping import GroupingScore, distances, grouping, prepared
from ravenbench.ext.map.spec import MapSpec
from ravenbench.ext.map.word_tables import (
    WordTable,
    features_of,
    masked,
    pronouns,
    samples_of,
    stylo_words,
    table_of,
    units_of,
)
from ravenbench.randomness import stream
from ravenbench.reading.by_author import read_collection
from ravenbench.text.content_words import hidden_sentence, hidden_share
from ravenbench.text.splicing import Splicer
from ravenbench.texts import TextTable
from ravenbench.types import Document, Floats, Ints, Labels

METHODS = {"single": "single", "complete": "complete", "average": "average", "mcquitty": "weighted"}


def tree_of(distances: Floats, linkage: str) -> Floats:
    """Return a dendrogram (n − 1, 4) of distances (n, n) in scipy's form, with the heights of R's ``hclust``."""
    from scipy.cluster import hierarchy
    from scipy.spatial.distance import squareform

    condensed = squareform(distances, checks=False)
    if linkage == "ward.D":
        # R's ward.D updates distances as they are; scipy's ward, which is ward.D2, updates their squares.
        tree = hierarchy.linkage(np.sqrt(condensed), "ward")
        tree[:, 2] **= 2
        return np.asarray(tree)
    return np.asarray(
        hierarchy.linkage(condensed, "ward" if linkage == "ward.D2" else METHODS[linkage])
    )


def cut_into(tree: Floats, clusters: int) -> Ints:
    """Return the number of each text's cluster (n,), from 0, after cutting a dendrogram (n − 1, 4) into a given number
    of clusters."""
    from scipy.cluster.hierarchy import cut_tree

    return np.asarray(cut_tree(tree, n_clusters=max(1, clusters)).ravel(), dtype=np.int64)


def clusters_of(tree: Floats) -> set[int]:
    """Return all clusters of a dendrogram of at least two texts; of two halves, the one with the first text.

    As in ape, which stylo uses, trees are unrooted: a branch separates some texts from the rest. A cluster is the
    smaller of the two sides, as a number whose bit i says whether it contains text i.
    """
    members = [1 << i for i in range(len(tree) + 1)]
    for left, right in tree[:, :2].astype(int):
        members.append(members[left] | members[right])
    sides = (
        min((m, members[-1] ^ m), key=lambda side: (side.bit_count(), -(side & 1))) for m in members
    )
    return {side for side in sides if side.bit_count() > 1}


@dataclass(frozen=True)
class Cluster:
    """A cluster: the rows of its texts, the proportion (0 to 1) of settings with it, and of trees from resampled word
    lists (or None)."""

    members: tuple[int, ...]
    settings: float
    resampled: float | None

    @property
    def support(self) -> float:
        """The proportion (0 to 1) of trees that decides whether it is in the consensus."""
        return self.settings if self.resampled is None else self.resampled


def consensus(
    trees: Iterable[Floats], resampled: Iterable[Floats], strength: float
) -> list[Cluster]:
    """Return clusters in more than half of the trees, or in at least the proportion ``strength`` (0 to 1) if that is
    more, the largest first."""
    counts = [Counter[int](), Counter[int]()]
    sizes = [0, 0]
    for place, many in enumerate((trees, resampled)):
        for tree in many:
            sizes[place] += 1
            counts[place].update(clusters_of(tree))
    deciding = 1 if sizes[1] else 0
    least = max(strength * sizes[deciding], sizes[deciding] / 2 + 1e-9)
    clusters = []
    for members, count in counts[deciding].items():
        if count >= least:
            texts = tuple(i for i in range(members.bit_length()) if members >> i & 1)
            share = counts[1][members] / sizes[1] if sizes[1] else None
            clusters.append(Cluster(texts, counts[0][members] / max(1, sizes[0]), share))
    return sorted(clusters, key=lambda c: (-len(c.members), c.members))


ALL = "all words"
MASKED = "content words masked"
AS_MANY = "as many words, not masked"
FEWEST_WORDS = 10
ADVISED = 1_000
EACH = 10
"""Most texts of an author if a corpus has more texts than are shown."""


@dataclass(frozen=True)
class MapText:
    """A text or a sample of a text, its group (by default its author), and its number of ``words``."""

    id: str
    author: str | None
    group: str | None
    topic: str | None
    words: int


@dataclass(frozen=True, eq=False)
class MapView:
    """What a selection of words shows: the words, distances (n, n), dendrogram (n − 1, 4), consensus, places (n, 2) by
    picture, links (text, text) with their weights (by rank, the nearest most, added up over settings), and the shares
    of variance (0 to 1) along two principal components."""

    title: str
    words: tuple[str, ...]
    distances: Floats
    tree: Floats
    clusters: tuple[Cluster, ...] = ()
    places: Mapping[str, Floats] = field(default_factory=dict)
    explained: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    links: Mapping[tuple[int, int], int] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Rolling:
    """Along one text: the middle word of each slice (s,), counted in words, distances from it to each author's mean
    text (s, authors), lower = nearer, the authors in order (s, up to 3), and ``size``, the words of a slice."""

    title: str
    middle: Ints
    authors: tuple[str, ...]
    distances: Floats
    ranking: tuple[tuple[str, ...], ...]
    size: int


@dataclass(frozen=True, eq=False)
class MapAnalysis:
    """The result of a map of many texts. ``settings`` are its pairs (culling in percent, number of words); ``features``
    counts the words of each view."""

    name: str
    spec: MapSpec
    texts: tuple[MapText, ...]
    settings: tuple[tuple[int, int], ...]
    views: tuple[MapView, MapView]
    scores: Mapping[str, tuple[GroupingScore, ...]]
    features: Mapping[str, int]
    rolling: tuple[Rolling, ...]
    kept_by: str
    notes: tuple[str, ...]
    frequencies: WordTable

    @cached_property
    def group(self) -> Labels:
        """The groups of the texts, by default their authors."""
        return Labels.of(t.group for t in self.texts)

    @property
    def noun(self) -> str:
        """What a group is called."""
        return self.spec.group_by or "author"


def preview_map(corpus: Any, spec: MapSpec, out: str) -> Preview:
    """Return what a map would show. Raises InputError if the corpus cannot be read."""
    documents = read_collection(corpus, spec.reading()).documents
    shown = draw_texts(documents, spec.texts, spec.seed)
    notes = (f"Raven would show {len(shown)} of {counted(len(documents), 'text')}.",)
    return Preview("map", out, {}, 0, 0, 0, notes)


def named_text(name: str, documents: Sequence[Document]) -> Document:
    """Return the text with this name, with or without its folder. InputError if there is none, or several."""
    matching = [d for d in documents if d.id == name] or [
        d for d in documents if PurePosixPath(d.id).name == name
    ]
    if len(matching) == 1:
        return matching[0]
    ids = [d.id for d in matching or documents]
    raise InputError(
        "rolling: several texts have this name" if matching else "rolling: text not found",
        found=name,
        expected="one of: " + first_names(ids) if matching else None,
        fix=(
            "give the name with its folder"
            if matching
            else did_you_mean(name, [*ids, *short_names(ids)])
        ),
    )


def short_names(ids: Sequence[str]) -> list[str]:
    """Return names of texts without the folders that all have in common."""
    folders = [PurePosixPath(one).parent.parts for one in ids]
    apart = (n for n, part in enumerate(zip(*folders, strict=False)) if len(set(part)) > 1)
    shared = next(apart, min(map(len, folders)))
    return ["/".join(one.split("/")[shared:]) for one in ids]


def draw_texts(documents: Sequence[Document], most: int, seed: int) -> list[Document]:
    """Draw at most a given number of texts: authors in random order, those with several texts first, at most ``EACH``
    texts of each."""
    if len(documents) <= most:
        return list(documents)
    rng = stream(seed, "map-texts")
    of: dict[str, list[int]] = {}
    for i, d in enumerate(documents):
        of.setdefault(d.author or f"\0{i}", []).append(i)
    order = sorted(rng.permutation(sorted(of)).tolist(), key=lambda author: len(of[author]) < 2)
    chosen: list[int] = []
    for author in order:
        chosen += sorted(rng.permutation(of[author])[:EACH].tolist())
    return [documents[i] for i in sorted(chosen[:most])]


def splicer_of(documents: Sequence[Document], function_words: int) -> Splicer:
    """Return the splicer that separates content words of these documents from at most a given number of other words."""
    table, rows = TextTable.collect(d.text for d in documents)
    first = [int(np.flatnonzero(rows == row)[0]) for row in range(len(table))]
    author, topic = (
        Labels.of(getattr(documents[i], label) for i in first).codes
        for label in ("author", "topic")
    )
    return Splicer(table, function_words, author, topic)


class _Material:
    """The words of the texts (samples), plain and masked, and their tables."""

    def __init__(
        self, spec: MapSpec, documents: Sequence[Document], group: Mapping[str, str | None]
    ) -> None:
        self.spec = spec
        self.notes = list[str]()
        words = [stylo_words(d.text, spec.corpus_lang, spec.preserve_case) for d in documents]
        least = max(FEWEST_WORDS, spec.sample_size if spec.sampling != "no" else 0)
        if short := [d.id for d, own in zip(documents, words, strict=True) if len(own) < least]:
            sizes = sorted(len(own) for own in words)
            spread = (
                f" to {sizes[-1]}, half have {sizes[len(sizes) // 2]}" if len(short) > 1 else ""
            )
            raise CorpusError(
                (
                    f"the text {short[0]} is too short"
                    if len(short) == 1
                    else (
                        f"{len(short):,} of {len(documents):,} texts are too short, the first:"
                        f" {', '.join(short[:3])}"
                    )
                ),
                found=f"{sizes[0]} words{spread}",
                expected=f"{least} or more"
                + (", the size of a sample" if least > FEWEST_WORDS else ""),
                fix=(
                    "leave it out"
                    if len(short) == 1
                    else "leave them out, or join short texts by the same author"
                )
                + (", or take smaller samples (--sample-size)" if least > FEWEST_WORDS else ""),
            )
        splicer = splicer_of(documents, spec.function_words)
        self.functions = splicer.functions
        self.kept_by = splicer.by
        kinds = spec.analyzed_features
        self.documents = documents
        self.units = [units_of(d.text, own, kinds) for d, own in zip(documents, words, strict=True)]
        pairs = zip(words, self.units, strict=True)
        self.masked = [masked(own, self.functions, units) for own, units in pairs]
        rng = stream(spec.seed, "map-samples")
        drop = pronouns(spec.corpus_lang) if spec.delete_pronouns else frozenset()
        if spec.delete_pronouns and not drop:
            raise InputError(
                f"Raven has no list of pronouns for corpus_lang {spec.corpus_lang}",
                fix="choose another language",
            )
        self.drop = drop
        self.texts: list[MapText] = []
        plain = list[Sequence[str]]()
        plain_words = list[Sequence[str]]()
        hidden = list[Sequence[str]]()
        for d, *versions in zip(documents, self.units, words, self.masked, strict=True):
            if spec.sampling == "random":
                # What is drawn stands in the text: n-grams are, and not words that n-grams are made of.
                versions = list(map(self.features, versions))
            places = range(len(versions[0]))
            cuts = samples_of(
                places,
                spec.sampling,
                spec.sample_size,
                spec.sample_overlap,
                spec.number_of_samples,
                rng,
            )
            for version, own in zip((plain, plain_words, hidden), versions, strict=True):
                # Characters are fewer where words are masked, and are taken from the same places.
                step = len(own) / len(places)
                version += [
                    own if cut is places else [own[int(i * step)] for i in cut] for cut in cuts
                ]
            for number, cut in enumerate(cuts, start=1):
                name = f"{d.id}_{number}" if spec.sampling != "no" else d.id
                self.texts.append(MapText(name, d.author, group[d.id], d.topic, len(cut)))
        if len(plain) < 3:
            raise CorpusError(
                "raven map needs at least three texts",
                found=counted(len(plain), "text"),
                fix=(
                    "compare two texts with raven compare" if len(plain) == 2 else "give more texts"
                ),
            )
        self.notes.append(hidden_sentence(hidden_share(plain_words, self.functions)))
        if spec.sampling != "random":
            plain, hidden = (list(map(self.features, texts)) for texts in (plain, hidden))
        cutoff = spec.mfw_list_cutoff
        self.tables = {ALL: table_of(plain, cutoff), MASKED: table_of(hidden, cutoff)}

    def features(self, words: Sequence[str]) -> Sequence[str]:
        """What is counted of a text's words, or of what stands for each."""
        return features_of(words, self.spec.analyzed_features, self.spec.ngram_size)

    def settings(self, title: str) -> dict[tuple[int, int], WordTable]:
        """The table of every setting (culling, words), in stylo's order."""
        tables: dict[tuple[int, int], WordTable] = {}
        for culling in self.spec.steps("culling"):
            table = self.tables[title].culled(culling, self.drop, self.spec.start_at)
            left = len(table.names)
            if left < 2 or (title == ALL and left < self.spec.mfw_min):
                raise CorpusError(
                    (
                        "culling leaves too few words"
                        if culling
                        else "the texts have too few different words"
                    ),
                    found=f"{left} words"
                    + (f" that occur in {culling:g} % of the texts" if culling else "")
                    + (" and stay when content is masked" if title == MASKED else ""),
                    expected=(
                        "two or more"
                        if title == MASKED
                        else f"{self.spec.mfw_min} or more (mfw_min)"
                    ),
                    fix=(
                        "lower --culling-max"
                        if culling
                        else (
                            "raise --mfw-list-cutoff, the number of words that Raven counts"
                            if left >= self.spec.mfw_list_cutoff - 1
                            else "lower --mfw-min, or give longer texts"
                        )
                    ),
                )
            for count in self.spec.steps("mfw"):
                # stylo stops at what is left; the mask leaves few, and the last picture is of all of them.
                if count <= left or title == MASKED:
                    tables[culling, min(count, left)] = table.first(count)
        return tables


def analyse_map(corpus: Any, spec: MapSpec, progress: Progress | None = None) -> MapAnalysis:
    """Compute a map. Raises InputError if the corpus or a setting cannot be used."""
    progress = shown_by_default(progress)
    read = read_collection(corpus, spec.reading())
    documents = read.documents
    group = dict(
        zip(
            (d.id for d in documents),
            read.column("group_by", spec.group_by or "author"),
            strict=True,
        )
    )
    shown = draw_texts(documents, spec.texts, spec.seed)
    if spec.rolling is not None:
        rolled = named_text(spec.rolling, documents)
        spec = structs.replace(spec, rolling=rolled.id)
        shown += [rolled] if rolled not in shown else []
    material = _Material(spec, shown, group)
    texts = tuple(material.texts)
    notes = [*material.notes, *(f"{one}." for one in read.notes)]
    if len(shown) < len(documents):
        notes.append(
            f"Raven shows {len(shown):,} of {len(documents):,} texts; it drew their authors at"
            " random (--texts)."
        )
    author, group_of, topic = (
        Labels.of(getattr(t, label) for t in texts).codes for label in ("author", "group", "topic")
    )
    views = list[MapView]()
    features = dict[str, int]()
    scores: dict[str, tuple[GroupingScore, ...]] = {}
    for title in (ALL, MASKED):
        tables = material.settings(title)
        view = _view(spec, title, tables, progress, views[0] if views else None)
        views.append(view)
        features[title] = len(view.words)
        progress("how much is topic", len(scores), 3)
        scores[title] = tuple(
            grouping(
                view.distances, group_of, topic, partial(cut_into, view.tree), spec.seed, author
            )
        )
    last = list(material.settings(ALL).values())[-1]
    fewer = last.first(len(views[1].words))
    same = distances(spec.distance_measure, prepared(spec.distance_measure, fewer.frequencies))
    features[AS_MANY] = len(fewer.names)
    scores[AS_MANY] = tuple(
        grouping(
            same, group_of, topic, partial(cut_into, tree_of(same, spec.linkage)), spec.seed, author
        )
    )
    if len(last.names) < spec.steps("mfw")[-1]:
        notes.append(
            f"Only {len(last.names):,} words are available of the {spec.steps('mfw')[-1]:,} wanted"
            " (mfw_max)."
        )
    if short := sum(t.words < ADVISED for t in texts):
        notes.append(
            f"{short:,} of {len(texts):,} texts have fewer than {ADVISED:,} words, so their places"
            " are uncertain."
        )
    along = () if spec.rolling is None else _roll(spec, material)
    return MapAnalysis(
        read.name,
        spec,
        texts,
        tuple(material.settings(ALL)),
        (views[0], views[1]),
        scores,
        features,
        along,
        material.kept_by,
        tuple(notes),
        material.tables[ALL],
    )


def _view(
    spec: MapSpec,
    title: str,
    tables: Mapping[tuple[int, int], WordTable],
    progress: Progress,
    first: MapView | None,
) -> MapView:
    """All that some words show; places are turned to lie as near as they can to those of the ``first`` view."""
    measure = spec.distance_measure
    pictures = spec.pictures
    rows = {setting: prepared(measure, table.frequencies) for setting, table in tables.items()}
    matrices = {setting: distances(measure, own) for setting, own in rows.items()}
    final = list(matrices.values())[-1]
    last = list(tables.values())[-1]
    if "BCT" in pictures:
        rng = stream(spec.seed, "map-resamples")
        each = list(rows.values())

        def drawn() -> Any:
            for number in range(spec.resamples):
                progress(f"trees, {title}", number, spec.resamples)
                own = each[number % len(each)]
                columns = rng.integers(own.shape[1], size=own.shape[1])
                yield tree_of(distances(measure, own[:, columns]), spec.linkage)

        clusters = consensus(
            (tree_of(m, spec.linkage) for m in matrices.values()), drawn(), spec.consensus_strength
        )
    else:
        clusters = []
    places = {}
    explained = {}
    for name in pictures:
        if name in ("MDS", "NMDS", "PCV", "PCR", "tSNE"):
            progress(f"places, {title}", 0, 0)
            own, shares = places_of(name, final, last.frequencies, spec.seed)
            places[name] = own if first is None else _turned(own, first.places[name])
            if shares is not None:
                explained[name] = shares
    links = _links(matrices.values(), spec.linked_neighbors) if "network" in pictures else {}
    tree = tree_of(final, spec.linkage)
    return MapView(title, last.names, final, tree, tuple(clusters), places, explained, links)


def places_of(
    name: str, matrix: Floats, frequencies: Floats, seed: int
) -> tuple[Floats, tuple[float, float] | None]:
    """Return places in two dimensions (n, 2), with the larger side of each axis positive, and the variance explained
    (PCA)."""
    if name in ("PCV", "PCR"):
        centred = frequencies - frequencies.mean(axis=0)
        left, size, _ = np.linalg.svd(
            prepared("delta", frequencies) if name == "PCR" else centred, full_matrices=False
        )
        share = size**2 / max(float((size**2).sum()), 1e-300)
        return _signed(left[:, :2] * size[:2]), (float(share[0]), float(share[1]))
    if name == "tSNE":
        from sklearn.manifold import TSNE

        perplexity = min(30.0, (len(matrix) - 1) / 3)
        model = TSNE(
            metric="precomputed",
            init="random",
            perplexity=perplexity,
            random_state=seed,
            learning_rate="auto",
        )
        return _signed(np.asarray(model.fit_transform(matrix), dtype=np.float64)), None
    centre = np.eye(len(matrix)) - 1 / len(matrix)
    values, vectors = np.linalg.eigh(-0.5 * centre @ matrix**2 @ centre)
    classical = _signed(vectors[:, ::-1][:, :2] * np.sqrt(np.maximum(values[::-1][:2], 0)))
    if name == "MDS" or not matrix.any():
        return classical, None
    from sklearn.manifold import smacof

    places, _ = smacof(
        matrix, metric=False, n_components=2, init=classical, n_init=1, random_state=seed
    )
    return _signed(np.asarray(places)), None


def _signed(places: Floats) -> Floats:
    """Places whose axes point to their farther end."""
    far = np.abs(places).argmax(axis=0)
    return np.asarray(places * np.where(places[far, np.arange(2)] < 0, -1, 1))


def _turned(places: Floats, to: Floats) -> Floats:
    """Places turned and mirrored towards others; their sizes stay."""
    from scipy.linalg import orthogonal_procrustes

    centred = places - places.mean(axis=0)
    return np.asarray(centred @ orthogonal_procrustes(centred, to - to.mean(axis=0))[0])


def _links(matrices: Any, count: int) -> dict[tuple[int, int], int]:
    """Weights of links: in every setting the nearest text gets ``count``, the next one less; both ways are added."""
    weights: Counter[tuple[int, int]] = Counter()
    for matrix in matrices:
        away = matrix + np.diag(np.full(len(matrix), np.inf))
        for i, order in enumerate(
            np.argsort(away, axis=1, kind="stable")[:, : min(count, len(matrix) - 1)]
        ):
            for rank, j in enumerate(order.tolist()):
                weights[min(i, j), max(i, j)] += count - rank
    return dict(sorted(weights.items()))


def _roll(spec: MapSpec, material: _Material) -> tuple[Rolling, ...]:
    """Rolling attribution of one text to the authors of all others, of all words and masked."""
    ids = [d.id for d in material.documents]
    place = ids.index(str(spec.rolling))
    words = material.units[place]
    size = spec.slice_size
    overlap = spec.slice_overlap if spec.slice_overlap is not None else size - max(1, size // 10)
    if len(words) < size:
        raise CorpusError(
            f"the text {spec.rolling} is shorter than a slice",
            found=f"{len(words)} words",
            expected=f"{size} or more",
            fix="take shorter slices (--slice-size)",
        )
    others = [i for i, d in enumerate(material.documents) if i != place and d.author is not None]
    authors = [str(material.documents[i].author) for i in others]
    names = tuple(sorted(set(authors)))
    if len(names) < 2:
        raise CorpusError(
            "rolling needs at least two other authors", found=", ".join(names) or "none"
        )
    member = np.array([[a == name for name in names] for a in authors], dtype=np.float64)
    middle = size // 2 + (size - overlap) * np.arange((len(words) - overlap) // (size - overlap))
    rolled = []
    for title in (ALL, MASKED):
        units = material.units if title == ALL else material.masked
        slices = samples_of(units[place], "normal", size, overlap, 0, np.random.default_rng(0))
        every = [units[i] for i in others] + slices
        features = list(map(material.features, every))
        table = table_of(features, spec.mfw_list_cutoff, features[: len(others)])
        known = WordTable(table.names, table.frequencies[: len(others)])
        stays = set(
            known.culled(spec.steps("culling")[-1], material.drop, spec.start_at)
            .first(spec.steps("mfw")[-1])
            .names
        )
        columns = [i for i, name in enumerate(table.names) if name in stays]
        chosen = table.frequencies[:, columns]
        rows = prepared(spec.distance_measure, chosen, chosen[: len(others)])
        texts = rows[: len(others)]
        along = rows[len(others) :]
        to_texts = distances(spec.distance_measure, along, texts)
        means = (member / member.sum(axis=0)).T @ texts
        if spec.classification_method == "svm":
            order = _by_svm(texts, authors, along, names)
        else:
            order = np.array(
                [
                    [to_texts[s][member[:, a] > 0].min() for a in range(len(names))]
                    for s in range(len(along))
                ]
            )
        ranking = tuple(
            tuple(names[a] for a in np.argsort(one, kind="stable")[:3]) for one in order
        )
        to_means = distances(spec.distance_measure, along, means)
        rolled.append(Rolling(title, middle.astype(np.int64), names, to_means, ranking, size))
    return tuple(rolled)


def _by_svm(texts: Floats, authors: Sequence[str], slices: Floats, names: Sequence[str]) -> Floats:
    """Minus the votes of a linear support vector machine for each author, (slices, authors)."""
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import SVC

    model = OneVsRestClassifier(SVC(kernel="linear")).fit(texts, authors)
    values = np.asarray(model.decision_function(slices)).reshape(len(slices), -1)
    values = np.hstack([-values, values]) if values.shape[1] == 1 else values
    return -values[:, [list(model.classes_).index(name) for name in names]]
