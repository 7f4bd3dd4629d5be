"""Verifies by O2D2 (``O2D2``, Boenninghoff et al. 2021): a network, Bayes factors, and a detector of the undecidable.

In: ``Problems`` (n) and, for ``fit``, their truth (n,) bool, True = same author; for ``read`` texts and vocabularies;
for ``word_vectors`` word numbers of texts; for ``log_bayes_factor`` vectors (n, d) and a model; for ``paired`` documents
by author and their topics (n,).
Out: answers (n,), 0 to 1, higher = same author, 0.5 = unanswered: where the detector holds a pair for undecidable, or a
text is empty. ``log_bayes_factor`` in nats. SpecError for sizes out of range, CorpusError for too few authors.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

from ravenbench.errors import CorpusError
from ravenbench.ext.encoders import devices
from ravenbench.ext.encoders.batching import distinct
from ravenbench.ext.shelf.neural.training import (
    Epoch,
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
"""Tokens of a window, tokens from the begin of one to that of the next, and characters read of a token."""
UNKNOWN = 1
FIRST = 2
"""Number of words and characters outside the vocabulary, and of the first within it; 0 stands for none."""
_RUN = re.compile(r"([^\d\s])\1{3,}")
_QUOTES = str.maketrans("“”„«»‘’‚`´", "\"\"\"\"\"'''''")


def units(text: str) -> list[str]:
    """Tokens, case intact: quotes made alike, a character repeated more than three times only three times."""
    return tokens(_RUN.sub(r"\1\1\1", text.translate(_QUOTES)))


@dataclass(frozen=True)
class Reading:
    """Documents in numbers.

    Attributes
    ----------
    word : (types,) int64
        Word number of each distinct token; type 0 is none.
    spelling : (types, 15) int64
        Numbers of its characters.
    windows : list of (windows, 30) int64
        Types of each document; the last window ends where the document does.
    """

    word: Ints
    spelling: Ints
    windows: list[Ints]


def read(documents: Sequence[list[str]], words: list[str], characters: list[str]) -> Reading:
    """Number the tokens of documents."""
    known = {word: FIRST + i for i, word in enumerate(words)}
    letter = {character: FIRST + i for i, character in enumerate(characters)}
    types = {"": 0}
    windows = []
    for document in documents:
        numbers = np.array([types.setdefault(token, len(types)) for token in document] or [0])
        numbers = np.pad(numbers, (0, max(0, WINDOW - len(numbers))))
        last = len(numbers) - WINDOW
        starts = np.minimum(np.arange(0, last + HOP, HOP), last)
        windows.append(numbers[starts[:, None] + np.arange(WINDOW)])
    spelling = np.zeros((len(types), SPELLING), dtype=np.int64)
    for token, place in types.items():
        codes = [letter.get(character, UNKNOWN) for character in token[:SPELLING]]
        spelling[place, : len(codes)] = codes
    word = np.array([known.get(token, UNKNOWN) for token in types])
    word[0] = 0
    return Reading(word, spelling, windows)


_NEAR = 5


def word_vectors(documents: Sequence[Ints], words: int, size: int) -> Floats:
    """Vectors (words, size) of mean square 1 from training texts: positive mutual information, factorised.

    They stand where the paper has fastText's. ``documents``: word numbers in order; none, and words outside the
    vocabulary, have no vector.

    References
    ----------
    Levy, Goldberg and Dagan 2015, Improving distributional similarity with lessons learned from word embeddings.
    """
    from scipy.sparse import coo_array
    from sklearn.utils.extmath import randomized_svd

    near = [(d[:-n], d[n:]) for d in documents for n in range(1, _NEAR + 1)]
    left, right = (np.concatenate(side) for side in zip(*near, strict=True))
    both = (left >= FIRST) & (right >= FIRST)
    ends = np.stack([left[both], right[both]])
    ends = np.concatenate([ends, ends[::-1]], axis=1)
    counts = coo_array((np.ones(ends.shape[1]), tuple(ends)), shape=(words, words)).tocsr()
    total = np.maximum(counts.sum(axis=1), 1)
    context = total**0.75 / (total**0.75).sum()
    counts = counts.tocoo()
    information = np.log(counts.data / (total[counts.row] * context[counts.col]))
    positive = coo_array((np.maximum(information, 0), counts.coords), shape=counts.shape)
    u, s, _ = randomized_svd(positive.tocsr(), min(size, words), random_state=0)
    vectors = np.zeros((words, size))
    vectors[:, : len(s)] = u * np.sqrt(s)
    occurring = vectors[(vectors != 0).any(axis=1)]
    return np.asarray(vectors / math.sqrt(max((occurring**2).mean(), 1e-12)))


def dropped(x: torch.Tensor, keep: float, pair: torch.Tensor | None) -> torch.Tensor:
    """Dropout of rows (n, …, features) by one mask for each pair, constant over time; none without ``pair`` (n,)."""
    if pair is None:
        return x
    kept = torch.full((int(pair.max()) + 1, x.shape[-1]), keep, device=x.device)
    mask = (torch.bernoulli(kept) / keep)[pair]
    return x * (mask if x.dim() == 2 else mask[:, None])


class Attentive(nn.Module):
    """A bidirectional LSTM whose states are averaged by attention exp(vᵀ tanh(Wh + b)), padding left out."""

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.recurrent = nn.LSTM(inputs, hidden, batch_first=True, bidirectional=True)
        self.inner = nn.Linear(2 * hidden, 2 * hidden)
        self.outer = nn.Linear(2 * hidden, 1, bias=False)

    def forward(
        self, x: torch.Tensor, lengths: torch.Tensor, pair: torch.Tensor | None
    ) -> torch.Tensor:
        """Sequences (n, t, inputs) of these lengths (n,), on the CPU, to vectors (n, 2 hidden)."""
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        states = pad_packed_sequence(self.recurrent(packed)[0], batch_first=True)[0]
        states = dropped(states, 0.9, pair)
        weight = self.outer(torch.tanh(self.inner(states)))[..., 0]
        padding = torch.arange(states.shape[1]) >= lengths[:, None]
        weight = weight.masked_fill(padding.to(weight.device), -torch.inf).softmax(1)
        return (weight[..., None] * states).sum(1)


class AdHominem(nn.Module):
    """Documents to linguistic embedding vectors in (−1, 1): spelling and words, windows, document, metric layer."""

    def __init__(
        self, words: int, characters: int, vectors: int, hidden: int, embedding: int
    ) -> None:
        super().__init__()
        self.letters = nn.Embedding(characters, 10, padding_idx=0)
        self.spelling = nn.Conv1d(10, 30, 4, padding=3)
        self.words = nn.Embedding(words, vectors, padding_idx=0)
        self.over_words = Attentive(vectors + 30, hidden)
        self.over_windows = Attentive(2 * hidden, hidden)
        self.metric = nn.Linear(2 * hidden, embedding)

    def pooled(
        self, reading: Reading, windows: list[Ints], pair: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Vectors (n, 2 hidden) of documents in one batch; ``pair`` (n,) shares dropout between two of them."""
        device = self.metric.weight.device
        types, place = np.unique(np.concatenate(windows), return_inverse=True)
        word, spelling = (
            torch.from_numpy(part[types]).to(device) for part in (reading.word, reading.spelling)
        )
        counts = torch.tensor([len(each) for each in windows])
        over = None if pair is None else pair.repeat_interleave(counts.to(device))
        spelt = torch.tanh(self.spelling(self.letters(spelling).transpose(1, 2))).amax(2)
        at = torch.from_numpy(place.reshape(-1, WINDOW)).to(device)
        tokens = torch.cat([self.words(word)[at], dropped(spelt[at], 0.8, over)], dim=2)
        lengths = torch.from_numpy((np.concatenate(windows) > 0).sum(1).clip(1))
        vectors = self.over_words(tokens, lengths, over).split(counts.tolist())
        return self.over_windows(pad_sequence(list(vectors), batch_first=True), counts, pair)

    def forward(
        self, reading: Reading, windows: list[Ints], pair: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Embeddings (n, embedding)."""
        return torch.tanh(self.metric(dropped(self.pooled(reading, windows, pair), 0.8, pair)))


def log_bayes_factor(
    x1: torch.Tensor,
    x2: torch.Tensor,
    mean: torch.Tensor,
    between: torch.Tensor,
    within: torch.Tensor,
) -> torch.Tensor:
    """ln p(x1, x2 | one author) − ln p(x1) p(x2), shape (n,).

    An author's mean is N(mean, B⁻¹), a vector of the author N(author's mean, W⁻¹). With Ã = (B + 2W)⁻¹ and
    G̃ = (B + W)⁻¹ the log ratio is

        x1ᵀWÃWx2 + ½ Σ xᵀW(Ã − G̃)Wx + (x1 + x2)ᵀW(Ã − G̃)Bμ + ½ (Bμ)ᵀ(Ã − 2G̃)Bμ + ½ μᵀBμ
        + ½ ln|Ã| − ln|G̃| − ½ ln|B|,

    which is that of vectors less μ. The published code has another constant, by which it is no Bayes factor.

    Parameters
    ----------
    x1, x2 : (n, d)
    mean : (d,)
    between, within : (d, d)
        Precisions B and W.
    """
    both = torch.linalg.inv(between + 2 * within)
    cross = within @ both @ within
    own = cross - within @ torch.linalg.inv(between + within) @ within
    one = x1 - mean
    two = x2 - mean
    constant = (
        torch.logdet(between + within)
        - (torch.logdet(between + 2 * within) + torch.logdet(between)) / 2
    )
    squares = ((one @ own) * one + (two @ own) * two).sum(1)
    return ((one @ cross) * two).sum(1) + squares / 2 + constant


def precision(free: torch.Tensor) -> torch.Tensor:
    """L Lᵀ + 10⁻⁶ I in double precision, L lower triangular with a positive diagonal."""
    free = free.double()
    lower = torch.tril(free, -1) + torch.diag_embed(free.diagonal().exp())
    return lower @ lower.T + 1e-6 * torch.eye(len(free), dtype=free.dtype, device=free.device)


FACTORS = 40
_UPPER = 0.91
_LOWER = 0.09
_ENTROPY = 0.105
_BEGIN = 4.0
"""Mean squared distance of two embeddings at the beginning: where the kernel is steep."""


class O2D2Network(nn.Module):
    """The whole network; each of three losses trains its own part, and no gradient goes back into the part before.

    The contrastive loss shapes the embeddings, the Bayes factors' cross-entropy the two-covariance model, the
    uncertainty loss the confusion matrices.
    """

    def __init__(self, *sizes: int) -> None:
        super().__init__()
        embedding = sizes[-1]
        self.encoder = AdHominem(*sizes)
        self.kernel = nn.Parameter(torch.tensor([0.09, 1.5]).log())
        self.factors = nn.Linear(embedding, FACTORS)
        self.mean = nn.Parameter(torch.zeros(FACTORS))
        self.between = nn.Parameter(torch.randn(FACTORS, FACTORS) * 0.01)
        self.within = nn.Parameter(torch.randn(FACTORS, FACTORS) * 0.01)
        self.uncertainty = nn.Sequential(
            nn.Dropout(0.2), nn.Linear(embedding, 120), nn.Tanh(), nn.Dropout(0.2), nn.Linear(120, 4)
        )

    def similarity(self, y1: torch.Tensor, y2: torch.Tensor) -> torch.Tensor:
        """exp(−α (‖y1 − y2‖²)^β) of embeddings (n, d), in (0, 1]."""
        alpha, beta = self.kernel.exp()
        squared = (y1 - y2).square().sum(1).clamp_min(1e-12)
        return torch.exp(-alpha * squared**beta)

    def judged(self, y1: torch.Tensor, y2: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Log Bayes factor (n,), ln Π (n, 2, 2) and ln p(j) = ln Σ_k Π[j | k] p(k) (n, 2) of embeddings (n, d).

        Π[j | k] is a pair's confusion matrix: k is what the Bayes factor says, j what holds (1: same author).
        """
        pair = torch.arange(len(y1), device=y1.device) if self.training else None
        x1, x2 = (torch.relu(self.factors(y)).double() for y in _both(y1, y2, pair))
        odds = log_bayes_factor(
            x1, x2, self.mean.double(), precision(self.between), precision(self.within)
        )
        logits = self.uncertainty((y1 - y2).square())
        confusion = logits.reshape(-1, 2, 2).double().log_softmax(1)
        sure = odds.detach()
        believed = nn.functional.logsigmoid(torch.stack([-sure, sure], dim=1))
        return odds, confusion, torch.logsumexp(confusion + believed[:, None], dim=2)

    def loss(self, y: torch.Tensor, same: torch.Tensor) -> torch.Tensor:
        """Mean loss of pairs whose embeddings (2 n, d) stand first ones first."""
        y1, y2 = y.float().chunk(2)
        p = self.similarity(y1, y2)
        missed = torch.where(same, _UPPER - p, p - _LOWER).clamp_min(0).square().mean()
        odds, confusion, log_p = self.judged(y1.detach(), y2.detach())
        entropy = -(confusion.exp() * confusion).sum((1, 2)).mean()
        return (
            missed
            + nn.functional.binary_cross_entropy_with_logits(odds, same.double())
            + nn.functional.nll_loss(log_p, same.long())
            - _ENTROPY * entropy
        )


def _both(
    y1: torch.Tensor, y2: torch.Tensor, pair: torch.Tensor | None
) -> tuple[torch.Tensor, ...]:
    if pair is None:
        return y1, y2
    return dropped(torch.cat([y1, y2]), 0.8, pair.repeat(2)).chunk(2)


def paired(
    known: Written, topic: Ints, rng: np.random.Generator, share: float = 0.7
) -> tuple[Ints, Ints, Bools]:
    """Pairs of an epoch, each document in one at most; as many of one author as of two, where texts suffice.

    With probability ``share`` two documents of an author are a pair, else they go into a pool, as what is left over
    does. Of one author's pairs six tenths are sought across topics, of the pool's within a topic.
    """
    one: list[Ints] = []
    pool: list[Ints] = []
    for author in range(len(known.sizes)):
        rows = rng.permutation(known.of(author))
        if rng.random() < 0.6:
            rows = rows[np.argsort(topic[rows], kind="stable")]
        half = len(rows) // 2
        both = np.stack([rows[:half], rows[half : 2 * half]], axis=1)
        drawn = rng.random(half) < share
        one.append(both[drawn])
        pool += [both[~drawn].ravel(), rows[2 * half :]]
    left = rng.permutation(np.concatenate(pool))
    near = np.where(rng.random(len(left)) < 0.6, topic[left], -1)
    left = left[np.argsort(near, kind="stable")]
    two = left[: len(left) // 2 * 2].reshape(-1, 2)
    two = two[known.author[two[:, 0]] != known.author[two[:, 1]]]
    same = np.concatenate(one)
    two = rng.permutation(two)[: max(len(same), 1)]
    drawn_pairs = rng.permutation(np.concatenate([same, two]))
    a, b = drawn_pairs.T
    return a, b, known.author[a] == known.author[b]
