"""Words near a word in the space of a sentence encoder: more neighbours than WordNet has, of which few are synonyms."""

from __future__ import annotations

import hashlib
from functools import cache, lru_cache
from typing import Any

import numpy as np

from ravenbench.files import cache_folder
from ravenbench.obfuscation.guards.choice import acceptable, forms
from ravenbench.obfuscation.measures.neural import encoder_folder
from ravenbench.obfuscation.wording.resources import language_model
from ravenbench.obfuscation.wording.words import base_form, senses
from ravenbench.topics.pretrained import is_static, load_sentences, load_static
from ravenbench.types import Floats

LEAST = 0.75
"""Cosine from which a word is near (Mahmood et al. 2019, section 4)."""
MOST = 6_000
"""Words of Brown that are looked at, the most frequent ones."""


@cache
def _space(model: str) -> tuple[tuple[str, ...], Floats]:
    """Brown's most frequent words and their unit vectors (words, dimensions), encoded once and kept in the cache."""
    brown = language_model()
    frequency = np.asarray(brown.tables[0][1])
    order = np.argsort(-frequency, kind="stable").tolist()
    words = tuple(w for w in (brown.vocabulary[i] for i in order) if w.isalpha() and w.islower() and len(w) > 2)[:MOST]
    folder = encoder_folder(model)
    files = sorted((str(p.relative_to(folder)), p.stat().st_size, p.stat().st_mtime_ns) for p in folder.rglob("*.*"))
    key = hashlib.sha256(repr([files, words]).encode()).hexdigest()[:16]
    place = cache_folder() / "near-words" / f"{key}.npy"
    if place.exists():
        return words, np.asarray(np.load(place), dtype=np.float64)
    encoder: Any = load_static(folder) if is_static(folder) else load_sentences(folder, "cpu")
    found = np.asarray(encoder.encode(list(words), show_progress_bar=False), dtype=np.float64)
    found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12)
    place.parent.mkdir(parents=True, exist_ok=True)
    np.save(place, found.astype(np.float32))
    return words, found


@lru_cache(1 << 16)
def near_words(model: str, word: str, pos: str, tag: str) -> tuple[str, ...]:
    """Words near a lower-case word, the nearest first, that are in the form of the tag, and no antonym or form of it.

    Parameters
    ----------
    model : str
        A sentence encoder, as for measures of meaning.
    pos, tag : str
        WordNet's part of speech, and the Treebank tag the word has.

    Raises
    ------
    MissingPart
        If the encoder, WordNet, Brown or lemminflect is not here.
    """
    words, space = _space(model)
    if word not in words:
        return ()
    cosine = space @ space[words.index(word)]
    near = (words[i] for i in np.argsort(-cosine, kind="stable") if cosine[i] >= LEAST)
    fitting = (w for w in near if w != word and senses(w, pos) and tag in forms(w, pos))
    return tuple(w for w in fitting if acceptable(word, base_form(w, pos), pos))
