"""O2D2's network: AdHominem, Bayes factor scoring and uncertainty adaptation, trained side by side."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

from ravenbench.ext.encoders import devices
from ravenbench.types import Floats

_UPPER, _LOWER = 0.91, 0.09


class ContrastiveKernel(nn.Module):
    """p = exp(−α (‖y1 − y2‖²)^β) with trainable α and β, which begin at .09 and 1.5 and stay positive.

    References
    ----------
    Boenninghoff, Rupp, Nickel & Kolossa 2020, Deep Bayes factor scoring for authorship verification (PAN at CLEF).
    """

    def __init__(self, alpha: float = 0.09, beta: float = 1.5) -> None:
        super().__init__()
        self.log_alpha = nn.Parameter(torch.tensor(math.log(alpha)))
        self.log_beta = nn.Parameter(torch.tensor(math.log(beta)))

    def forward(self, y1: torch.Tensor, y2: torch.Tensor) -> torch.Tensor:
        """Similarities in (0, 1], shape (n,)."""
        squared = (y1 - y2).float().square().sum(1).clamp_min(1e-12)
        return torch.exp(-self.log_alpha.exp() * squared ** self.log_beta.exp())


def contrastive_loss(p: torch.Tensor, same: torch.Tensor) -> torch.Tensor:
    """Mean of max(.91 − p, 0)² over same-author and of max(p − .09, 0)² over different-author pairs."""
    one, two = (_UPPER - p).clamp_min(0).square(), (p - _LOWER).clamp_min(0).square()
    return torch.where(same, one, two).mean()


_ENTROPY = 0.105


class UncertaintyAdaptation(nn.Module):
    """A 2 × 2 confusion matrix Π[j | k] for each pair: k is what the Bayes factor says, j what holds.

    References
    ----------
    Boenninghoff, Nickel & Kolossa 2021, O2D2 (PAN at CLEF).
    """

    def __init__(self, size: int, hidden: int = 120, keep: float = 0.8) -> None:
        super().__init__()
        self.inner = nn.Linear(size, hidden)
        self.outer = nn.Linear(hidden, 4)
        self.dropout = nn.Dropout(1 - keep)

    def forward(self, y1: torch.Tensor, y2: torch.Tensor) -> torch.Tensor:
        """ln Π of each pair of embeddings (n, d): (n, 2, 2), row j (1 = same author), column k."""
        z = self.dropout((y1 - y2).square())
        logits = self.outer(self.dropout(torch.tanh(self.inner(z))))
        return logits.reshape(-1, 2, 2).double().log_softmax(dim=1)


def adapted(log_confusion: torch.Tensor, odds: torch.Tensor) -> torch.Tensor:
    """ln p(j) = ln Σ_k Π[j | k] p(k), shape (n, 2), from ln Π (n, 2, 2) and log-odds of the same author (n,)."""
    believed = torch.stack([nn.functional.logsigmoid(-odds), nn.functional.logsigmoid(odds)], dim=1)
    return torch.logsumexp(log_confusion + believed[:, None, :], dim=2)


def uncertainty_loss(log_confusion: torch.Tensor, odds: torch.Tensor, same: torch.Tensor) -> torch.Tensor:
    """−ln p(truth) less .105 times the entropy of Π, mean over pairs; keeps Π from growing too sure."""
    log_p = adapted(log_confusion, odds)
    log_true = log_p.gather(1, same.long()[:, None]).squeeze(1)
    negative_entropy = (log_confusion.exp() * log_confusion).sum(dim=(1, 2))
    return (_ENTROPY * negative_entropy - log_true).mean()


_FLOOR = 1e-6


def log_bayes_factor(
    x1: torch.Tensor, x2: torch.Tensor, mean: torch.Tensor, between: torch.Tensor, within: torch.Tensor
) -> torch.Tensor:
    """ln p(x1, x2 | one author) − ln p(x1) p(x2), shape (n,).

    An author's mean is N(mean, between⁻¹), a vector of the author N(author's mean, within⁻¹). With Ã = (B + 2W)⁻¹ and
    G̃ = (B + W)⁻¹ the log ratio is

        x1ᵀWÃWx2 + ½ Σ xᵀW(Ã − G̃)Wx + (x1 + x2)ᵀW(Ã − G̃)Bμ + ½ (Bμ)ᵀ(Ã − 2G̃)Bμ + ½ μᵀBμ
        + ½ ln|Ã| − ln|G̃| − ½ ln|B|.

    The constant is that of the model. The code published with O2D2 has 2 ln|G̃| − ln|B| − ln|Ã| + μᵀBμ in its
    place: signs turned round and halves lost, so that its scores are no Bayes factors.

    Parameters
    ----------
    x1, x2 : (n, d)
    mean : (d,)
    between, within : (d, d)
        Precisions B and W.

    References
    ----------
    Brümmer & de Villiers 2010, The speaker partitioning problem; Boenninghoff, Nickel & Kolossa 2021, O2D2:
    Out-of-distribution detector to capture undecidable trials in authorship verification (PAN at CLEF).
    """
    both = torch.linalg.inv(between + 2 * within)
    separate = torch.linalg.inv(between + within)
    centre = between @ mean
    cross = within @ both @ within
    own = within @ (both - separate) @ within
    linear = within @ (both - separate) @ centre
    constant = (
        0.5 * centre @ (both - 2 * separate) @ centre
        + 0.5 * mean @ centre
        - 0.5 * torch.logdet(between + 2 * within)
        + torch.logdet(between + within)
        - 0.5 * torch.logdet(between)
    )
    return (
        ((x1 @ cross) * x2).sum(1)
        + 0.5 * (((x1 @ own) * x1).sum(1) + ((x2 @ own) * x2).sum(1))
        + (x1 + x2) @ linear
        + constant
    )


class TwoCovariance(nn.Module):
    """The model with learned mean and precisions, each L Lᵀ + 10⁻⁶ I with a positive diagonal of L.

    Computed in double precision whatever the network is in: determinants and differences of inverses ask for it.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.mean = nn.Parameter(torch.zeros(size))
        self.between = nn.Parameter(torch.randn(size, size) * 0.01)
        self.within = nn.Parameter(torch.randn(size, size) * 0.01)

    def forward(self, x1: torch.Tensor, x2: torch.Tensor) -> torch.Tensor:
        """Log Bayes factors, (n,) double."""
        with torch.autocast(x1.device.type, enabled=False):
            parts = (self.mean.double(), _precision(self.between.double()), _precision(self.within.double()))
            return log_bayes_factor(x1.double(), x2.double(), *parts)


def _precision(free: torch.Tensor) -> torch.Tensor:
    lower = torch.tril(free, -1) + torch.diag_embed(free.diagonal().exp())
    return lower @ lower.T + _FLOOR * torch.eye(len(free), dtype=free.dtype, device=free.device)


_LETTER, _WIDTH, _FILTERS = 10, 4, 30
_KEEP_SPELLING, _KEEP_RECURRENT, _KEEP_METRIC = 0.8, 0.9, 0.8
_FORGET = 2.5


@dataclass(frozen=True)
class NetworkSizes:
    """Vocabularies (padding and unknown included), word vectors, recurrent units a direction, embedding."""

    words: int
    characters: int
    vectors: int
    hidden: int
    embedding: int


class AdHominem(nn.Module):
    """Documents to linguistic embedding vectors in (−1, 1).

    Dropout masks are shared by the two documents of a pair and constant over time. Recurrent connections have none:
    the kernels that make packed sequences fast do not offer it.

    References
    ----------
    Boenninghoff, Hessler, Kolossa & Nickel 2019, Explainable authorship verification in social media via
    attention-based similarity learning; Boenninghoff, Nickel & Kolossa 2021, O2D2 (PAN at CLEF).
    """

    def __init__(self, sizes: NetworkSizes) -> None:
        super().__init__()
        self.letters = nn.Embedding(sizes.characters, _LETTER, padding_idx=0)
        self.spelling = nn.Conv1d(_LETTER, _FILTERS, _WIDTH, padding=_WIDTH - 1)
        self.words = nn.Embedding(sizes.words, sizes.vectors, padding_idx=0)
        self.over_words = Attentive(sizes.vectors + _FILTERS, sizes.hidden)
        self.over_windows = Attentive(2 * sizes.hidden, sizes.hidden)
        self.metric = nn.Linear(2 * sizes.hidden, sizes.embedding)

    def types(self, word: torch.Tensor, spelling: torch.Tensor) -> torch.Tensor:
        """Features of distinct tokens, (types, features): each is spelt once however often it occurs."""
        letters = self.letters(spelling).transpose(1, 2)
        return torch.cat([self.words(word), torch.tanh(self.spelling(letters)).amax(2)], dim=1)

    def windows(self, tokens: torch.Tensor, lengths: torch.Tensor, shared: Shared | None = None) -> torch.Tensor:
        """Windows of token features (m, tokens, features) to vectors (m, 2 hidden)."""
        if shared is not None:
            parts = tokens.split([tokens.shape[2] - _FILTERS, _FILTERS], dim=2)
            tokens = torch.cat([parts[0], shared(parts[1], _KEEP_SPELLING)], dim=2)
        return self.over_words(tokens, lengths, shared)

    def documents(self, windows: torch.Tensor, lengths: torch.Tensor, shared: Shared | None = None) -> torch.Tensor:
        """Documents of window vectors (n, windows, 2 hidden) to embeddings (n, embedding)."""
        pooled = self.over_windows(windows, lengths, shared)
        return torch.tanh(self.metric(pooled if shared is None else shared(pooled, _KEEP_METRIC)))

    def forward(
        self,
        word: torch.Tensor,
        spelling: torch.Tensor,
        windows: torch.Tensor,
        lengths: torch.Tensor,
        counts: torch.Tensor,
        pair: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Embeddings (n, embedding) of documents in one batch.

        Parameters
        ----------
        word, spelling : (types,), (types, 15)
        windows : (m, 30)
            Types, documents one after the other.
        lengths : (m,)
            Tokens of each window; on the CPU.
        counts : (n,)
            Windows of each document; on the CPU.
        pair : (n,), optional
            Pair of each document: dropout is applied and shared within it.
        """
        tokens = self.types(word, spelling)[windows]
        over = None if pair is None else Shared(pair.repeat_interleave(counts.to(pair.device)), int(pair.max()) + 1)
        vectors = self.windows(tokens, lengths, over)
        documents = pad_sequence(list(vectors.split(counts.tolist())), batch_first=True)
        return self.documents(documents, counts, None if pair is None else Shared(pair, int(pair.max()) + 1))


@dataclass(eq=False)
class Shared:
    """Dropout whose masks are one for all rows of a pair and constant over time."""

    pair: torch.Tensor
    pairs: int

    def __call__(self, x: torch.Tensor, keep: float) -> torch.Tensor:
        mask = torch.bernoulli(torch.full((self.pairs, x.shape[-1]), keep, device=x.device)).to(x.dtype) / keep
        rows = mask[self.pair]
        return x * (rows if x.dim() == 2 else rows[:, None, :])


class Attentive(nn.Module):
    """A bidirectional LSTM whose states are averaged by attention exp(vᵀ tanh(Wh + b)), padding left out."""

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.recurrent = nn.LSTM(inputs, hidden, batch_first=True, bidirectional=True)
        self.inner = nn.Linear(2 * hidden, 2 * hidden)
        self.outer = nn.Linear(2 * hidden, 1, bias=False)
        with torch.no_grad():
            for name, weight in self.recurrent.named_parameters():
                if name.startswith("bias"):
                    weight.zero_()
                if name.startswith("bias_ih"):
                    weight[hidden : 2 * hidden] = _FORGET

    def forward(self, x: torch.Tensor, lengths: torch.Tensor, shared: Shared | None) -> torch.Tensor:
        """Sequences (n, t, inputs) of these lengths (n,), on the CPU, to vectors (n, 2 hidden)."""
        full = bool((lengths == x.shape[1]).all())
        if full:
            states, _ = self.recurrent(x)
        else:
            packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
            states, _ = pad_packed_sequence(self.recurrent(packed)[0], batch_first=True, total_length=x.shape[1])
        if shared is not None:
            states = shared(states, _KEEP_RECURRENT)
        weight = self.outer(torch.tanh(self.inner(states))).squeeze(2).float()
        if not full:
            padding = torch.arange(x.shape[1])[None, :] >= lengths[:, None]
            weight = weight.masked_fill(padding.to(weight.device), float("-inf"))
        attention = weight.softmax(dim=1)
        if shared is not None:
            attention = attention.to(states.dtype)
        return (attention[:, :, None] * states).sum(dim=1)


_FACTORS = 40
_KEEP = 0.8


class O2D2Network(nn.Module):
    """The whole network; each of three losses trains its own part, and no gradient goes back into the part before.

    The contrastive loss shapes the embeddings, the Bayes factors' cross-entropy the two-covariance model, the
    uncertainty loss the confusion matrices.
    """

    def __init__(self, sizes: NetworkSizes) -> None:
        super().__init__()
        self.encoder = AdHominem(sizes)
        self.kernel = ContrastiveKernel()
        self.factors = nn.Linear(sizes.embedding, _FACTORS)
        self.model = TwoCovariance(_FACTORS)
        self.uncertainty = UncertaintyAdaptation(sizes.embedding)

    def odds(self, y1: torch.Tensor, y2: torch.Tensor) -> torch.Tensor:
        """Log Bayes factors of pairs of embeddings, (n,) double."""
        y = torch.cat([y1, y2])
        if self.training:
            y = Shared(torch.arange(len(y1), device=y.device).repeat(2), len(y1))(y, _KEEP)
        x1, x2 = torch.relu(self.factors(y)).chunk(2)
        odds: torch.Tensor = self.model(x1, x2)
        return odds

    def loss(self, y: torch.Tensor, same: torch.Tensor) -> torch.Tensor:
        """Mean loss of pairs whose embeddings (2 n, d) stand first ones first."""
        y1, y2 = y.chunk(2)
        loss = contrastive_loss(self.kernel(y1, y2), same)
        y1, y2 = y1.detach(), y2.detach()
        odds = self.odds(y1, y2)
        loss = loss + nn.functional.binary_cross_entropy_with_logits(odds, same.double())
        return loss + uncertainty_loss(self.uncertainty(y1, y2), odds.detach(), same)

    def judged(self, y1: torch.Tensor, y2: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Probability of the same author (n,), and what the detector sees of each pair, (n, 2 d + 4)."""
        confusion = self.uncertainty(y1, y2)
        p = adapted(confusion, self.odds(y1, y2))[:, 1].exp()
        features = [(y1 - y2).square(), (y1 + y2).square(), confusion.exp().flatten(1).to(y1.dtype)]
        return p, torch.cat(features, dim=1)


def judged(network: O2D2Network, y1: Floats, y2: Floats) -> tuple[Floats, Floats]:
    """``O2D2Network.judged`` of arrays, in double precision on the CPU: symmetric, and free of neighbours."""
    sizes = NetworkSizes(1, 1, 1, 1, y1.shape[1])
    with torch.random.fork_rng(devices=[]):
        head = O2D2Network(sizes)
    own = {name: value for name, value in network.state_dict().items() if not name.startswith("encoder.")}
    head.load_state_dict(own, strict=False)
    head.double().eval()
    with devices.inferring(torch.device("cpu")):
        p, features = head.judged(torch.from_numpy(y1), torch.from_numpy(y2))
    return np.asarray(p.numpy()), np.asarray(features.numpy())
