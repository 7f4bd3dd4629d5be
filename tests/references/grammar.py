"""The grammar model in plain Python: what ``grammar`` must agree with.

References
----------
Kneser and Ney 1995; Chen and Goodman 1999, section 3 (interpolation); Nini et al. 2026, section "Method".
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

_START, _END = object(), object()
Gram = tuple[object, ...]


class PlainGrammar:
    """An n-gram model of sentences, interpolated Kneser–Ney with one discount for all orders.

    The highest order rests on counts, lower ones on the number of different words an n-gram continues. A context that
    the training sentences do not hold is shortened until they do. A sentence is preceded by ``order`` − 1 start
    marks, which are never predicted, and its end mark is predicted like a word. Unknown words share the last part
    equally with all others: 1 / (number of types + 1).
    """

    def __init__(self, sentences: Iterable[Sequence[str]], order: int, discount: float) -> None:
        self.order, self.discount = order, discount
        self.count: Counter[Gram] = Counter()
        self.before: defaultdict[Gram, set[object]] = defaultdict(set)
        self.after: defaultdict[Gram, set[object]] = defaultdict(set)
        self.around: defaultdict[Gram, set[tuple[object, object]]] = defaultdict(set)
        for sentence in sentences:
            padded = self._padded(sentence)
            for k in range(1, order):
                self.count[(_START,) * k] += 1
            for end in range(order - 1, len(padded)):
                for length in range(1, order + 1):
                    gram = padded[end - length + 1 : end + 1]
                    self.count[gram] += 1
                    self.count[()] += length == 1
                    self.after[gram[:-1]].add(gram[-1])
                    self.before[gram[1:]].add(gram[0])
                    if length > 1:
                        self.around[gram[1:-1]].add((gram[0], gram[-1]))

    def log10(self, sentence: Sequence[str]) -> list[float]:
        """log10 probability of each token of a sentence and of its end, (n + 1,)."""
        padded, back = self._padded(sentence), self.order - 1
        return [
            math.log10(self._probability(padded[i - back : i], padded[i]))
            for i in range(back, len(padded))
        ]

    def _padded(self, sentence: Sequence[str]) -> Gram:
        return (*(_START,) * (self.order - 1), *sentence, _END)

    def _probability(self, context: Gram, word: object) -> float:
        seen = self.count.get(context, 0)
        if not seen and context:
            return self._continued(context[1:], word)
        shorter = self._continued(context[1:], word) if context else 1 / (len(self.after[()]) + 1)
        kept = max(0.0, self.count.get((*context, word), 0) - self.discount)
        return (kept + self.discount * len(self.after[context]) * shorter) / seen

    def _continued(self, context: Gram, word: object) -> float:
        if context and context not in self.count:
            return self._continued(context[1:], word)
        shorter = self._continued(context[1:], word) if context else 1 / (len(self.after[()]) + 1)
        kept = max(0.0, len(self.before.get((*context, word), ())) - self.discount)
        return (kept + self.discount * len(self.after[context]) * shorter) / len(
            self.around[context]
        )
