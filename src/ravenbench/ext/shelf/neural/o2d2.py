"""Verifies by O2D2 (``O2D2``, Boenninghoff et al. 2021): a network, Bayes factors, and a detector of the undecidable.

In: ``Problems`` (n) and, for ``fit``, their truth (n,) bool, True = same author; for ``read`` tokens of documents and
vocabularies; for ``log_bayes_factor`` vectors (n, d) and a model; for ``paired`` documents by author, and topics.
Out: answers (n,), 0 to 1, higher = same author, 0.5 = unanswered: where the detector holds a pair for undecidable, or a
text is empty. ``log_bayes_factor`` in nats (n,); ``paired`` places of two documents (n, 2), and truth (n,).
SpecError for sizes out of range, CorpusError for too few authors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Self

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
        Types of each document. The last window ends where the document does; a shorter document is repeated to fill
        one, so that no window has padding.
    """

    word: Ints
    spelling: Ints
    windows: list[Ints]


def read(documents: Sequence[list[str]], words: list[str], characters: list[str]) -> Reading:
    """Number the tokens of documents."""
    known = {word: FIRST + i for i, word in enumerate(words)}
    letter = {character: FIRST + i for i, character in enumerate(characters)}
    types = {token: i for i, token in enumerate(dict.fromkeys(chain([""], *documents)))}
    spelling = np.zeros((len(types), SPELLING), dtype=np.int64)
    for token, place in types.items():
        codes = [letter.get(character, UNKNOWN) for character in token[:SPELLING]]
        spelling[place, : len(codes)] = codes
    windows = []
    for document in documents:
        numbers = np.array([types[token] for token in document or [""]])
        last = max(0, len(numbers) - WINDOW)
        starts = np.minimum(np.arange(0, last + HOP, HOP), last)
        windows.append(np.resize(numbers, last + WINDOW)[starts[:, None] + np.arange(WINDOW)])
    return Reading(np.array([known.get(token, UNKNOWN) for token in types]), spelling, windows)


def word_vectors(reading: Reading, words: int, size: int) -> Floats:
    """Vectors (words, at most size) of mean square 1: positive mutual information within windows, factorised.

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
    return np.asarray(vectors / np.sqrt((vectors**2).mean() + 1e-12))


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
        self.attention = nn.Sequential(
            nn.Linear(2 * hidden, 2 * hidden), nn.Tanh(), nn.Linear(2 * hidden, 1, bias=False)
        )

    def forward(
        self, x: torch.Tensor, pair: torch.Tensor | None, lengths: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Sequences (n, t, inputs), of these lengths (n,), on the CPU, if not all whole, to vectors (n, 2 hidden)."""
        if lengths is None:
            states = dropped(self.recurrent(x)[0], 0.9, pair)
            weight = self.attention(states)
        else:
            packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
            states = pad_packed_sequence(self.recurrent(packed)[0], batch_first=True)[0]
            states = dropped(states, 0.9, pair)
            padding = torch.arange(x.shape[1]) >= lengths[:, None]
            weight = self.attention(states)
            weight = weight.masked_fill(padding[..., None].to(x.device), -torch.inf)
        return (weight.softmax(1) * states).sum(1)


class AdHominem(nn.Module):
    """Documents to linguistic embedding vectors in (−1, 1): spelling and words, windows, document, metric layer."""

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

    def pooled(
        self, reading: Reading, windows: list[Ints], pair: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Vectors (n, 2 hidden) of documents in one batch; ``pair`` (n,) shares dropout between two of them."""
        device = self.metric.weight.device
        types, place = np.unique(np.concatenate(windows), return_inverse=True)
        word, spelling, at = (
            torch.from_numpy(part).to(device)
            for part in (reading.word[types], reading.spelling[types], place.reshape(-1, WINDOW))
        )
        counts = torch.tensor([len(each) for each in windows])
        over = None if pair is None else pair.repeat_interleave(counts.to(device))
        spelt = torch.tanh(self.spelling(self.letters(spelling).transpose(1, 2))).amax(2)
        read_tokens = torch.cat([self.words(word)[at], dropped(spelt[at], 0.8, over)], dim=2)
        vectors = self.over_words(read_tokens, over).split(counts.tolist())
        return self.over_windows(pad_sequence(list(vectors), batch_first=True), pair, counts)

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
        self.between = nn.Parameter(torch.zeros(FACTORS, FACTORS))
        self.within = nn.Parameter(torch.zeros(FACTORS, FACTORS))
        self.uncertainty = nn.Sequential(
            nn.Dropout(0.2),
            nn.Linear(embedding, 120),
            nn.Tanh(),
            nn.Dropout(0.2),
            nn.Linear(120, 4),
        )

    def begin(self, reading: Reading) -> None:
        """Take word vectors from training documents, and a metric layer that whitens what is read of them.

        With random weights documents lie some hundredths apart, where the kernel is 1 and its slope next to 0: at low
        rates nothing moves for epochs. So the layer begins with a mean squared distance of 4.
        """
        words = self.encoder.words.weight
        vectors = word_vectors(reading, *words.shape)
        words[:, : vectors.shape[1]] = torch.from_numpy(vectors)
        layer = self.encoder.metric
        sample = reading.windows[:: len(reading.windows) // 400 + 1]
        with torch.no_grad():
            pooled = torch.cat([self.encoder.pooled(reading, [each[:40]]) for each in sample])
            centred = pooled - pooled.mean(0)
            _, spread, axes = torch.linalg.svd(centred, full_matrices=False)
            turn = nn.init.orthogonal_(layer.weight.new_empty(len(layer.weight), len(spread)))
            weight = turn / (spread + 0.1 * spread[0] + 1e-9) @ axes
            distance = 2 * (centred @ weight.T).square().sum(1).mean()
            layer.weight.copy_(weight * (_BEGIN / (distance + 1e-9)).sqrt())
            layer.bias.copy_(-layer.weight @ pooled.mean(0))

    def embedded(self, reading: Reading, most: int) -> Floats:
        """Embeddings (n, d) by ``most`` windows of each document, one by one, whatever stands beside it."""
        with devices.inferring(self.mean.device, "windows or hidden"):
            each = [self.eval().encoder(reading, [part[:most]]) for part in reading.windows]
            return np.asarray(torch.cat(each).double().cpu().numpy())

    def judged(self, y1: torch.Tensor, y2: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Log Bayes factor (n,), ln Π (n, 2, 2) and ln p(j) = ln Σ_k Π[j | k] p(k) (n, 2) of embeddings (n, d).

        Π[j | k] is a pair's confusion matrix: k is what the Bayes factor says, j what holds (1: same author).
        """
        pair = torch.arange(len(y1), device=y1.device).repeat(2) if self.training else None
        x = torch.relu(self.factors(dropped(torch.cat([y1, y2]), 0.8, pair))).double()
        between, within = (precision(free) for free in (self.between, self.within))
        odds = log_bayes_factor(*x.chunk(2), self.mean.double(), between, within)
        logits = self.uncertainty((y1 - y2).square())
        confusion = logits.reshape(-1, 2, 2).double().log_softmax(1)
        sure = odds.detach()
        believed = nn.functional.logsigmoid(torch.stack([-sure, sure], dim=1))
        return odds, confusion, torch.logsumexp(confusion + believed[:, None], dim=2)

    def loss(self, y: torch.Tensor, same: torch.Tensor) -> torch.Tensor:
        """Mean loss of pairs whose embeddings (2 n, d) stand first ones first.

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

    def seen(self, y1: Floats, y2: Floats) -> tuple[Floats, Floats]:
        """Probability of the same author (n,), and what the detector sees of pairs of embeddings: (n, 2 d + 4)."""
        one, two = (torch.from_numpy(y).to(self.mean) for y in (y1, y2))
        with devices.inferring(self.mean.device):
            _, confusion, log_p = self.eval().judged(one, two)
            parts = [(one - two).square(), (one + two).square(), confusion.exp().flatten(1)]
            features = torch.cat(parts, dim=1).double().cpu().numpy()
            return log_p[:, 1].exp().cpu().numpy(), features


def paired(
    known: Written, topics: Ints, rng: np.random.Generator, share: float = 0.7
) -> tuple[Ints, Bools]:
    """Pairs of an epoch, each document in one at most; of two authors at most as many as of one.

    With probability ``share`` two documents of an author are a pair, else they go into a pool, as what is left over
    does. Of one author's pairs six tenths are sought across topics, of the pool's within a topic.

    ``topics`` (texts,) of the problems' texts, −1 where unknown.
    """
    topic = 1 + topics[known.documents]
    crossing = rng.random(len(known.sizes)) < 0.6
    shuffled = rng.random(len(topic))
    order = np.lexsort((shuffled, topic * crossing[known.author], known.author))
    author = known.author[order]
    half = known.sizes[author] // 2
    rank = np.arange(len(order)) - np.searchsorted(author, author)
    one = np.flatnonzero((rank < half) & (rng.random(len(order)) < share))
    same = np.stack([one, one + half[one]], axis=1)
    pool = rng.permutation(np.setdiff1d(np.arange(len(order)), same))
    within = rng.random(len(pool)) < 0.6
    pool = pool[np.argsort(topic[order[pool]] * within, kind="stable")]
    two = pool[: len(pool) // 2 * 2].reshape(-1, 2)
    two = rng.permutation(two[author[two[:, 0]] != author[two[:, 1]]])[: max(len(same), 1)]
    drawn = order[rng.permutation(np.concatenate([same, two]))]
    return drawn, known.author[drawn[:, 0]] == known.author[drawn[:, 1]]


UNSURE = (0.3, 0.7)
_DRAWN = 30
"""Answers between which a pair counts as undecidable, and pairs a step when the detector learns."""


def detector(embedding: int) -> nn.Sequential:
    """Log-odds that a pair is undecidable, from what ``O2D2Network.seen`` shows of it."""
    layers: list[nn.Module] = []
    for inputs, outputs in ((2 * embedding + 4, 60), (60, 30)):
        layers += [nn.Linear(inputs, outputs), nn.Tanh(), nn.Dropout(0.25)]
    return nn.Sequential(*layers, nn.Linear(30, 1))


@dataclass(eq=False, repr=False)
class O2D2(TrainedNetwork, Verifier):
    """Probability that two texts share their author, or 0.5 where a detector holds the pair for undecidable.

    Also called: AdHominem, Siamese network.

    Published sizes: ``vectors=300, hidden=50, windows=210, learning_rate=6e-4``, on 276,000 pairs; the defaults are ours,
    for some thousand documents on a CPU. Ours too: word vectors are learned on the training texts (factorised mutual
    information) and stay as they are, where the paper goes on from fastText's; the metric layer begins whitened, at
    distances where the kernel is steep, since it is flat at the tiny ones of random weights; one rate for all parts,
    which rises and falls; the weights are those of the epoch that tells held-out authors apart best, who teach the
    detector too; several known documents are averaged; the branch that learns topics, which does not shape the
    embeddings, is left out; the constant of the Bayes factor is the model's.

    Parameters
    ----------
    words, characters : int
        Sizes of the vocabularies.
    vectors, hidden, embedding : int
        Dimensions of word vectors, recurrent units a direction, and dimensions of the embedding.
    windows : int
        Most windows of 30 tokens read of a document: of a longer one its beginning, in training as often any part.
    epochs, batch, accumulate, learning_rate, patience
        How the network is trained; ``batch`` counts pairs. Training ends when held-out authors gained nothing for
        ``patience`` epochs (0: never).
    detector_epochs : int
        How long the detector is trained; with 0 every pair is answered.
    held_out : float
        Share of authors for early stopping and the detector.
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
        Of the network and the detector; the latter empty where there is none.
    words_, characters_ : list of str
        Vocabularies.
    history_ : list of Epoch

    References
    ----------
    Boenninghoff, Nickel and Kolossa 2021, O2D2: Out-of-distribution detector to capture undecidable trials in
    authorship verification (PAN at CLEF); Boenninghoff, Rupp, Nickel and Kolossa 2020, Deep Bayes factor scoring.
    """

    name = "o2d2"

    words: Size = 5000
    characters: Size = 300
    vectors: Size = 64
    hidden: Size = 32
    embedding: Size = 60
    windows: Size = 40
    epochs: int = 30
    batch: Size = 40
    accumulate: Size = 1
    learning_rate: Positive = 2e-3
    patience: int = 10
    detector_epochs: int = 30
    held_out: Share = 0.15
    precision: str = "auto"
    deterministic: bool = True
    device: str = "auto"
    seed: int = 0

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Train the network, then the detector. CorpusError if no author of training texts has two."""
        device = devices.pick(self.device)
        devices.precision(self.precision, device)
        known = written(problems, same)
        if known.sizes.max() < 2:
            raise CorpusError("o2d2 learns from authors of two documents, and there is none")
        learn, held_out = known.split(self.held_out, self.seed)
        texts = [
            [tokens(problems.texts[row]) for row in part.documents] for part in (learn, held_out)
        ]
        counts = Counter(chain(*texts[0]))
        self.words_ = frequent(counts, self.words)
        self.characters_ = frequent(Counter("".join(counts.elements())), self.characters)
        reading, apart = (read(part, self.words_, self.characters_) for part in texts)
        topics = -np.ones(len(problems.texts), dtype=np.int64)
        if problems.topic is not None:
            topics = problems.topic.codes
        spec = training_spec(self, problems, same)
        self._folder = training_folder(spec)
        a, b, truth = pairs(held_out)

        def batches(epoch: int) -> list[tuple[Ints, Bools]]:
            drawn = paired(learn, topics, stream(self.seed, "o2d2-pairs", epoch))
            cuts = range(self.batch, len(drawn[1]), self.batch)
            return list(zip(*(np.split(part, cuts) for part in drawn), strict=True))

        def part(row: int) -> Ints:
            windows = reading.windows[row]
            start = int(torch.randint(max(1, 1 + len(windows) - self.windows), ()))
            return windows[start : start + self.windows]

        def loss(batch: tuple[Ints, Bools]) -> torch.Tensor:
            rows, truth = batch
            pair = torch.arange(len(rows), device=device).repeat(2)
            y = network.encoder(reading, [part(row) for row in rows.T.ravel()], pair)
            return network.loss(y, torch.from_numpy(truth).to(device))

        def separation() -> float:
            y = network.embedded(apart, self.windows)
            return auc_of_scores(truth, network.seen(y[a], y[b])[0]) or 0.0

        with (
            devices.controlled(self.seed, device, self.deterministic),
            devices.memory("batch", device),
        ):
            network = self._network().to(device)
            network.begin(reading)
        self.history_: list[Epoch] = train(
            network,
            batches,
            loss,
            TrainingSettings.of(self, clip=5.0),
            device=device,
            held_out=separation if len(a) else None,
            spec=spec,
            folder=self._folder,
            name="training o2d2",
        )
        self.weights_ = arrays(network)
        self.detector_: dict[str, np.ndarray] = {}
        if self.detector_epochs and len(a):
            y = network.embedded(apart, self.windows)
            self._detect(network, y, held_out, topics)
        return self

    def _detect(self, network: O2D2Network, y: Floats, known: Written, topics: Ints) -> None:
        """Learn from embeddings of documents (n, d) that training never saw where the network errs or is unsure."""
        device = network.mean.device

        def batches(epoch: int) -> list[tuple[torch.Tensor, ...]]:
            drawn, same = paired(known, topics, stream(self.seed, "o2d2-detector", epoch), 0.95)
            p, features = network.seen(*y[drawn.T])
            target = ((p > 0.5) != same) | ((p >= UNSURE[0]) & (p <= UNSURE[1]))
            both = (torch.from_numpy(part).float().to(device) for part in (features, target))
            return list(zip(*(part.split(_DRAWN) for part in both), strict=True))

        def loss(batch: tuple[torch.Tensor, ...]) -> torch.Tensor:
            odds = model(batch[0])[:, 0].float()
            return nn.functional.binary_cross_entropy_with_logits(odds, batch[1])

        with devices.controlled(self.seed, device, self.deterministic):
            model = detector(self.embedding).to(device)
        settings = TrainingSettings.of(self, epochs=self.detector_epochs, learning_rate=1e-3)
        train(model, batches, loss, settings, device=device, name="training o2d2's detector")
        self.detector_ = arrays(model)

    def verify(self, problems: Problems) -> Floats:
        network = self._network()
        fill(network, self.weights_)
        network.to(devices.pick(self.device))

        def encode(texts: list[str]) -> Floats:
            reading = read([tokens(text) for text in texts], self.words_, self.characters_)
            y = network.embedded(reading, self.windows)
            y[[not windows.any() for windows in reading.windows]] = np.nan
            return y

        y, known, questioned = distinct(problems, encode)
        p, features = network.double().seen(y[known], y[questioned])
        answers = mean_by_problem(p, problems)
        unanswered = np.isnan(answers)
        if self.detector_:
            model = detector(self.embedding)
            fill(model, self.detector_)
            with devices.inferring(torch.device("cpu")):
                odds = model.double().eval()(torch.from_numpy(features))[:, 0]
            unanswered |= mean_by_problem(odds.sigmoid().numpy(), problems) >= 0.5
        self._forget()
        return np.where(unanswered, 0.5, np.clip(answers, 0, 1))

    def _network(self) -> O2D2Network:
        with torch.random.fork_rng(devices=[]):
            sizes = (self.vectors, self.hidden, self.embedding)
            return O2D2Network(FIRST + len(self.words_), FIRST + len(self.characters_), *sizes)
