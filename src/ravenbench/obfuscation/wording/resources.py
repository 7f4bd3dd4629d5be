"""WordNet and the language model of Brown: loaded once a process, never fetched."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

from ravenbench.errors import StoreError
from ravenbench.files import cache_folder
from ravenbench.text.nltk_data import find


@cache
def wordnet() -> Any:
    """Load NLTK's reader of WordNet 3.0."""
    place = find("wordnet")
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    with warnings.catch_warnings():
        # It warns that other languages are not here, which nobody asks for.
        warnings.simplefilter("ignore")
        return WordNetCorpusReader(place, None)


@cache
def language_model() -> Any:
    """The 4-gram model of Brown, trained once and kept in the user's cache folder.

    Returns
    -------
    ravenbench.text.language_model.LanguageModel
    """
    place = find("brown")
    from ravenbench.text.language_model import LanguageModel

    folder = cache_folder() / "language-models" / "brown-4-v1"
    try:
        return LanguageModel.open(folder)
    except StoreError:
        pass
    from nltk.corpus.reader import TaggedCorpusReader

    reader = TaggedCorpusReader(place, r"c[a-r]\d\d", sep="/", encoding="ascii")
    model = LanguageModel.train([list(s) for s in reader.sents()])
    model.save(folder)
    return model
