"""How well a text fits the grammar of some sentences: n-gram models with interpolated Kneser–Ney smoothing.

References
----------
Kneser and Ney 1995; Nini, Halvani, Graner, Titze, Gherardi and Ishihara 2026 (LambdaG).
"""

from __future__ import annotations

import numpy as np

from ravenbench.errors import InputError
from ravenbench.text.grammar_kernels import BITS, ask
from ravenbench.text.sentences import START, Sentences
from ravenbench.types import Floats, Ints


def grammar_log10(
    asked: Sentences, own: Sentences, chosen: Ints, words: int, order: int = 10, discount: float = 0.75
) -> Floats:
    """log10 probability of each token of a text, ends of sentences included, by several models: (models, tokens).

    Parameters
    ----------
    asked : Sentences
        The text that is read.
    own : Sentences
        What models are made of; its words have the numbers of the same ``Vocabulary``.
    chosen : (models, n) int64
        The sentences of ``own`` of which each model is made.
    words : int
        Length of the vocabulary.
    order : int
        Tokens of the longest n-gram.
    discount : float
        Taken off every count, from 0 to 1.

    Raises
    ------
    InputError
        If there are more words or n-grams than the kernel has room for.
    """
    if words >= 2**BITS or len(asked.ids) * order >= 2**BITS:
        raise InputError(
            "a text or its reference population is too large for a grammar model",
            found=f"{words} different words, {len(asked.ids)} tokens to read",
            expected=f"fewer than {2**BITS} words, and fewer than {2**BITS // order} tokens to read",
            fix="cut the texts, or keep fewer of the population",
        )
    told = ask(asked.ids, asked.bounds, own.ids, own.bounds, chosen, order, discount, words)
    return np.asarray(told[:, asked.ids != START], dtype=np.float64)
