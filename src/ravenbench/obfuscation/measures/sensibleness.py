"""Measures whether a rewriting is readable; each measure is a text's value minus the original's.

In: for ``Sensibleness().measure`` an original and its rewriting (text), for ``of`` one text; for ``mean_ranks`` the
measures of each system by system and name.
Out: ``measure`` gives differences by name of measure, unbounded (``surprisal`` in bits a token, the others per 1,000
words or tokens; higher = less sensible), None where one was not made or a text has no words; ``of`` gives the values of
one text, 0 or more; ``mean_ranks`` the mean rank of each system, 1 = most sensible, None if no measure distinguishes
systems. ``missing`` says which measures need Brown if it is not installed; this raises no error.

The measures are not added up: a report ranks systems by each and also shows the mean rank.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from ravenbench.obfuscation.parts import sentences
from ravenbench.obfuscation.wording import resources
from ravenbench.text.alignment import plain_words
from ravenbench.text.nltk_data import missing
from ravenbench.texts import content_hash
from ravenbench.types import Measures

_TOKEN = re.compile(r"\w+(?:['’\-]\w+)*|[^\w\s]")
_LETTERS = re.compile(r"[^\W\d_]+")
_OTHER_LANGUAGES = (
    "der das und nicht ist ein eine einen einem mit auf für auch wir sie sich von zu dass wird"
    " wurde oder aber bei le les une dans pour pas est avec sur qui que ce cette sont nous vous il"
    " elle mais où été être el los las una por para con pero como está het een niet van voor zijn"
    " wordt di che non sono della"
)
_FOREIGN = frozenset(_OTHER_LANGUAGES.split())
_CHATTER = re.compile(
    r"\bas an ai\b|\blanguage model\b|\bi (?:cannot|can't|am unable to) (?:assist|help|rewrite)\b|"
    r"^[^\S\n]*+(?:sure|certainly|of course)[,!.]|\bhere(?:'s| is) (?:the|a|your)"
    r" (?:rewritten|revised|paraphrased)\b|"
    r"\b(?:rewritten|revised|paraphrased) (?:text|version|paragraph)\s*:|<\|?(?:im_|end|start)",
    re.IGNORECASE | re.MULTILINE,
)

ANOMALIES: Mapping[str, re.Pattern[str]] = {
    "space_before_mark": re.compile(r"(?<=\w)[^\S\n]+(?:[,;!?)\]]|[.:](?![.\w)]))"),
    "no_space_after_mark": re.compile(r"(?<=[^\W\d_])[,;:!?](?=[^\W\d_])|(?<=[a-z])\.(?=[A-Z])"),
    "doubled_marks": re.compile(
        r"([,;:])\s*\1|[!?]{2,}|(?<!\.)\.\.(?!\.)|[,;:]\s*[.!?]|[.!?]\s*[,;:]"
    ),
    "inner_capital": re.compile(r"(?<=[a-z,]\s)(?!I\b)[A-Z]\w*"),
    "repeated_words": re.compile(r"\b([^\W\d_]+)\s+\1\b"),
    "chatter": _CHATTER,
}
"""Anomalies that patterns find, counted per 1,000 tokens, as the two below."""

MEASURES = (
    "surprisal",
    "oov",
    "repeated_misspellings",
    "foreign",
    *ANOMALIES,
    "lowercase_start",
    "unbalanced",
)
"""Higher is less sensible in all. ``surprisal`` is in bits a token, the others per 1,000 words or tokens."""


class Sensibleness:
    """Measures of texts against their originals; each text is measured once.

    Attributes
    ----------
    missing : dict of str to str
        Measures that cannot be made on this machine, and why.
    """

    def __init__(self) -> None:
        self.missing: dict[str, str] = {}
        self._known: dict[bytes, Measures] = {}
        self._words: dict[str, bool] = {}
        if (reason := missing("brown")) is not None:
            self.missing |= dict.fromkeys(("surprisal", "oov", "repeated_misspellings"), reason)

    def measure(self, original: str, rewritten: str) -> Measures:
        """Return every measure of a rewriting minus the original's; None if it was not made."""
        was = self.of(original)
        now = self.of(rewritten)
        return {
            name: None
            if (before := was[name]) is None or (after := now[name]) is None
            else after - before
            for name in MEASURES
        }

    def of(self, text: str) -> Measures:
        """Return the measures of one text; None if a measure cannot be made here or the text has no words."""
        key = content_hash(text)
        if key not in self._known:
            self._known[key] = self._of(text)
        return self._known[key]

    def _of(self, text: str) -> Measures:
        spoken = _TOKEN.findall(text)
        words = plain_words(text)
        row: dict[str, float | None] = dict.fromkeys(MEASURES)
        if not spoken or not words:
            return row
        for name, pattern in ANOMALIES.items():
            row[name] = 1000 * sum(1 for _ in pattern.finditer(text)) / len(spoken)
        spans = [text[start:end].strip() for start, end in sentences(text)]
        lower = sum(
            1
            for sentence in spans
            if (first_letters := _LETTERS.search(sentence))
            and first_letters.start() <= 1
            and first_letters[0][0].islower()
        )
        row["lowercase_start"] = 1000 * lower / len(spoken)
        row["unbalanced"] = 1000 * _unbalanced(text) / len(spoken)
        row["foreign"] = 1000 * sum(_is_foreign(word) for word in words) / len(words)
        if "oov" not in self.missing:
            unknown = Counter(
                straight
                for word in words
                if not self._in_vocabulary(straight := word.replace("’", "'"))
            )
            row["oov"] = 1000 * unknown.total() / len(words)
            row["repeated_misspellings"] = (
                1000 * sum(count for count in unknown.values() if count > 1) / len(words)
            )
            row["surprisal"] = self._surprisal(spans)
        return row

    def _surprisal(self, spans: list[str]) -> float | None:
        model = resources.language_model()
        parts = [
            model.log10(words)
            for span in spans
            if (words := _TOKEN.findall(span.replace("’", "'")))
        ]
        return float(-np.concatenate(parts).mean() * np.log2(10)) if parts else None

    def _in_vocabulary(self, word: str) -> bool:
        is_known = self._words.get(word)
        if is_known is None:
            model = resources.language_model()
            forms = (word, word.lower(), word.lower().removesuffix("'s"))
            is_known = word.isdecimal() or any(form in model for form in forms)
            if not is_known and missing("wordnet") is None:
                is_known = resources.wordnet().morphy(word.lower()) is not None
            self._words[word] = is_known
        return is_known


def mean_ranks(values: Mapping[str, Measures]) -> Measures:
    """Return the mean rank of each system over the measures that all systems have and in which some differ, 1 = most
    sensible; ties have the same rank; None without such a measure."""
    from scipy.stats import rankdata

    systems = list(values)
    ranks = []
    for name in MEASURES:
        column = [values[system].get(name) for system in systems]
        numbers = [value for value in column if value is not None]
        if len(numbers) == len(column) and len(set(numbers)) > 1:
            ranks.append(rankdata(np.round(numbers, 9)))
    means = np.mean(ranks, axis=0).tolist() if ranks else [None] * len(systems)
    return dict(zip(systems, means, strict=True))


@lru_cache(1 << 16)
def _is_foreign(word: str) -> bool:
    return word.casefold() in _FOREIGN or any(
        ord(character) > 0x24F for character in word.replace("’", "")
    )


def _unbalanced(text: str) -> int:
    """Brackets without a partner, and straight or curly double quotes left open."""
    count = 0
    for opening, right in ("()", "[]", "{}", "“”"):
        depth = 0
        for character in text:
            if character == opening:
                depth += 1
            elif character == right:
                if depth:
                    depth -= 1
                else:
                    count += 1
        count += depth
    return count + text.count('"') % 2
