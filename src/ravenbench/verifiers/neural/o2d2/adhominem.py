"""AdHominem's encoder: characters and words, a recurrent layer with attention over words, another over windows."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

_LETTER, _WIDTH, _FILTERS = 10, 4, 30
_KEEP_SPELLING, _KEEP_RECURRENT, _KEEP_METRIC = 0.8, 0.9, 0.8
_FORGET = 2.5


@dataclass(frozen=True)
class Sizes:
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

    def __init__(self, sizes: Sizes) -> None:
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
