"""Makes tables of frequencies of the most frequent words, as stylo does: words, samples, n-grams, culling.

In: ``stylo_words``: a text and a language; ``units_of``, ``features_of``, ``masked``, ``samples_of``: the words or
units of a text (lists of str), with a kind, n, the words that stay, or sizes in words; ``table_of``: units of several
texts and the most units; ``WordTable.culled``: percent of the texts.
Out: ``stylo_words``, ``units_of``, ``features_of``: lists of words, units or n-grams; ``masked``: units, "#" for each
word that is hidden; ``samples_of``: a list of samples, each a list of units; ``table_of``: a ``WordTable``: percent of
a text's units (0 to 100), a row a text, a column a unit, the most frequent first; ``frequency_table``: the same turned,
a ``Table``; ``table_for_r``: that as text; ``call_of_r``: a call of stylo. ``pronouns``: a set, empty without a list.
MissingPart where lemmas or parts of speech cannot be found.

References
----------
Eder, Rybicki & Kestemont 2016, Stylometry with R: a package for computational text analysis. R Journal 8(1).
Hoover 2004, Testing Burrows's Delta (culling). Literary and Linguistic Computing 19(4).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, TypeVar

import msgspec
import numpy as np

from ravenbench.obfuscation.wording.words import base_form, brown, wordnet_pos
from ravenbench.reports.view import Column, Table, printable
from ravenbench.text.content_words import LETTERS
from ravenbench.text.nltk_data import tag as tag_words
from ravenbench.text.tokens import frequent
from ravenbench.types import Floats

SIGN = "#"
"""Sign that replaces a masked word."""
SUFFIX = 3
"""Number of letters in a suffix."""
T = TypeVar("T")
_CLITIC = r"(?<=[^\W\d_])['’](?:s|t|d|m|ll|ve|re)\b"
_TOKEN = re.compile(rf"{_CLITIC}|{LETTERS.pattern}|\d+|[^\w\s]", re.IGNORECASE)
_CONTRACTION = re.compile(r"([^\W\d_])'([tsdm]|ll|ve|em|im|re)\b")
_WITH_CONTRACTIONS = re.compile(r"(?:[^\W\d_]|\^)+")
_WITH_HYPHENS = re.compile(r"(?:[^\W\d_]|[\^-])+")
_DASHES = re.compile(r"-{2,5}")


def stylo_words(text: str, language: str = "English", preserve_case: bool = False) -> list[str]:
    """Return the words of a text: runs of letters; a Chinese character or hiragana sign is one word. ``English.contr``
    keeps contractions whole (*don^t*), ``English.all`` also compounds (*mother-in-law*); ``Latin.corr`` writes u for v
    and i for j."""
    text = text if preserve_case else text.lower()
    if language.startswith("English."):
        text = _DASHES.sub(" -- ", _CONTRACTION.sub(r"\1^\2", text))
        pattern = _WITH_HYPHENS if language == "English.all" else _WITH_CONTRACTIONS
        return [word for word in pattern.findall(text) if word.strip("-")]
    words = LETTERS.findall(text)
    return (
        [word.replace("v", "u").replace("j", "i") for word in words]
        if language == "Latin.corr"
        else words
    )


def units_of(text: str, words: Sequence[str], kind: str) -> Sequence[str]:
    """Return what is counted for each word of a text: the word (``w``, ``c``), its base form (``lemma``, of WordNet),
    its part of speech (``pos``, Penn Treebank's tags by NLTK, from the running text) or its last three letters
    (``suffix``; all of a shorter word). MissingPart if the resource for lemmas or parts of speech is not installed."""
    if kind == "suffix":
        return [word if len(word) <= SUFFIX else f"-{word[-SUFFIX:]}" for word in words]
    if kind not in ("lemma", "pos"):
        return words
    tokens = _TOKEN.findall(text)
    if sum(token[-1].isalpha() for token in tokens) != len(
        words
    ):  # a letter that is several in lower case
        tokens = list(words)
    for place, token in enumerate(tokens):
        if token[1:].lower() == "t" and place:  # "don", "'t": the Treebank has "do", "n't"
            tokens[place - 1 : place + 1] = [re.sub(r"(?i)(?<=.)n$", "", tokens[place - 1]), "n't"]
    pairs = zip(tokens, tag_words(brown(tokens)), strict=True)
    tagged = [(token.lower(), tag) for token, tag in pairs if token[-1].isalpha()]
    if kind == "pos":
        return [tag for _, tag in tagged]
    return [base_form(word, pos) if (pos := wordnet_pos(tag)) else word for word, tag in tagged]


def pronouns(language: str) -> frozenset[str]:
    """Return personal and possessive pronouns of a language, lowercase; empty if there is no list."""
    entry = files("ravenbench.text") / "pronouns" / f"{language.partition('.')[0].lower()}.txt"
    return frozenset(entry.read_text("utf-8").split()) if entry.is_file() else frozenset()


def samples_of(
    words: Sequence[T],
    sampling: str,
    size: int,
    overlap: int,
    number: int,
    rng: np.random.Generator,
) -> list[Sequence[T]]:
    """Return the whole text (``no``), samples of ``size`` words with ``overlap`` in common with the next (``normal``),
    or ``number`` samples of words drawn without replacement (``random``)."""
    if sampling == "no":
        return [words]
    if sampling == "random":
        return [[words[i] for i in rng.permutation(len(words))[:size]] for _ in range(number)]
    count = (len(words) - overlap) // (size - overlap)
    return [
        words[start : start + size] for start in range(0, count * (size - overlap), size - overlap)
    ]


def masked(
    words: Sequence[str], functions: Collection[str], units: Sequence[str] | None = None
) -> list[str]:
    """Return the words (or their units), with a sign for each word whose parts (*don*, *t*) do not all stay."""
    stays = {
        word: all(part in functions for part in re.split(r"[\^-]", word.lower()) if part)
        for word in set(words)
    }
    return [unit if stays[word] else SIGN for word, unit in zip(words, units or words, strict=True)]


def features_of(words: Sequence[str], kind: str, n: int) -> list[str]:
    """Return word (``w``) or character (``c``) n-grams of a text, in order; characters of the words joined by
    blanks."""
    units = list(" ".join(words)) if kind == "c" else words
    joint = "" if kind == "c" else " "
    return (
        [joint.join(units[i : i + n]) for i in range(len(units) - n + 1)] if n > 1 else list(units)
    )


@dataclass(frozen=True, eq=False)
class WordTable:
    """Frequencies in percent of all units of a text, (texts, names); ``names`` the most frequent first."""

    names: tuple[str, ...]
    frequencies: Floats

    def culled(
        self, culling: float = 0, drop: Collection[str] = (), start_at: int = 1
    ) -> WordTable:
        """Return only units that occur in at least ``culling`` percent of the texts, without ``drop``, from rank
        ``start_at`` on."""
        stands = (
            (self.frequencies > 0).mean(axis=0) >= culling / 100
            if len(self.frequencies)
            else np.array([], bool)
        )
        columns = [
            i for i, name in enumerate(self.names) if stands[i] and name.lower() not in drop
        ][start_at - 1 :]
        return WordTable(tuple(self.names[i] for i in columns), self.frequencies[:, columns])

    def first(self, count: int) -> WordTable:
        """Return only the most frequent units."""
        return WordTable(self.names[:count], self.frequencies[:, :count])


def table_of(
    texts: Sequence[Sequence[str]], cutoff: int, listed: Sequence[Sequence[str]] | None = None
) -> WordTable:
    """Return the table of the ``cutoff`` most frequent units of texts (only of ``listed`` units, by default all; ties
    by code point), without units that consist only of masks."""
    counts = [Counter(text) for text in texts]
    total: Counter[str] = Counter()
    for one in counts if listed is None else map(Counter, listed):
        total.update(one)
    names = tuple(
        frequent(
            Counter(
                {name: c for name, c in total.items() if name.strip(SIGN + " ") or name == " "}
            ),
            cutoff,
        )
    )
    column = {name: i for i, name in enumerate(names)}
    frequencies = np.zeros((len(texts), len(names)))
    for row, (text, one) in enumerate(zip(texts, counts, strict=True)):
        for name, count in one.items():
            if name in column:
                frequencies[row, column[name]] = 100 * count / len(text)
    return WordTable(names, frequencies)


def frequency_table(frequencies: WordTable, texts: Sequence[str]) -> Table:
    """Return frequencies in percent, words in rows and texts in columns, as in stylo."""
    columns = (Column("word", text=True), *(Column(text) for text in texts))
    rows = zip(frequencies.names, frequencies.frequencies.T.tolist(), strict=True)
    return Table(
        "frequencies", "Frequencies in percent", columns, tuple((name, *own) for name, own in rows)
    )


def table_for_r(frequencies: Table) -> str:
    """Return the same as R's ``write.table`` writes it, for ``stylo(frequencies = "table_with_frequencies.txt")``."""

    def quoted(value: Any) -> str:
        return '"' + printable(str(value)).replace("\\", "\\\\").replace('"', '\\"') + '"'

    head = " ".join(quoted(column.title) for column in frequencies.columns[1:])
    rows = (
        " ".join([quoted(row[0]), *(f"{value:.15g}" for value in row[1:])])
        for row in frequencies.rows
    )
    return "\n".join([head, *rows, ""])


def call_of_r(function: str, given: Mapping[str, Any]) -> str:
    """Return the call of a function of stylo, in R."""
    options = (f"{k} = {msgspec.json.encode(v).decode()}" for k, v in given.items())
    return f"{function}(gui = FALSE, {', '.join(options)})"
