"""Habits of a text: words, pairs of words, marks and lengths, each beside the author's other texts and a crowd's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ravenbench.obfuscation.parts import sentences
from ravenbench.text.alignment import plain_words
from ravenbench.text.tokens import HAN, HIRAGANA, lowered
from ravenbench.types import Floats

_MARK = re.compile(r"[^\w\s]|\n[^\S\n]*\n")
FEWEST = {"word": 2, "pair": 3, "mark": 2}
"""Uses in the text from which a habit counts."""
PARAGRAPH = "¶"


@dataclass(frozen=True)
class Habit:
    """A habit in which the text and the author's other texts leave the crowd on the same side.

    ``kind`` is word, pair, mark or length; ``here``, ``known`` and ``others`` are uses in a thousand words (of lengths,
    the length itself); ``z`` is the text's distance from the crowd's mean in standard deviations, of at least one use;
    ``above`` the share of the crowd's texts with less; ``places`` the half-open stretches where it stands; ``content``
    whether it is a word that may be the topic's.
    """

    kind: str
    name: str
    here: float
    known: float
    others: float
    z: float
    above: float
    places: tuple[tuple[int, int], ...]
    content: bool

    @property
    def excess(self) -> int:
        """Uses above the crowd's mean."""
        usual = round(self.others / self.here * len(self.places)) if self.here else 0
        return max(0, len(self.places) - usual)


def counts(text: str) -> tuple[Counter[tuple[str, str]], dict[tuple[str, str], float]]:
    """Uses of every word, pair of neighbours and mark, and mean lengths of words and sentences."""
    words = [lowered(word).replace("’", "'") for word in plain_words(text)]
    counter: Counter[tuple[str, str]] = Counter(("word", word) for word in words)
    counter.update(("pair", f"{a} {b}") for a, b in pairwise(words))
    counter.update(("mark", PARAGRAPH if "\n" in mark else mark) for mark in _MARK.findall(text))
    lengths = {
        ("length", "letters a word"): float(np.mean([len(word) for word in words])) if words else 0.0,
        ("length", "words a sentence"): len(words) / max(1, len(sentences(text))),
    }
    return counter, lengths


def habits(
    text: str, known: Sequence[str], crowd: Sequence[str], functions: frozenset[str], most: int
) -> tuple[Habit, ...]:
    """The habits that leave the crowd farthest on the same side in text and known texts, the farthest first.

    ``functions`` are the crowd's most frequent words, in lowercase; others may be the topic's.
    """
    own, lengths = counts(text)
    size = max(1, len(plain_words(text)))
    names = [key for key, count in own.items() if count >= FEWEST[key[0]]]
    names += [("word", word) for word in sorted(functions) if ("word", word) not in own]
    names = [key for key in names if key[0] != "pair" or functions.issuperset(key[1].split(" "))] + list(lengths)
    here, mine = _rates(text, names), np.stack([_rates(one, names) for one in known]).mean(axis=0)
    others = np.stack([_rates(one, names) for one in crowd])
    least = np.array([0.0 if kind == "length" else 1000 / size for kind, _ in names])
    mean, spread = others.mean(axis=0), np.maximum(others.std(axis=0), np.maximum(least, 1e-9))
    z, y = (here - mean) / spread, (mine - mean) / spread
    pull = np.where(z * y > 0, np.minimum(np.abs(z), np.abs(y)), 0.0)
    rows = []
    for i in np.argsort(-pull, kind="stable")[:most]:
        kind, name = names[i]
        if pull[i] > 0:
            rows.append(Habit(
                kind, name, float(here[i]), float(mine[i]), float(mean[i]), float(z[i]),
                float((others[:, i] < here[i]).mean()), places(text, kind, name),
                kind == "word" and name not in functions,
            ))  # fmt: skip
    return tuple(rows)


def _rates(text: str, names: Sequence[tuple[str, str]]) -> Floats:
    counted, lengths = counts(text)
    size = max(1, sum(count for (kind, _), count in counted.items() if kind == "word"))
    return np.array([lengths[key] if key in lengths else 1000 * counted[key] / size for key in names])


def places(text: str, kind: str, name: str) -> tuple[tuple[int, int], ...]:
    """Where a habit stands."""
    if kind == "length":
        return ()
    if kind == "mark":
        wanted = r"\n[^\S\n]*\n" if name == PARAGRAPH else re.escape(name)
    else:
        words = [re.escape(word).replace("'", "['’]") for word in name.split(" ")]
        if re.search(f"[{HAN}{HIRAGANA}]", name):  # no blanks stand around such words
            wanted = r"\W*".join(words)
        else:
            wanted = r"(?<![\w'’])" + r"\W+".join(words) + r"(?!\w|['’]\w)"
    return tuple(match.span() for match in re.finditer(wanted, text, re.IGNORECASE))


def without(text: str, habit: Habit, instead: Mapping[str, str]) -> str:
    """The text with uses of a habit beyond the crowd's mean, evenly spread, replaced where there is a word for it and
    taken out otherwise."""
    chosen: list[int] = np.linspace(0, len(habit.places) - 1, habit.excess).round().astype(int).tolist()
    out, at = [], 0
    for start, end in (habit.places[i] for i in dict.fromkeys(chosen)):
        new = " " if habit.name == PARAGRAPH else instead.get(habit.name, "")
        new = new.capitalize() if text[start : start + 1].isupper() else new
        cut = start - 1 if not new and start > at and text[start - 1] == " " and habit.kind != "mark" else start
        out += [text[at:cut], new]
        at = end
    return "".join([*out, text[at:]])
