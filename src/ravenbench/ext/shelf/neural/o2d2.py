"""Verifies by O2D2 (``O2D2``, Boenninghoff et al. 2021): a network, Bayes factors, and a detector of undecidable pairs.

In: ``Problems`` (n) and, for ``fit``, their truth (n,) bool, True = same author; for ``read`` texts and
vocabularies; for ``log_bayes_factor`` vectors (n, d) and a model; for ``paired`` documents by author, and topics.
Out: answers (n,), 0 to 1, higher = same author, 0.5 = unanswered: if the detector finds a pair undecidable, or a
text is empty. ``log_bayes_factor`` in nats (n,); ``paired`` places of two documents (n, 2), and truth (n,).
SpecError for sizes out of range, CorpusError for too few authors.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain, count
from typing import Self, TypeAlias

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

from ravenbench.ext.encoders import devices
from ravenbench.ext.encoders.batching import distinct
from ravenbench.ext.shelf.neural.training import (
    TrainedNetwork,
    TrainingSettings,
    Written,
    arrays,
    fill,
    pairs,
    train,
    training_folder,
    training_spec,
    written,
)
from ravenbench.metrics.pan import auc_of_scores
from ravenbench.randomness import stream
from ravenbench.text.tokens import frequent, tokens
from ravenbench.types import Bools, Floats, Ints, Positive, Problems, Share, Size
from ravenbench.verifiers.contract.base import Verifier, mean_by_problem

WINDOW = 30
HOP = 26
SPELLING = 15
"""Tokens of a window, tokens from the beginning of one window to the next, and characters read of a token."""
OUTSIDE = ["", " "]
"""The words and characters with the numbers 0 and 1: none, and any other."""


@dataclass(frozen=True)
class Reading:
    """Documents as numbers.

    Attributes
    ----------
    word : (types,) int64
        Word number of each distinct token; type 0 means none.
    spelling : (types, 15) int64
        Numbers of its characters.
    windows : list of (windows, 30) int64
        Types of each document; the last window is filled up from the document's beginning.
    """

    word: Ints
    spelling: Ints
    windows: list[Ints]


def read(texts: list[str], words: list[str], characters: list[str], most: int) -> Reading:
    """Number the tokens of texts, in ``most`` windows each."""
    known, letter = (
        {unit: i for i, unit in enumerate(OUTSIDE + units)} for units in (words, characters)
    )
    documents = [tokens(text) or [""] for text in texts]
    types = dict(zip(dict.fromkeys(chain([""], *documents)), count(), strict=False))
    spelling = [
        [letter.get(c, 1) for c in token[:SPELLING]] + [0] * (SPELLING - len(token))
        for token in types
    ]
    windows = []
    for document in documents:
        numbers = np.array([types[token] for token in document])
        starts = np.arange(0, max(1, len(numbers) - WINDOW + HOP), HOP)[:most]
        windows.append(numbers[(starts[:, None] + np.arange(WINDOW)) % len(numbers)])
    word = np.array([known.get(token, 1) for token in types])
    return Reading(word, np.array(spelling), windows)


def word_vectors(reading: Reading, words: int, size: int) -> Floats:
    """Return vectors (words, at most size) of mean square 1: positive mutual information within windows, factorised.

    References
    ----------
    Levy, Goldberg and Dagan 2015, Improving distributional similarity with lessons learned from word embeddings.
    """
    from scipy.sparse import coo_array
    from sklearn.utils.extmath import randomized_svd

    numbers = reading.word[np.concatenate(reading.windows)]
    window = np.repeat(np.arange(len(numbers)), WINDOW)
    ones = np.ones(numbers.size)
    counts = coo_array((ones, (numbers.ravel(), window)), shape=(words, len(numbers))).tocsr()
    shared = (counts @ counts.T).tocoo()
    total = shared.sum(axis=1)
    chance = total[shared.row] * total[shared.col] / total.sum()
    shared.data = np.log(shared.data / chance).clip(0)
    vectors, values, _ = randomized_svd(shared.tocsr(), size, random_state=0)
    vectors = vectors * np.sqrt(values)
    return np.asarray(vectors / np.sqrt((vectors**2).mean()))


Shared: TypeAlias = torch.Tensor | None
"""The pair (n,) of each row, which shares one dropout; None if nothing is dropped."""


def dropped(x: torch.Tensor, share: float, pair: Shared) -> torch.Tensor:
    """Apply dropout to rows (n, …, features) by one mask for each pair, constant over time; none without ``pair`` (n,)."""
    if pair is None:
        return x
    mask = nn.functional.dropout(x.new_ones(len(x), x.shape[-1]), share)[pair]
    return x * (mask if x.dim() == 2 else mask[:, None])


class Attentive(nn.Module):
    """A bidirectional LSTM whose states are averaged by attention exp(vᵀ tanh(Wh + b)), padding left out."""

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.recurrent = nn.LSTM(inputs, hidden, batch_first=True, bidirectional=True)
        self.attention = nn.Sequential(
            nn.Linear(2 * hidden, 2 * hidden), nn.Tanh(), nn.Linear(2 * hidden, 1, bias=False)
        )

    def forward(self, x: torch.Tensor, lengths: torch.Tensor, pair: Shared) -> torch.Tensor:
        """Turn sequences (n, t, inputs) of these lengths (n,), on the CPU, into vectors (n, 2 hidden)."""
        if lengths.min() == x.shape[1]:
            states = self.recurrent(x)[0]
        else:
            packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
            states = pad_packed_sequence(self.recurrent(packed)[0], batch_first=True)[0]
        states = dropped(states, 0.1, pair)
        padding = (torch.arange(x.shape[1]) >= lengths[:, None]).to(x.device)
        weight = self.attention(states).masked_fill(padding[..., None], -torch.inf)
        return (weight.softmax(1) * states).sum(1)


def log_bayes_factor(
    x1: torch.Tensor, x2: torch.Tensor, between: torch.Tensor, within: torch.Tensor
) -> torch.Tensor:
    """ln p(x1, x2 | one author) − ln p(x1) p(x2), shape (n,), of vectors (n, d) less the mean of all.

    An author's mean is N(0, B⁻¹), a vector of the author N(author's mean, W⁻¹), precisions (d, d). With
    Ã = (B + 2W)⁻¹ and G̃ = (B + W)⁻¹ the log ratio is

        x1ᵀWÃWx2 + ½ Σ xᵀW(Ã − G̃)Wx + ½ ln|Ã| − ln|G̃| − ½ ln|B|.

    The published code has another constant, with which it is not a Bayes factor.
    """
    both = torch.linalg.inv(between + 2 * within)
    cross = within @ both @ within
    own = cross - within @ torch.linalg.inv(between + within) @ within
    squares = ((x1 @ own) * x1 + (x2 @ own) * x2).sum(1)
    constant = torch.logdet(between + within) + (torch.logdet(both) - torch.logdet(between)) / 2
    return ((x1 @ cross) * x2).sum(1) + squares / 2 + constant


def precision(free: torch.Tensor) -> torch.Tensor:
    """Return L Lᵀ + 10⁻⁶ I in double precision, L lower triangular with a positive diagonal."""
    free = free.double()
    lower = torch.tril(free, -1) + torch.diag_embed(free.diagonal().exp())
    return lower @ lower.T + 1e-6 * torch.eye(len(free)).to(free)


FACTORS = 40
_UPPER = 0.91
_LOWER = 0.09
_ENTROPY = 0.105


class O2D2Network(nn.Module):
    """AdHominem, Bayes factors, confusion matrices and detector: each learns separately, without gradients to the others.

    The contrastive loss shapes the embeddings, the Bayes factors' cross-entropy the two-covariance model, and the
    uncertainty loss the confusion matrices; the detector learns after these, and answers every pair before.
    """

    def __init__(
        self, words: int, characters: int, vectors: int, hidden: int, embedding: int
    ) -> None:
        super().__init__()
        self.letters = nn.Embedding(characters, 10, padding_idx=0)
        self.spelling = nn.Conv1d(10, 30, 4, padding=3)
        self.words = nn.Embedding(words, vectors).requires_grad_(False)
        self.over_words = Attentive(vectors + 30, hidden)
        self.over_windows = Attentive(2 * hidden, hidden)
        self.metric = nn.Linear(2 * hidden, embedding)
        self.kernel = nn.Parameter(torch.tensor([0.09, 1.5]).log())
        self.factors = nn.Linear(embedding, FACTORS)
        self.mean = nn.Parameter(torch.zeros(FACTORS))
        self.precisions = nn.Parameter(torch.zeros(2, FACTORS, FACTORS))
        self.uncertainty = _layers(embedding, 0.2, 120, 4)
        self.detector = _layers(2 * embedding + 4, 0.25, 60, 30, 1)
        nn.init.constant_(self.detector[-1].bias, -9.0)

    def pooled(self, reading: Reading, windows: list[Ints], pair: Shared) -> torch.Tensor:
        """Return vectors (n, 2 hidden) of documents in one batch; ``pair`` (n,) shares dropout between two of them."""
        types, place = np.unique(np.concatenate(windows), return_inverse=True)
        parts = (reading.word[types], reading.spelling[types], place.reshape(-1, WINDOW))
        word, spelling, at = (torch.from_numpy(part).to(self.mean.device) for part in parts)
        counts = torch.tensor([len(each) for each in windows])
        over = None if pair is None else pair.repeat_interleave(counts.to(pair.device))
        spelt = torch.tanh(self.spelling(self.letters(spelling).transpose(1, 2))).amax(2)
        x = torch.cat([self.words(word)[at], dropped(spelt[at], 0.2, over)], dim=2)
        vectors = self.over_words(x, torch.full((len(x),), WINDOW), over).split(counts.tolist())
        return self.over_windows(pad_sequence(list(vectors), batch_first=True), counts, pair)

    def forward(self, reading: Reading, windows: list[Ints], pair: Shared) -> torch.Tensor:
        """Return embeddings (n, embedding) in (−1, 1)."""
        return torch.tanh(self.metric(dropped(self.pooled(reading, windows, pair), 0.2, pair)))

    def begin(self, reading: Reading) -> None:
        """Initialise word vectors from training documents, and a metric layer that whitens their representation.

        With random weights, documents are some hundredths apart, where the kernel is 1 and its slope near 0, so
        learning begins slowly. Therefore the layer begins with a mean squared distance of 4.
        """
        vectors = word_vectors(reading, *self.words.weight.shape)
        self.words.weight[:, : vectors.shape[1]] = torch.from_numpy(vectors)
        sample = reading.windows[:: len(reading.windows) // 400 + 1]
        with torch.no_grad():
            pooled = torch.cat([self.pooled(reading, [each], None) for each in sample])
            centred = pooled - pooled.mean(0)
            _, spread, axes = torch.linalg.svd(centred, full_matrices=False)
            weight = self.metric.weight[:, : len(spread)] / (spread + 0.1 * spread[0]) @ axes
            distance = 2 * (centred @ weight.T).square().sum(1).mean()
            self.metric.weight.copy_(weight * (4 / distance).sqrt())
            self.metric.bias.copy_(-self.metric.weight @ pooled.mean(0))

    def embedded(self, reading: Reading) -> Floats:
        """Return embeddings (n, d) of documents, one by one, independent of the other documents."""
        with devices.inferring(self.mean.device, "windows or hidden"):
            each = [self.eval()(reading, [windows], None) for windows in reading.windows]
            return np.asarray(torch.cat(each).double().cpu().numpy())

    def judged(self, y1: torch.Tensor, y2: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return log Bayes factor (n,), ln Π (n, 2, 2) and ln p(j) = ln Σ_k Π[j | k] p(k) (n, 2) of embeddings (n, d).

        Π[j | k] is a pair's confusion matrix: k is what the Bayes factor says, j the truth (1: same author).
        """
        pair = torch.arange(len(y1), device=y1.device).repeat(2) if self.training else None
        x = torch.relu(self.factors(dropped(torch.cat([y1, y2]), 0.2, pair))) - self.mean
        odds = log_bayes_factor(*x.double().chunk(2), *map(precision, self.precisions))
        logits = self.uncertainty((y1 - y2).square())
        confusion = logits.reshape(-1, 2, 2).double().log_softmax(1)
        believed = nn.functional.logsigmoid(torch.stack([-odds, odds], dim=1).detach())
        return odds, confusion, torch.logsumexp(confusion + believed[:, None], dim=2)

    def loss(self, y: torch.Tensor, same: torch.Tensor) -> torch.Tensor:
        """Return the mean loss of pairs; in the embeddings (2 n, d), the first texts come first.

        The contrastive kernel is exp(−α (‖y1 − y2‖²)^β).
        """
        y1, y2 = y.float().chunk(2)
        alpha, beta = self.kernel.exp()
        squared = (y1 - y2).square().sum(1).clamp_min(1e-12)
        p = torch.exp(-alpha * squared**beta)
        missed = torch.where(same, _UPPER - p, p - _LOWER).clamp_min(0).square().mean()
        odds, confusion, log_p = self.judged(y1.detach(), y2.detach())
        return (
            missed
            + nn.functional.binary_cross_entropy_with_logits(odds, same.double())
            + nn.functional.nll_loss(log_p, same.long())
            + _ENTROPY * (confusion.exp() * confusion).sum((1, 2)).mean()
        )

    def seen(self, y1: Floats, y2: Floats) -> tuple[Floats, torch.Tensor]:
        """Return the probability of the same author (n,), and the detector's input for pairs of embeddings: (n, 2 d + 4)."""
        with devices.inferring(self.mean.device):
            one, two = (torch.from_numpy(y).to(self.mean) for y in (y1, y2))
            _, confusion, log_p = self.eval().judged(one, two)
            parts = [(one - two).square(), (one + two).square(), confusion.exp().flatten(1)]
            return log_p[:, 1].exp().cpu().numpy(), torch.cat(parts, dim=1).to(self.mean)


def _layers(size: int, drop: float, *sizes: int) -> nn.Sequential:
    layers: list[nn.Module] = []
    for inner in sizes:
        layers += [nn.Dropout(drop), nn.Linear(size, inner), nn.Tanh()]
        size = inner
    return nn.Sequential(*layers[:-1])


def paired(known: Written, topics: Ints, rng: np.random.Generator, share: float = 0.7) -> Ints:
    """Return pairs of an epoch (n, 2): each document in at most one; at most as many different-author as same-author pairs.

    Of the pairs that authors' documents can give, ``share`` are made; the rest goes into a pool, together with what is left
    over. Of same-author pairs, six tenths are taken across topics; of the pool's pairs, within a topic.

    ``topics`` (texts,) of the problems' texts, −1 if unknown.
    """
    topic = 1 + topics[known.documents]
    crossing = rng.random(len(known.sizes)) < 0.6
    order = np.lexsort((rng.random(len(topic)), topic * crossing[known.author], known.author))
    author = known.author[order]
    half = known.sizes[author] // 2
    rank = np.arange(len(order)) - np.searchsorted(author, author)
    one = rng.permutation(np.flatnonzero(rank < half))
    one = one[: 1 + int(share * len(one))]
    same = np.stack([one, one + half[one]], axis=1)
    pool = rng.permutation(np.setdiff1d(np.arange(len(order)), same))
    within = rng.random(len(pool)) < 0.6
    pool = pool[np.argsort(topic[order[pool]] * within, kind="stable")]
    two = pool[: len(pool) // 2 * 2].reshape(-1, 2)
    two = rng.permutation(two[np.not_equal(*author[two.T])])[: len(same)]
    return np.asarray(order[rng.permutation(np.concatenate([same, two]))])


UNSURE = 0.3
_DRAWN = 30
"""How far from the truth an answer counts as undecidable, and pairs a step when the detector learns."""


@dataclass(eq=False, repr=False)
class O2D2(TrainedNetwork, Verifier):
    """Probability that two texts have the same author, or 0.5 if a detector finds the pair undecidable.

    Also called: AdHominem, Siamese network.

    Published sizes: ``vectors=300, hidden=50, windows=210, learning_rate=6e-4``, on 276,000 pairs; the defaults are ours,
    for some thousand documents on a CPU. Also ours: word vectors are learned from the training texts (factorised mutual
    information) and stay fixed, while the paper continues from fastText's; the metric layer begins whitened, at
    distances where the kernel is steep, because it is flat at the tiny distances of random weights; one rate for all
    parts, which rises and falls; the weights are those of the epoch that separates held-out authors best, which also train
    the detector; several known documents are averaged; the branch that learns topics, which does not shape the
    embeddings, is left out; the constant of the Bayes factor is the model's.

    Parameters
    ----------
    words, characters : int
        Sizes of the vocabularies.
    vectors, hidden, embedding : int
        Dimensions of word vectors, recurrent units in each direction, and dimensions of the embedding.
    windows : int
        Maximum windows of 30 tokens read of a document, from its beginning.
    epochs, batch, learning_rate, patience
        How the network is trained; ``batch`` counts pairs. Training ends after ``patience`` epochs without improvement on
        held-out authors (0: never).
    detector_epochs : int
        Epochs for the detector; with 0, every pair is answered.
    held_out : float
        Share of authors for early stopping and the detector.
    device : str
        auto, cpu, cuda or cuda:NUMBER.
    seed : int
        Decides initial weights, held-out authors and the pairs of every epoch.

    Attributes
    ----------
    weights_ : dict of str to float32 array
    words_, characters_ : list of str
        Vocabularies.
    history_ : list of Epoch

    References
    ----------
    Boenninghoff, Nickel and Kolossa 2021, O2D2: Out-of-distribution detector to capture undecidable trials in
    authorship verification (PAN at CLEF); Boenninghoff, Rupp, Nickel and Kolossa 2020, Deep Bayes factor scoring.
    """

    name = "o2d2"
    reads_grammar = True

    words: Size = 5000
    characters: Size = 300
    vectors: Size = 64
    hidden: Size = 32
    embedding: Size = 60
    windows: Size = 40
    epochs: int = 12
    batch: Size = 40
    learning_rate: Positive = 2e-3
    patience: int = 5
    detector_epochs: int = 30
    held_out: Share = 0.15
    device: str = "auto"
    seed: int = 0

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Train the network, then the detector. CorpusError if no author of training texts has two."""
        known = written(problems, same)
        learn, held_out = known.split(self.held_out, self.seed)
        texts = [list(problems.texts.rows(part.documents)) for part in (learn, held_out)]
        counts = Counter(chain(*map(tokens, texts[0])))
        self.words_ = frequent(counts, self.words)
        self.characters_ = frequent(Counter("".join(counts.elements())), self.characters)
        reading, apart = map(self._read, texts)
        topics = problems.topic.codes if problems.topic else np.zeros(len(problems.texts), int)
        spec = training_spec(self, problems, same)
        self._folder = training_folder(spec)
        a, b, truth = pairs(held_out)
        network = self._network()
        network.begin(reading)

        def batches(epoch: int) -> list[Ints]:
            drawn = paired(learn, topics, stream(self.seed, "o2d2-pairs", epoch))
            return [drawn[at : at + self.batch] for at in range(0, len(drawn), self.batch)]

        def loss(rows: Ints) -> torch.Tensor:
            pair = torch.arange(len(rows), device=network.mean.device).repeat(2)
            y = network(reading, [reading.windows[row] for row in rows.T.ravel()], pair)
            return network.loss(y, torch.from_numpy(np.equal(*learn.author[rows.T])).to(y.device))

        def separation() -> float:
            y = network.embedded(apart)
            return auc_of_scores(truth, network.seen(y[a], y[b])[0]) or 0.0

        self.history_ = train(
            network,
            batches,
            loss,
            TrainingSettings.of(self, clip=5.0),
            device=network.mean.device,
            held_out=separation if len(a) else None,
            spec=spec,
            folder=self._folder,
            name="training o2d2",
        )
        if self.detector_epochs and len(a):
            y = network.embedded(apart)
            self._detect(network, y, held_out, topics)
        self.weights_ = arrays(network)
        return self

    def _detect(self, network: O2D2Network, y: Floats, known: Written, topics: Ints) -> None:
        """Learn from embeddings of documents (n, d) that training never saw where the network errs or is unsure."""

        def batches(epoch: int) -> list[tuple[torch.Tensor, ...]]:
            drawn = paired(known, topics, stream(self.seed, "o2d2-detector", epoch), 0.95).T
            p, features = network.seen(*y[drawn])
            wrong = np.abs(p - np.equal(*known.author[drawn])) >= UNSURE
            target = torch.from_numpy(wrong).to(features)
            return list(zip(features.clone().split(_DRAWN), target.split(_DRAWN), strict=True))

        def loss(batch: tuple[torch.Tensor, ...]) -> torch.Tensor:
            odds = network.detector(batch[0])[:, 0]
            return nn.functional.binary_cross_entropy_with_logits(odds, batch[1])

        nn.init.zeros_(network.detector[-1].bias)
        train(
            network.detector,
            batches,
            loss,
            TrainingSettings.of(self, epochs=self.detector_epochs, learning_rate=1e-3),
            device=network.mean.device,
            name="training o2d2's detector",
        )

    def verify(self, problems: Problems) -> Floats:
        network = self._network()
        fill(network, self.weights_)

        def encode(texts: list[str]) -> Floats:
            reading = self._read(texts)
            y = network.embedded(reading)
            y[[not windows.any() for windows in reading.windows]] = np.nan
            return y

        y, known, questioned = distinct(problems, encode)
        p, features = network.double().seen(y[known], y[questioned])
        with devices.inferring(features.device):
            suspicion = network.detector(features)[:, 0].sigmoid().cpu().numpy()
        answers = mean_by_problem(p, problems)
        self._forget()
        sure = mean_by_problem(suspicion, problems) < 0.5
        return np.where(sure, answers.clip(0, 1), 0.5)

    def _read(self, texts: list[str]) -> Reading:
        return read(texts, self.words_, self.characters_, self.windows)

    def _network(self) -> O2D2Network:
        device = devices.pick(self.device)
        with devices.controlled(self.seed, device):
            network = O2D2Network(
                len(OUTSIDE + self.words_),
                len(OUTSIDE + self.characters_),
                self.vectors,
                self.hidden,
                self.embedding,
            )
        network.to(device)
        return network
