"""O2D2: AdHominem with Bayes factor scoring, uncertainty adaptation and an out-of-distribution detector."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from torch import nn

from ravenbench.errors import CorpusError, SpecError
from ravenbench.ext.encoders import devices
from ravenbench.ext.encoders.batching import distinct
from ravenbench.ext.shelf.neural.authors import (
    DrawnPairs,
    Written,
    balanced,
    calibration_apart,
    pairs,
    repaired,
    written,
)
from ravenbench.ext.shelf.neural.o2d2_network import AdHominem, NetworkSizes, O2D2Network, judged
from ravenbench.ext.shelf.neural.training import (
    Epoch,
    Settings,
    TrainedNetwork,
    arrays,
    fill,
    train,
    training_folder,
    training_spec,
)
from ravenbench.randomness import stream
from ravenbench.text.tokens import frequent, tokens
from ravenbench.types import Bools, Floats, Ints, Positive, Problems
from ravenbench.verifiers.contract.base import Verifier, mean_by_problem

WINDOW, HOP, SPELLING = 30, 26, 15
PAD, UNKNOWN, FIRST = 0, 1, 2
"""Numbers of words and characters below ``FIRST`` stand for none and for any other."""

_QUOTES = str.maketrans({**dict.fromkeys("“”„«»‟", '"'), **dict.fromkeys("‘’‚‛`´", "'")})
_RUN = re.compile(r"([^\d\s])\1{3,}")


def units(text: str) -> list[str]:
    """Tokens, case intact: quotes made alike, a character repeated more than three times only three times."""
    return tokens(_RUN.sub(r"\1\1\1", text.translate(_QUOTES).replace("\ufeff", "")))


@dataclass(frozen=True)
class Vocabulary:
    """Frequent words and characters; their numbers begin at ``FIRST``."""

    words: list[str]
    characters: list[str]

    @classmethod
    def of(cls, documents: Iterable[Sequence[str]], words: int, characters: int) -> Vocabulary:
        """The most frequent words and characters of the training documents, ties by code point."""
        counts: Counter[str] = Counter()
        for document in documents:
            counts.update(document)
        letters: Counter[str] = Counter()
        for word, count in counts.items():
            for letter in word:
                letters[letter] += count
        return cls(frequent(counts, words), frequent(letters, characters))


@dataclass(frozen=True)
class NumberedDocuments:
    """Documents in numbers.

    Attributes
    ----------
    word : (types,) int64
        Word number of each distinct token; type 0 is padding.
    spelling : (types, 15) int64
        Its characters.
    windows : list of (windows, 30) int64
        Types of each document, in windows that begin 26 tokens apart.
    lengths : list of (windows,) int64
        Tokens in each window: 30 but in a document's last. Never 0: an empty text has one unknown token.
    tokens : (documents,) int64
    """

    word: Ints
    spelling: Ints
    windows: list[Ints]
    lengths: list[Ints]
    tokens: Ints


def read(documents: Sequence[Sequence[str]], vocabulary: Vocabulary, most: int | None = None) -> NumberedDocuments:
    """Number the tokens of documents; the first ``most`` windows of each, or all."""
    word = {w: FIRST + i for i, w in enumerate(vocabulary.words)}
    letter = {c: FIRST + i for i, c in enumerate(vocabulary.characters)}
    types: dict[str, int] = {}
    windows, lengths = [], []
    for document in documents:
        cut = document if most is None else document[: WINDOW + (most - 1) * HOP]
        numbers = np.array([types.setdefault(token, 1 + len(types)) for token in cut or [""]], dtype=np.int64)
        count = 1 + max(0, -(-(len(numbers) - WINDOW) // HOP))
        place = HOP * np.arange(count)[:, None] + np.arange(WINDOW)
        padded = np.concatenate([numbers, np.zeros(WINDOW, dtype=np.int64)])
        inside = place < len(numbers)
        windows.append(np.where(inside, padded[np.minimum(place, len(numbers))], PAD))
        lengths.append(inside.sum(axis=1).astype(np.int64))
    spelling = np.zeros((1 + len(types), SPELLING), dtype=np.int64)
    for token, row in types.items():
        codes = [letter.get(c, UNKNOWN) for c in token[:SPELLING]]
        spelling[row, : len(codes)] = codes
    known = np.array([PAD, *(word.get(token, UNKNOWN) for token in types)], dtype=np.int64)
    return NumberedDocuments(known, spelling, windows, lengths, np.array([len(d) for d in documents], dtype=np.int64))


_WINDOW = 5
_SMOOTHING = 0.75


def word_vectors(documents: Sequence[Ints], words: int, size: int, first: int = 0) -> Floats:
    """Vectors of unit mean square, shape (words, size).

    Parameters
    ----------
    documents : sequence of (n,) int64
        Word numbers in order.
    words : int
        Numbers run from 0.
    size : int
        What the texts do not suffice for is 0.
    first : int
        Smaller numbers (padding, unknown words) get no vector.

    References
    ----------
    Levy, Goldberg & Dagan 2015, Improving distributional similarity with lessons learned from word embeddings.
    """
    from scipy.sparse import coo_array
    from sklearn.utils.extmath import randomized_svd

    left, right = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for document in documents:
        for distance in range(1, _WINDOW + 1):
            left.append(document[:-distance])
            right.append(document[distance:])
    a, b = np.concatenate(left), np.concatenate(right)
    common = (a >= first) & (b >= first)
    a, b = np.concatenate([a[common], b[common]]), np.concatenate([b[common], a[common]])
    vectors = np.zeros((words, size))
    counts = coo_array((np.ones(len(a)), (a, b)), shape=(words, words)).tocsr().tocoo()
    if counts.nnz == 0:
        return vectors
    total: Floats = np.asarray(counts.sum(axis=1)).ravel()
    context = total**_SMOOTHING / (total**_SMOOTHING).sum()
    information = np.log(counts.data / (total[counts.row] * context[counts.col]))
    shape = counts.shape
    positive = coo_array((np.maximum(information, 0), (counts.row, counts.col)), shape=shape).tocsr()
    rank = min(size, words)
    u, s, _ = randomized_svd(positive, rank, random_state=0)
    occurs = total > 0
    vectors[occurs, :rank] = (u * np.sqrt(s))[occurs]
    scale = np.sqrt((vectors[occurs] ** 2).mean())
    return np.asarray(vectors / scale if scale > 0 else vectors)


_TYPES, _WINDOWS, _DOCUMENTS = 512, 64, 16


def embeddings(model: AdHominem, reading: NumberedDocuments, device: torch.device) -> Floats:
    """Embeddings of all documents of a reading, (documents, embedding), whatever documents stand beside them.

    Windows and documents are computed beside others of their very length, in blocks of one size filled up with copies:
    no padding is seen by a kernel, and the shape of a block never depends on what is in it. Where in its block a
    document stands does depend on its neighbours, and some kernels round rows at the edge of a block differently. With
    an even ``hidden``, as in the default and the published sizes, embeddings agree to the last bit on the processors
    tried; with an odd one they agree to about 1e-7.
    """
    if not reading.windows:
        return np.zeros((0, model.metric.out_features))
    lengths, tokens = np.concatenate(reading.lengths), np.concatenate(reading.windows)
    counts = np.array([len(w) for w in reading.windows], dtype=np.int64)
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    word, spelling = (torch.from_numpy(a).to(device) for a in (reading.word, reading.spelling))
    with devices.inferring(device, "windows or hidden"):
        model.eval()
        types = _collected(
            [(rows, model.types(word[rows], spelling[rows])[:n]) for rows, n, _ in _blocks(np.zeros(len(word)), _TYPES)]
        )
        windows = _collected(
            [
                (rows, model.windows(types[tokens[rows][:, :length]], torch.full((_WINDOWS,), length))[:n])
                for rows, n, length in _blocks(lengths, _WINDOWS)
            ]
        )
        vectors = _collected(
            [
                (rows, model.documents(windows[first[rows][:, None] + np.arange(c)], torch.full((_DOCUMENTS,), c))[:n])
                for rows, n, c in _blocks(counts, _DOCUMENTS)
            ]
        )
    return np.asarray(vectors.double().cpu().numpy())


def _blocks(lengths: Ints | Floats, size: int) -> Iterator[tuple[Ints, int, int]]:
    """Rows of equal length, ``size`` at a time (the last one repeated), how many of them count, and the length."""
    for length in np.unique(lengths).tolist():
        members = np.flatnonzero(lengths == length).astype(np.int64)
        for start in range(0, len(members), size):
            rows = members[start : start + size]
            yield np.concatenate([rows, np.repeat(rows[-1:], size - len(rows))]), len(rows), int(length)


def _collected(parts: list[tuple[Ints, torch.Tensor]]) -> torch.Tensor:
    total = sum(len(values) for _, values in parts)
    whole = parts[0][1].new_empty((total, parts[0][1].shape[1]))
    for rows, values in parts:
        whole[rows[: len(values)]] = values
    return whole


_UNSURE = 0.3, 0.7
_SAME, _CROSSING, _WITHIN = 0.95, 0.95, 0.7
_BATCH = 30


class PairDetector(nn.Sequential):
    """Log-odds that a pair is undecidable, from what ``O2D2Network.judged`` shows of it.

    References
    ----------
    Boenninghoff, Nickel & Kolossa 2021, O2D2: Out-of-distribution detector to capture undecidable trials in
    authorship verification (PAN at CLEF).
    """

    def __init__(self, size: int) -> None:
        layers: list[nn.Module] = []
        for inputs, outputs in ((size, 60), (60, 30)):
            layers += [nn.Linear(inputs, outputs), nn.Tanh(), nn.Dropout(0.25)]
        super().__init__(*layers, nn.Linear(30, 1))


def undecidable(p: Floats, same: Bools) -> Bools:
    """What the detector learns to find: wrong answers, and those from .3 to .7."""
    return np.asarray(((p > 0.5) != same) | ((p >= _UNSURE[0]) & (p <= _UNSURE[1])), dtype=bool)


def detector_batches(
    calibration: Written, judge: Callable[[DrawnPairs], tuple[Floats, Floats]], seed: int
) -> Callable[[int], list[tuple[Floats, Bools]]]:
    """Batches of an epoch: what is seen of freshly drawn calibration pairs, and whether they are undecidable.

    ``judge``: probabilities (n,) and what is seen (n, f) of pairs.
    """

    def batches(epoch: int) -> list[tuple[Floats, Bools]]:
        pairs = repaired(calibration, stream(seed, "detector-pairs", epoch), _SAME, _CROSSING, _WITHIN)
        pairs = balanced(pairs, calibration)
        p, features = judge(pairs)
        target = undecidable(p, pairs.same)
        cuts = range(_BATCH, len(p), _BATCH)
        return list(zip(np.split(features, cuts), np.split(target, cuts), strict=True))

    return batches


def detector_loss(detector: PairDetector, features: Floats, target: Bools) -> torch.Tensor:
    """Cross-entropy of the detector's odds over a batch."""
    weight = next(detector.parameters())
    inputs = torch.from_numpy(features).to(weight)
    odds = detector(inputs).squeeze(1).float()
    return nn.functional.binary_cross_entropy_with_logits(odds, torch.from_numpy(target).to(odds))


def suspicion(weights: dict[str, np.ndarray], features: Floats) -> Floats:
    """Probability that a pair is undecidable, (n,), by the weights of a detector; in double precision on the CPU."""
    detector = PairDetector(features.shape[1])
    fill(detector, weights)
    detector.double().eval()
    with devices.inferring(torch.device("cpu")):
        return np.asarray(torch.sigmoid(detector(torch.from_numpy(features))).squeeze(1).numpy())


_CLIPPED: dict[str, Any] = {"warmup": 0.0, "clip": 5.0, "clip_each": True}


def begin_words(network: O2D2Network, reading: NumberedDocuments) -> None:
    """Give the network the word vectors its training texts suggest."""
    words = network.encoder.words.weight
    texts = [reading.word[_running(windows)] for windows in reading.windows]
    types, width = words.shape
    words.data.copy_(torch.from_numpy(word_vectors(texts, types, width, FIRST)))


def train_network(
    options: O2D2,
    network: O2D2Network,
    learn: tuple[NumberedDocuments, Written],
    held_out: tuple[NumberedDocuments, Written],
    device: torch.device,
    spec: dict[str, Any],
    folder: Path,
) -> list[Epoch]:
    """Train in place on the documents ``learn``; the best epoch is judged by pairs of ``held_out``."""
    reading, documents = learn
    a, b, truth = pairs(held_out[1])

    def batches(epoch: int) -> list[tuple[DrawnPairs, int]]:
        pairs = repaired(documents, stream(options.seed, "o2d2-pairs", epoch))
        cuts = range(0, len(pairs.same), options.batch)
        return [(pairs.select(np.arange(c, min(c + options.batch, len(pairs.same)))), epoch) for c in cuts]

    def loss(batch: tuple[DrawnPairs, int]) -> torch.Tensor:
        pairs, epoch = batch
        rows = np.concatenate([pairs.a, pairs.b])
        spans = [_span(reading, int(row), epoch, options.windows, options.seed) for row in rows]
        windows = np.concatenate([reading.windows[row][span] for row, span in zip(rows, spans, strict=True)])
        lengths = np.concatenate([reading.lengths[row][span] for row, span in zip(rows, spans, strict=True)])
        types, inverse = np.unique(windows, return_inverse=True)
        parts = (reading.word[types], reading.spelling[types], inverse.reshape(windows.shape))
        word, spelling, index = (torch.from_numpy(part).to(device) for part in parts)
        counts = torch.tensor([span.stop - span.start for span in spans])
        pair = torch.arange(len(pairs.same), device=device).repeat(2)
        y = network.encoder(word, spelling, index, torch.from_numpy(lengths), counts, pair)
        return network.loss(y.float(), torch.from_numpy(pairs.same).to(device))

    def likelihood() -> float:
        y = embeddings(network.encoder, held_out[0], device)
        p, _ = judged(network, y[a], y[b])
        each = np.log(np.maximum(np.where(truth, p, 1 - p), 1e-12))
        return float(each[truth].mean() + each[~truth].mean()) / 2

    return train(
        network, batches, loss, Settings.of(options, **_CLIPPED, final=1 / 3), device=device,
        held_out=likelihood if len(a) else None, spec={**spec, "part": "network"}, folder=folder, name="training o2d2",
    )  # fmt: skip


def train_detector(
    options: O2D2,
    network: O2D2Network,
    calibration: tuple[NumberedDocuments, Written],
    device: torch.device,
    spec: dict[str, Any],
    folder: Path,
) -> tuple[PairDetector, list[Epoch]]:
    """The detector of a trained network, from documents its training never saw."""
    y: Floats = embeddings(network.encoder, calibration[0], device)
    with devices.controlled(options.seed, device, options.deterministic):
        detector = PairDetector(2 * options.embedding + 4).to(device)
    batches = detector_batches(calibration[1], lambda pairs: judged(network, y[pairs.a], y[pairs.b]), options.seed)
    settings = Settings.of(
        options, **_CLIPPED, epochs=options.detector_epochs, learning_rate=1e-3, final=0.7, patience=0
    )
    history = train(
        detector, batches, lambda batch: detector_loss(detector, *batch), settings, device=device,
        spec={**spec, "part": "detector"}, folder=folder, name="training o2d2's detector",
    )  # fmt: skip
    return detector, history


def _span(reading: NumberedDocuments, row: int, epoch: int, most: int, seed: int) -> slice:
    """What is read of a document in an epoch: of one that is too long the beginning, or as often any part."""
    spare = len(reading.windows[row]) - most
    if spare <= 0:
        return slice(0, len(reading.windows[row]))
    rng = stream(seed, "o2d2-span", epoch, row)
    start = int(rng.integers(spare + 1)) if rng.random() < 0.5 else 0
    return slice(start, start + most)


def _running(windows: Ints) -> Ints:
    """Types of a document in order, overlaps once."""
    flat = np.concatenate([windows[:-1, :26].ravel(), windows[-1]])
    return np.asarray(flat[flat > 0])


@dataclass(eq=False, repr=False)
class O2D2(TrainedNetwork, Verifier):
    """Probability that two texts share their author, or 0.5 where a detector finds a pair undecidable.

    Also called: Siamese network.

    Sizes published: ``vectors=300, hidden=50, windows=210, epochs=35, learning_rate=6e-4, shortest=100``, on 276,000
    pairs. The defaults are ours, for some thousand documents on a CPU. Ours too: word vectors begin as factorised
    mutual information of the training texts where the original had fastText's; weights are those of the epoch with the
    best log-likelihood of held-out authors' pairs (either class weighing the same); several known documents are
    averaged; the branch that learns topics, which does not shape authorship embeddings, is left out. The constant of
    the Bayes factor is the model's (see ``bayes_factor``).

    Training documents are paired anew every epoch, each once. The detector learns on documents whose authors and, where
    topics are known, topics occur nowhere in training (those the planner marked for calibration, if any).

    Expensive, more than an hour of a core for a default run on newsgroups (``docs/scale.md``): a network and a
    detector are trained anew on every training set.

    Parameters
    ----------
    words, characters : int
        Sizes of the vocabularies.
    vectors, hidden, embedding : int
        Dimensions of word vectors, recurrent units a direction, and dimensions of the embedding.
    windows : int
        Most windows of 30 tokens read of a document.
    shortest : int
        Documents of fewer tokens are not trained on.
    epochs, batch, accumulate, learning_rate, patience
        How the network is trained; ``batch`` counts pairs. Training ends when held-out authors gained nothing for
        ``patience`` epochs (0: never).
    detector_epochs : int
        How long the detector is trained; with 0 there is none and every pair is answered.
    held_out, calibration : float
        Share of authors for early stopping; of topics (or authors) for the detector.
    precision : {"auto", "fp32", "bf16"}
        Of training.
    deterministic : bool
        Use kernels that give the same numbers every time.
    device : str
        auto, cpu, cuda or cuda:NUMBER.
    seed : int
        Decides initial weights, held-out authors and the pairs of every epoch.

    Attributes
    ----------
    weights_, detector_ : dict of str to float32 array
    vocabulary_ : Vocabulary
    apart_ : str
        What training and calibration documents do not share: ``authors and topics`` or ``authors``.
    history_, detector_history_ : list of Epoch

    References
    ----------
    Boenninghoff, Nickel & Kolossa 2021, O2D2: Out-of-distribution detector to capture undecidable trials in
    authorship verification (PAN at CLEF); Boenninghoff, Rupp, Nickel & Kolossa 2020, Deep Bayes factor scoring.
    """

    name = "o2d2"
    measure = "log-likelihood, held-out authors"

    words: int = 5000
    characters: int = 300
    vectors: int = 64
    hidden: int = 32
    embedding: int = 60
    windows: int = 40
    shortest: int = 30
    epochs: int = 35
    batch: int = 20
    accumulate: int = 1
    learning_rate: Positive = 2e-3
    patience: int = 10
    detector_epochs: int = 60
    held_out: float = 0.1
    calibration: float = 0.2
    precision: str = "auto"
    deterministic: bool = True
    device: str = "auto"
    seed: int = 0

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Train the network, then the detector.

        SpecError if a size or a share is out of range. CorpusError if too few authors have two documents.
        """
        self._check()
        device = devices.pick(self.device)
        devices.precision(self.precision, device)
        known = written(problems, same)
        documents = [units(problems.texts[row]) for row in known.documents]
        long = np.array([len(d) >= self.shortest for d in documents])
        if (np.bincount(known.author[long], minlength=1) > 1).sum() < 4:
            raise CorpusError(
                "too few authors to train o2d2 on", found=f"{int(long.sum())} documents of {self.shortest} tokens",
                expected="four authors of two such documents", fix="lower shortest, or give it more problems",
            )  # fmt: skip
        learn, to_calibrate, self.apart_ = calibration_apart(known.select(long), problems, self.calibration, self.seed)
        place = np.full(len(problems.texts), -1)
        place[known.documents] = np.arange(len(documents))
        learn, held_documents = learn.split(self.held_out, self.seed)
        learn_texts, held_out_texts, others = (
            [documents[i] for i in place[part.documents]] for part in (learn, held_documents, to_calibrate)
        )
        self.vocabulary_ = Vocabulary.of(learn_texts, self.words, self.characters)
        spec = training_spec(self, problems, same)
        self._folder = training_folder(spec)
        reading = read(learn_texts, self.vocabulary_)
        with devices.controlled(self.seed, device, self.deterministic), devices.memory("batch", device):
            network = self._network().to(device)
            begin_words(network, reading)
        held_out = read(held_out_texts, self.vocabulary_, self.windows), held_documents
        self.history_: list[Epoch] = train_network(
            self, network, (reading, learn), held_out, device, spec, self._part("network")
        )
        self.weights_ = arrays(network)
        self.detector_: dict[str, np.ndarray] = {}
        self.detector_history_: list[Epoch] = []
        if self.detector_epochs:
            calibration = read(others, self.vocabulary_, self.windows), to_calibrate
            detector, self.detector_history_ = train_detector(
                self, network, calibration, device, spec, self._part("detector")
            )
            self.detector_ = arrays(detector)
        return self

    def _check(self) -> None:
        least = {"words": 1, "characters": 1, "vectors": 1, "hidden": 1, "embedding": 1, "windows": 1, "batch": 1,
                 "accumulate": 1, "epochs": 0, "detector_epochs": 0}  # fmt: skip
        wrong = [f"{name}={getattr(self, name)}" for name, low in least.items() if getattr(self, name) < low]
        wrong += [f"{n}={getattr(self, n)}" for n in ("held_out", "calibration") if not 0 <= getattr(self, n) < 1]
        if wrong:
            raise SpecError("o2d2 cannot be built so", found=", ".join(wrong), expected="sizes above 0, shares below 1")

    def verify(self, problems: Problems) -> Floats:
        device = devices.pick(self.device)
        network = self._network()
        fill(network, self.weights_)
        network.to(device)
        empty: list[bool] = []

        def encode(texts: list[str]) -> Floats:
            reading = read([units(text) for text in texts], self.vocabulary_, self.windows)
            empty.extend((reading.tokens == 0).tolist())
            return embeddings(network.encoder, reading, device)

        y, known, questioned = distinct(problems, encode)
        p, features = judged(network, y[known], y[questioned])
        answers = mean_by_problem(p, problems)
        answers[answers == 0.5] = np.nextafter(0.5, 1)
        if self.detector_:
            answers[mean_by_problem(suspicion(self.detector_, features), problems) >= 0.5] = 0.5
        unread = np.array(empty, dtype=bool)
        answers[mean_by_problem((unread[known] | unread[questioned]).astype(np.float64), problems) > 0] = 0.5
        self._forget("network", "detector")
        return np.clip(answers, 0.0, 1.0)

    def _sizes(self) -> NetworkSizes:
        vocabulary = self.vocabulary_
        counts = (FIRST + len(vocabulary.words), FIRST + len(vocabulary.characters))
        return NetworkSizes(*counts, self.vectors, self.hidden, self.embedding)

    def _network(self) -> O2D2Network:
        with torch.random.fork_rng(devices=[]):
            return O2D2Network(self._sizes())
