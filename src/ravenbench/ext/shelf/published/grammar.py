"""Measures how well a text fits the grammar of sentences, by n-gram models with interpolated Kneser–Ney smoothing.

In: for ``grammar_log10`` a text and a pool of sentences as numbers (``Sentences``, by one ``SentenceVocabulary``), rows
of the pool for each model, the vocabulary's length, the longest n-gram in tokens, a discount (0 to 1); for
``sentences``, ``divided`` and ``spans`` a text.
Out: ``grammar_log10`` gives the log10 probability of each token and end of a sentence, (models, tokens), at most 0,
higher = fits better; InputError for too many words or n-grams. ``sentences`` gives tokens by sentence, ``divided``
sentences (text), ``spans`` half-open offsets of tokens in characters; ``plant``, ``tally``, ``predict`` and ``ask`` are
the compiled steps.

A sentence ends with ``.``, ``?``, ``!`` or a line break, tokens are divided by white space; masked texts
(``posnoise``) keep both. This is how the authors of LambdaG divide texts.

Only n-grams in the text matter. They are arranged once as a tree; every model then walks its sentences down this tree
and adds its counts to the nodes. Start marks before a sentence are kept as one: a context
of several has the counts of one, because only a mark can precede each of the longer contexts.

References
----------
Kneser and Ney 1995; Nini, Halvani, Graner, Titze, Gherardi and Ishihara 2026 (LambdaG).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit

from ravenbench.errors import InputError
from ravenbench.text.tokens import lowered
from ravenbench.types import Floats, Ints

START = 1
END = 2
"""Numbers of the marks before and after each sentence; words begin at 3, and 0 means no word."""
_SENTENCE = re.compile(r".+?(?:[.?!\n]+|$)")
_TOKEN = re.compile(r"\S+")


def sentences(text: str, lowercase: bool = True) -> list[list[str]]:
    """Return the tokens of each sentence; no sentence is empty."""
    parts = _SENTENCE.findall(lowered(text) if lowercase else text)
    return [tokens for sentence in parts if (tokens := sentence.split())]


def divided(text: str) -> list[str]:
    """Return the sentences of a text with white space collapsed; no sentence is empty."""
    return [one for match in _SENTENCE.finditer(text) if (one := " ".join(match[0].split()))]


def spans(text: str) -> list[list[tuple[int, int]]]:
    """Return half-open spans (characters) of the tokens that ``sentences`` finds in the text."""
    places = []
    for sentence in _SENTENCE.finditer(text):
        tokens = [m.span() for m in _TOKEN.finditer(text, *sentence.span())]
        if tokens:
            places.append(tokens)
    return places


class SentenceVocabulary:
    """Numbers of words, assigned in order of appearance."""

    def __init__(self, words: Iterable[str] = ()) -> None:
        self.number = {word: i for i, word in enumerate(words, start=END + 1)}

    def __len__(self) -> int:
        """Return one more than the highest assigned number."""
        return len(self.number) + END + 1

    def encode(self, sentences: Iterable[Sequence[str]]) -> Sentences:
        """Return the sentences as numbers; new words get the next numbers."""
        number = self.number
        ids: list[int] = []
        bounds = [0]
        for tokens in sentences:
            ids.append(START)
            ids.extend(number.setdefault(token, len(number) + END + 1) for token in tokens)
            ids.append(END)
            bounds.append(len(ids))
        return Sentences(np.array(ids, dtype=np.int64), np.array(bounds, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class Sentences:
    """Sentences one after another: ``ids`` (tokens,), each sentence with its marks START, words, END; ``bounds``
    (sentences + 1,), where each begins and ends."""

    ids: Ints
    bounds: Ints

    def __len__(self) -> int:
        return len(self.bounds) - 1


BITS = 21
"""Bits of a word's number, and of a node's minus one, in the key of a pair or triple that was seen."""


@njit(cache=True)
def _slot(keys, key):  # type: ignore[no-untyped-def]
    """Place of a key, or the empty place (0) where it belongs."""
    h = key
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    at = (h ^ (h >> np.uint64(31))) & np.uint64(len(keys) - 1)
    while keys[at] != np.uint64(0) and keys[at] != key:
        at = (at + np.uint64(1)) & np.uint64(len(keys) - 1)
    return at


@njit(cache=True)
def _room(n):  # type: ignore[no-untyped-def]
    size = 16
    while size < 2 * n:
        size *= 2
    return size


@njit(cache=True)
def plant(ids, bounds, order, words):  # type: ignore[no-untyped-def]
    """Return the tree of all n-grams of a text up to ``order`` tokens: the node of each n-gram by where it starts and its
    length minus one (tokens, order), 0 if there is none; the nodes one below the root by word (words,); keys and
    nodes of the other branches; the number of nodes."""
    node_of = np.zeros((len(ids), order), np.int32)
    first = np.zeros(words, np.int32)
    keys = np.zeros(_room(len(ids) * order), np.uint64)
    child = np.zeros(len(keys), np.int32)
    nodes = 1
    for sentence in range(len(bounds) - 1):
        end = bounds[sentence + 1]
        for start in range(bounds[sentence], end):
            node = first[ids[start]]
            if node == 0:
                node = nodes
                first[ids[start]] = node
                nodes += 1
            node_of[start, 0] = node
            for length in range(1, min(order, end - start)):
                key = (np.uint64(node) << np.uint64(32)) | np.uint64(ids[start + length])
                at = _slot(keys, key)
                if keys[at] == np.uint64(0):
                    keys[at] = key
                    child[at] = nodes
                    nodes += 1
                node = child[at]
                node_of[start, length] = node
    return node_of, first, keys, child, nodes


@njit(cache=True)
def tally(ids, bounds, chosen, order, first, keys, child, nodes):  # type: ignore[no-untyped-def]
    """Return the counts of a model of the chosen sentences for each node: occurrences, and the numbers of different words
    before it, after it, and in different pairs around it; all (nodes,), the root being 0."""
    count = np.zeros(nodes, np.int64)
    before = np.zeros(nodes, np.int32)
    after = np.zeros(nodes, np.int32)
    around = np.zeros(nodes, np.int32)
    tokens = 0
    for sentence in chosen:
        tokens += bounds[sentence + 1] - bounds[sentence]
    # The node, the word before it (0: not to be noted) and the word after it (0), of each step down the tree.
    steps = np.empty((tokens * order, 3), np.int32)
    used = 0
    for sentence in chosen:
        begin = bounds[sentence]
        end = bounds[sentence + 1]
        for start in range(begin, end):
            if start > begin:
                count[0] += 1
                steps[used, 0] = 0
                steps[used, 1] = ids[start - 1]
                steps[used, 2] = ids[start]
                used += 1
            node = first[ids[start]]
            length = 1
            while node > 0:
                count[node] += 1
                if length < order:
                    steps[used, 0] = node
                    steps[used, 1] = ids[start - 1] if start > begin else 0
                    steps[used, 2] = ids[start + length] if start + length < end else 0
                    used += 1
                if length == order or start + length == end:
                    break
                key = (np.uint64(node) << np.uint64(32)) | np.uint64(ids[start + length])
                at = _slot(keys, key)
                node = child[at] if keys[at] == key else 0
                length += 1
    seen = np.zeros(_room(3 * used), np.uint64)
    low = np.uint64(BITS)
    high = np.uint64(2 * BITS)
    for i in range(used):
        node = steps[i, 0]
        left = steps[i, 1]
        right = steps[i, 2]
        base = np.uint64(node + 1) << high
        if left > 0:
            key = base | (np.uint64(left) << low)
            at = _slot(seen, key)
            if seen[at] == np.uint64(0):
                seen[at] = key
                before[node] += 1
        if right > 0:
            key = base | np.uint64(right)
            at = _slot(seen, key)
            if seen[at] == np.uint64(0):
                seen[at] = key
                after[node] += 1
            if left > 0:
                key |= np.uint64(left) << low
                at = _slot(seen, key)
                if seen[at] == np.uint64(0):
                    seen[at] = key
                    around[node] += 1
    return count, before, after, around


@njit(cache=True)
def predict(bounds, node_of, order, discount, count, before, after, around):  # type: ignore[no-untyped-def]
    """Return the log10 probability of each token, 0 at start marks, (tokens,)."""
    out = np.zeros(len(node_of))
    for sentence in range(len(bounds) - 1):
        begin = bounds[sentence]
        for at in range(begin + 1, bounds[sentence + 1]):
            p = 1.0 / (after[0] + 1)
            for length in range(order):
                start = max(at - length, begin)
                context = 0 if length == 0 else node_of[start, at - 1 - start]
                gram = node_of[start, at - start]
                if count[context] == 0:
                    break
                if length == order - 1:
                    times = float(count[gram])
                    whole = float(count[context])
                elif start == begin:  # Preceded by nothing but start marks.
                    times = float(min(count[gram], 1))
                    whole = float(after[context])
                else:
                    times = float(before[gram])
                    whole = float(around[context])
                p = (max(0.0, times - discount) + discount * after[context] * p) / whole
            out[at] = np.log10(p)
    return out


@njit(cache=True)
def ask(ids, bounds, own_ids, own_bounds, chosen, order, discount, words):  # type: ignore[no-untyped-def]
    """Return log10 probabilities of the tokens ``ids`` by a model of each row of ``chosen`` sentences, (models, tokens)."""
    node_of, first, keys, child, nodes = plant(ids, bounds, order, words)
    out = np.empty((len(chosen), len(ids)))
    for model in range(len(chosen)):
        known = tally(own_ids, own_bounds, chosen[model], order, first, keys, child, nodes)
        out[model] = predict(bounds, node_of, order, discount, *known)
    return out


def grammar_log10(
    text: Sentences,
    own: Sentences,
    chosen: Ints,
    words: int,
    order: int = 10,
    discount: float = 0.75,
) -> Floats:
    """Return the log10 probability of each token of a ``text``, including ends of sentences, by several models: (models,
    tokens).

    Model m uses the sentences ``chosen[m]`` of ``own``, whose words have the numbers of one
    ``SentenceVocabulary``, of length ``words``. ``order`` is the number of tokens of the longest n-gram; ``discount``, from 0
    to 1, is subtracted from every count. InputError if there are too many words or n-grams for the kernel.
    """
    if words >= 2**BITS or len(text.ids) * order >= 2**BITS:
        raise InputError(
            "a text or its reference population is too large for a grammar model",
            found=f"{words} different words, {len(text.ids)} tokens to read",
            expected=(
                f"fewer than {2**BITS} words, and fewer than {2**BITS // order} tokens to read"
            ),
            fix="cut the texts, or use fewer texts of the population",
        )
    by_model = ask(text.ids, text.bounds, own.ids, own.bounds, chosen, order, discount, words)
    return np.asarray(by_model[:, text.ids != START], dtype=np.float64)
