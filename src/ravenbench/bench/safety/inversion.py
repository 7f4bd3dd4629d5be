"""The inverting attacker: every word of a hidden text is traced to what it may have stood for.

Among the sources of a word the attacker takes the one that the obfuscator would turn into it, that the sentence
expects, and that the author is known to use: log P(word | source) + language model + unigrams of the known texts.

References
----------
Potthast et al. 2016, section 6; Le, Safavi-Naini & Galib 2015, Secure obfuscation of authoring style.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log10

import numpy as np

from ravenbench.bench.safety.channel import Channel, stood_for
from ravenbench.bench.safety.recovery import RewriteTexts, hidden_everywhere, task_of
from ravenbench.obfuscation.base import ObfuscationTask
from ravenbench.obfuscation.parts import sentences
from ravenbench.obfuscation.wording.resources import language_model
from ravenbench.obfuscation.wording.words import brown, tokens
from ravenbench.problems.rewritten import requestion
from ravenbench.text.language_model import LanguageModel
from ravenbench.text.nltk_data import missing
from ravenbench.types import Fold, Problems

LESSONS = 400
"""Most texts the attacker obfuscates to learn from."""


@dataclass(frozen=True)
class Inversion:
    """A text as the attacker believes it was, and the places of the hidden text's tokens he changed."""

    text: str
    restored: Mapping[int, str]


@dataclass(frozen=True)
class Restoration:
    """Tokens that an obfuscation altered or lost, those an attacker changed, and those he brought back."""

    altered: int
    tried: int
    right: int

    def __add__(self, other: Restoration) -> Restoration:
        return Restoration(self.altered + other.altered, self.tried + other.tried, self.right + other.right)

    @property
    def precision(self) -> float | None:
        """Share of the attacker's changes that are right; None without any."""
        return self.right / self.tried if self.tried else None

    @property
    def recall(self) -> float | None:
        """Share of altered tokens brought back; None where nothing was altered."""
        return self.right / self.altered if self.altered else None


def invert(text: str, known: Sequence[str], channel: Channel) -> Inversion:
    """Replace words by their likeliest sources, from left to right within each sentence.

    Without Brown the sentence has no say.
    """
    model: LanguageModel | None = language_model() if missing("brown") is None else None
    author = Counter(token.text for one in known for token in tokens(one))
    size = author.total() + 1
    restored: dict[int, str] = {}
    pieces: list[str] = []
    place = done = 0
    for start, end in sentences(text):
        found = tokens(text, start, end)
        words = [token.text for token in found]
        for at, token in enumerate(found):
            best, new = log10(channel.stays(token.text)), None
            for source, share in channel.others(token.text).items():
                score = log10(share) + log10((author[source] + 0.5) / size) - log10((author[token.text] + 0.5) / size)
                if model is not None:
                    score += _gain(model, words, at, source)
                if score > best:
                    best, new = score, source
            if new is not None:
                restored[place + at] = words[at] = new
                pieces += [text[done : token.start], new]
                done = token.end
        place += len(found)
    return Inversion("".join([*pieces, text[done:]]), restored)


def restoration(original: str, hidden: str, attacked: Inversion) -> Restoration:
    """Compare the attacker's changes with what really stood there."""
    a, b = [t.text for t in tokens(original)], [t.text for t in tokens(hidden)]
    truth = dict(stood_for(a, b))
    kept = sum(b[place] == source for place, source in truth.items())
    right = sum(truth.get(place) == new for place, new in attacked.restored.items())
    return Restoration(max(len(a), len(b)) - kept, len(attacked.restored), right)


def learn(problems: Problems, rewrite: RewriteTexts, seed: int) -> Channel:
    """What the obfuscator does to known texts of training problems, with one of the attacker's seeds."""
    rows = np.unique(problems.known_index)[:LESSONS]
    tasks = [task_of(problems, int(row), f"mirror-{problems.texts.hash(row).hex()}") for row in rows]
    found = rewrite(tasks, seed)
    pairs = ((task.questioned, found[task.id]) for task in tasks)
    return Channel.learn(([t.text for t in tokens(a)], [t.text for t in tokens(b)]) for a, b in pairs)


def inverted(fold: Fold, rewrite: RewriteTexts, seed: int, attacker: int, channel: Channel) -> Fold:
    """A fold whose questioned texts were all obfuscated and then inverted: training texts with the attacker's seed,
    test texts with the secret one. Known texts are genuine."""
    train = [
        task_of(fold.train, int(q), f"invert-{fold.train.ids[i]}", i) for i, q in enumerate(fold.train.questioned_index)
    ]
    test = hidden_everywhere(fold, rewrite, seed)
    return replace(
        fold,
        name=f"i-{fold.name}",
        train=_inverted(requestion_by_row(fold.train, train, rewrite(train, attacker)), channel),
        test=_inverted(test, channel),
        labels={**fold.labels, "attack": "invert"},
    )


def requestion_by_row(problems: Problems, tasks: Sequence[ObfuscationTask], found: Mapping[str, str]) -> Problems:
    """The problems, in order of the tasks, with the texts found for them."""
    texts = {str(name): found[task.id] for name, task in zip(problems.ids.tolist(), tasks, strict=True)}
    return requestion(problems, texts)


def _inverted(problems: Problems, channel: Channel) -> Problems:
    texts = {
        str(problems.ids[i]): invert(
            problems.texts[problems.questioned_index[i]], problems.texts.rows(problems.known(i)), channel
        ).text
        for i in range(len(problems))
    }
    return requestion(problems, texts)


def _gain(model: LanguageModel, words: Sequence[str], at: int, source: str) -> float:
    """How much likelier the sentence is with other words at one place, from the words around it."""
    low, high = max(0, at - 3), min(len(words), at + 4)
    before, after = words[low:at], words[at + 1 : high]
    old = model.score(brown([*before, words[at], *after]))
    return model.score(brown([*before, *source.split(" "), *after])) - old
