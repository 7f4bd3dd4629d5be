"""Measures the statistics of Mihaylova et al. on a full English document, and averages them over documents.

In: for ``measure`` an English text with at least one word (else ZeroDivisionError); for ``average`` texts, of which
those without words are left out; for ``in_vocabulary`` a word; for ``main`` a problem set's path.
Out: ``measure`` gives ``Measured``: ``rates`` (``sentence_length`` in words a sentence; the others are counts divided
by the count of all words, 0 to 1, but ``punctuation`` may exceed 1; None where NLTK's tagger, WordNet or Brown is
missing), counts by lower-case word, the ten most frequent words, parts of speech. ``average`` gives means by name,
without rates that are None for a text; ``has_vocabulary`` and ``in_vocabulary`` bool, MissingPart from the latter
without Brown or WordNet; ``main`` prints averages as JSON.

``python -m ravenbench.obfuscation.recipes.mihaylova_2016_statistics PROBLEMS`` recomputes the averages from the
known texts of a problem set's training part; the shipped ones are the paper's (adjective and adverb rates, which
are swapped in print, put right).
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from ravenbench.obfuscation.parts import sentences
from ravenbench.obfuscation.wording.resources import language_model
from ravenbench.obfuscation.wording.words import senses, tags, tokens, wordnet_pos
from ravenbench.text.nltk_data import missing
from ravenbench.text.tokens import WORD

_MARK = re.compile(r"[^\w\s]")


@dataclass(frozen=True)
class Statistics:
    """The rates of style of one document; None where a resource is missing.

    ``sentence_length`` is words a sentence. The others are counts divided by the count of all words: of ``punctuation``
    marks (the only one that may exceed 1), of different words (``ttr``), of different words that Brown or WordNet knows
    (``known``), and of words that are stop words, of several letters all in capitals, or of a part of speech."""

    sentence_length: float
    stop: float
    ttr: float
    punctuation: float
    capitals: float
    noun: float | None
    verb: float | None
    adjective: float | None
    adverb: float | None
    known: float | None


@dataclass(frozen=True)
class Measured:
    """Statistics with the counts that steps look up."""

    rates: Statistics
    counts: Mapping[str, int]
    top: frozenset[str]
    pos: Mapping[str, str]
    """WordNet part of speech a lower-cased word mostly has here; empty without a tagger."""


def measure(text: str) -> Measured:
    """Measure statistics and counts of a text with at least one word."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    words = WORD.findall(text)
    n = len(words)
    lower = Counter(word.lower() for word in words)
    spans = sentences(text)
    pos = _parts_of_speech(text, spans) if missing("averaged_perceptron_tagger_eng") is None else {}
    share = (
        {
            part_of_speech: sum(
                count for word, count in lower.items() if pos.get(word) == part_of_speech
            )
            / n
            for part_of_speech in "nvar"
        }
        if pos
        else {}
    )
    known_share = sum(map(in_vocabulary, set(words))) / n if has_vocabulary() else None
    rates = Statistics(
        n / len(spans),
        sum(lower[word] for word in ENGLISH_STOP_WORDS) / n,
        len(set(words)) / n,
        len(_MARK.findall(text)) / n,
        sum(len(word) > 1 and word.isupper() for word in words) / n,
        share.get("n"),
        share.get("v"),
        share.get("a"),
        share.get("r"),
        known_share,
    )
    top = sorted(lower, key=lambda word: (-lower[word], word))[:10]
    return Measured(rates, lower, frozenset(top), pos)


def has_vocabulary() -> bool:
    """Return whether words can be looked up."""
    return missing("wordnet") is None and missing("brown") is None


def in_vocabulary(word: str) -> bool:
    """Return whether Brown or WordNet contains a word."""
    model = language_model()
    return word in model or word.lower() in model or bool(senses(word))


def average(texts: Sequence[str]) -> dict[str, float]:
    """Return the mean of each statistic over texts (over those for which no resource was missing)."""
    rows = [asdict(measure(text).rates) for text in texts if WORD.search(text)]
    return {
        name: sum(row[name] for row in rows) / len(rows)
        for name in (rows[0] if rows else {})
        if all(row[name] is not None for row in rows)
    }


def _parts_of_speech(text: str, spans: Sequence[tuple[int, int]]) -> dict[str, str]:
    votes: dict[str, Counter[str]] = {}
    for start, end in spans:
        token_list = tokens(text, start, end)
        for token, tag in zip(token_list, tags(token_list), strict=True):
            votes.setdefault(token.text.lower(), Counter())[wordnet_pos(tag) or ""] += 1
    return {
        word: min(count, key=lambda part_of_speech: (-count[part_of_speech], part_of_speech))
        for word, count in votes.items()
    }


def main(path: str) -> None:
    """Print the averages over the training part of a problem set."""
    from ravenbench.reading.problems import read_problems

    problems = read_problems(path, "train").problems
    texts = problems.texts.rows(sorted(set(problems.known_index.tolist())))
    sys.stdout.write(json.dumps(average(texts), indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
