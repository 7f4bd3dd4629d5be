"""Loads, once, the resources in which recipes look up words: word lists, WordNet and the language model of Brown.

In: for ``load``, ``word_set`` and ``pattern`` the name of one of Raven's lists (text), for ``pattern`` also keys within
it; nothing for ``wordnet``, ``brown_texts`` and ``language_model``.
Out: ``load`` gives JSON values, ``word_set`` a set of words, ``pattern`` a regular expression for all keys; ``wordnet``
NLTK's reader, ``brown_texts`` texts by name, ``language_model`` a ``LanguageModel`` (log10 probabilities; kept in the
cache folder). MissingPart where NLTK, WordNet or Brown is not here; FileNotFoundError or KeyError for an unknown name.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from io import BytesIO, TextIOWrapper
from typing import Any, TextIO

from ravenbench.errors import StoreError
from ravenbench.files import cache_folder
from ravenbench.text.nltk_data import find


@cache
def load(name: str) -> Any:
    """Load the word list of this name (not to be changed: it is shared)."""
    return json.loads(
        (files("ravenbench.obfuscation.wording") / "data" / f"{name}.json").read_text("utf-8")
    )


def word_set(name: str) -> frozenset[str]:
    """Return one of the small sets of words in ``word_sets.json``."""
    return frozenset(load("word_sets")[name].split())


@cache
def pattern(name: str, *path: str) -> re.Pattern[str]:
    """Return one expression for all keys of a word list at whole words, longest first, case ignored."""
    value = load(name)
    for key in path:
        value = value[key]
    keys = sorted(value, key=lambda k: (-len(k), k))
    return re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, keys)) + r")(?!\w)", re.IGNORECASE)


@cache
def wordnet() -> Any:
    """Load NLTK's reader of WordNet 3.0."""
    path = find("wordnet")
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class EnglishReader(WordNetCorpusReader):  # type: ignore[misc]
        _counts: dict[str, int] | None = None

        def map_wn(self, version: str = "wordnet") -> None:
            """Other languages' synsets are not mapped to these, which takes half of the time."""

        def open(self, file: str) -> TextIO:
            """A file, by Python's reader of lines: NLTK's own is ten times as slow."""
            with self._root.join(file).open() as stream:
                return TextIOWrapper(BytesIO(stream.read()), "utf-8", newline="\n")

        def lemma_count(self, lemma: Any) -> int:
            """How often a word was met in this sense, from a table that is read once."""
            if self._counts is None:
                with self.open("cntlist.rev") as lines:
                    rows = (line.split() for line in lines)
                    self._counts = {row[0]: int(row[-1]) for row in rows if row}
            return self._counts.get(lemma._key, 0)

    with warnings.catch_warnings():
        # It warns that other languages are not here, which nobody asks for.
        warnings.simplefilter("ignore")
        return EnglishReader(path, None)


@cache
def brown_texts() -> dict[str, str]:
    """Return a fifth of Brown's samples, each by another author, as plain text by name. MissingPart if Brown is not
    installed."""
    from nltk.corpus.reader import TaggedCorpusReader

    reader = TaggedCorpusReader(find("brown"), r"c[a-r]\d[05]", sep="/", encoding="ascii")
    return {name: _plain(reader.words(name)) for name in reader.fileids()}


def _plain(words: Sequence[str]) -> str:
    """Brown's tokens as text."""
    text = " ".join(words).replace("`` ", '"').replace(" ''", '"')
    for mark in ",.;:?!":
        text = text.replace(f" {mark}", mark)
    return text.replace("( ", "(").replace(" )", ")")


@cache
def language_model() -> Any:
    """Return the 4-gram model of Brown, trained once and kept in the user's cache folder.

    Returns
    -------
    ravenbench.text.language_model.LanguageModel
    """
    path = find("brown")
    from ravenbench.text.language_model import LanguageModel

    folder = cache_folder() / "language-models" / "brown-4-v1"
    try:
        return LanguageModel.open(folder)
    except StoreError:
        pass
    from nltk.corpus.reader import TaggedCorpusReader

    reader = TaggedCorpusReader(path, r"c[a-r]\d\d", sep="/", encoding="ascii")
    model = LanguageModel.train([list(sentence) for sentence in reader.sents()])
    model.save(folder)
    return model
