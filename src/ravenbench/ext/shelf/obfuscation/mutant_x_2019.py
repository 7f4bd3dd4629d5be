"""Obfuscation by genetic search against surrogate verifiers.

References
----------
Mahmood, Ahmad, Shafiq, Srinivasan, Zaffar (2019), A Girl Has No Name: Automated Authorship Obfuscation using Mutant-X,
PoPETs. Neighbours are WordNet's, or those of a sentence encoder too; ``p`` is the mean answer of surrogates, which must
take no part in the evaluation. Several surrogates are the ensemble of Haroon, Zaffar, Srinivasan, Shafiq (2021),
Avengers Ensemble! Improving Transferability of Authorship Obfuscation.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np

from ravenbench.errors import InputError
from ravenbench.ext.encoders.meaning import encoder_folder
from ravenbench.ext.encoders.pretrained import is_static, load_sentences, load_static
from ravenbench.files import cache_folder
from ravenbench.formats.decoding import decode
from ravenbench.obfuscation.base import (
    ObfuscationTask,
    Obfuscator,
    Oracle,
    Rewriting,
    check_mode,
    count_operations,
    unchanged,
)
from ravenbench.obfuscation.guards import acceptable, article, forms, inflected, relatives, stretches
from ravenbench.obfuscation.parts import Edit, from_edits
from ravenbench.obfuscation.wording.resources import language_model
from ravenbench.obfuscation.wording.words import (
    Token,
    base_form,
    inflect,
    match_case,
    related,
    senses,
    tags,
    tokens,
    wordnet_pos,
)
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
    vectors = np.asarray(encoder.encode(list(words), show_progress_bar=False), dtype=np.float64)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    place.parent.mkdir(parents=True, exist_ok=True)
    np.save(place, vectors.astype(np.float32))
    return words, vectors


@lru_cache(1 << 16)
def near_words(model: str, word: str, pos: str, tag: str) -> tuple[str, ...]:
    """Words near a lower-case word, the nearest first, that are in the form of the tag, and no antonym or form of it.

    MissingPart if the encoder, WordNet, Brown or lemminflect is not here. ``model`` is a sentence encoder, as for
    measures of meaning; ``pos`` is WordNet's part of speech, ``tag`` the word's Treebank tag.
    """
    words, space = _space(model)
    if word not in words:
        return ()
    cosine = space @ space[words.index(word)]
    near = (words[i] for i in np.argsort(-cosine, kind="stable") if cosine[i] >= LEAST)
    fitting = (w for w in near if w != word and senses(w, pos) and tag in forms(w, pos))
    return tuple(w for w in fitting if acceptable(word, base_form(w, pos), pos))


_MUTANTS, _KEPT, _NEIGHBOURS = 5, 5, 5
_SHARE, _CROSSOVER, _WEIGHT = 0.05, 0.1, 0.75

Genome = tuple[int, ...]
"""Neighbour chosen at each replaceable token, 0 for the original word."""


@dataclass(frozen=True)
class Site:
    """A replaceable token and its neighbours."""

    token: Token
    words: tuple[str, ...]


@dataclass(eq=False, repr=False)
class MutantX(Obfuscator):
    """Evolves word replacements until the surrogates no longer answer *same author*.

    Also called: genetic algorithm.

    Each generation every individual has five mutants with 5 % of the tokens replaced and, with probability 0.1,
    two individuals cross; the fittest five live on. Texts that mislead the surrogates from the start are left
    unchanged.

    Parameters
    ----------
    generations : int
        Most generations.
    mode : 'repaired' or 'faithful'
        ``repaired`` leaves names and fixed phrases alone and takes synonyms and hypernyms in a form that exists;
        ``faithful`` takes any near word of WordNet, sisters too.
    encoder : str, optional
        A sentence encoder (folder, or name in the local cache) of which near words are taken too, in repaired mode.
    imitate : str, optional
        A text, or a folder of .txt files, by someone else: the search goes on until the surrogates take the text for
        theirs, not merely until they no longer take it for its author's.
    """

    name = "mutant-x-2019"
    needs_oracle = True
    provenance = "reconstructed"
    version = 3

    generations: int = 25
    mode: Literal["repaired", "faithful"] = "repaired"
    encoder: str | None = None
    imitate: str | None = None

    def stamp(self) -> str:
        """A hash of the texts to be imitated."""
        texts = "\0".join(self._imitated()).encode()
        return hashlib.sha256(texts).hexdigest() if texts else ""

    def fit(self, tasks: Sequence[ObfuscationTask]) -> Self:
        """Check the mode, the encoder and the texts to be imitated.

        SpecError if the mode is neither of the two; InputError if the encoder or a text to be imitated is not here.
        """
        check_mode(self.name, self.mode)
        if self.encoder is not None:
            encoder_folder(self.encoder)
        self._imitated()
        return self

    def rewrite(self, task: ObfuscationTask, seed: int) -> Rewriting:
        return unchanged(task.questioned, "left unchanged: no surrogate to search against")

    def rewrite_against(self, task: ObfuscationTask, seed: int, oracle: Oracle) -> Rewriting:
        text = task.questioned
        token_list = tokens(text)
        self.fit([task])
        sites = _sites(token_list) if self.mode == "faithful" else _guarded_sites(text, token_list, self.encoder)
        target = self._imitated()

        def surrogate_answers(variants: Sequence[str]) -> Floats:
            """What is to fall below one half."""
            return 1 - oracle(variants, target) if target else oracle(variants, task.known)

        first = float(surrogate_answers([text])[0])
        if first < 0.5:
            why = "take it for the other's already" if target else "do not recognise its author"
            return unchanged(text, f"left unchanged: the surrogates {why}")
        if not sites:
            return unchanged(text, "left unchanged: no word has a neighbour")
        rng = self.draws(seed, task, "evolution")
        changes = max(1, math.floor(_SHARE * len(token_list)))
        origin: Genome = (0,) * len(sites)
        score = {origin: first}
        population = [origin]
        calls, generation = 1, 0
        while generation < self.generations and score[population[0]] >= 0.5:
            generation += 1
            young = [_mutant(parent, sites, changes, rng) for parent in population for _ in range(_MUTANTS)]
            if len(population) > 1 and rng.random() < _CROSSOVER:
                a, b = rng.choice(len(population), 2, replace=False)
                cut = int(rng.integers(1, max(2, len(sites))))
                young.append(population[a][:cut] + population[b][cut:])
            new = [g for g in dict.fromkeys(young) if g not in score]
            if new:
                answers = surrogate_answers([_text(text, sites, g) for g in new])
                score.update((g, float(p)) for g, p in zip(new, answers, strict=True))
                calls += len(new)
            # Parents make way: under a flat surrogate the untouched text would win every generation.
            pool = list(dict.fromkeys(young))
            flipped = [g for g in pool if score[g] < 0.5]
            population = sorted(
                flipped or pool, key=lambda g: -_fitness(g, score[g], [site.token for site in sites], token_list)
            )[:_KEPT]
        best = population[0]
        notes = () if score[best] < 0.5 else ("the surrogates were not misled",)
        parts = from_edits(text, _edits(sites, best))
        counts = count_operations(parts) | {"generations": generation, "surrogate answers": calls}
        return Rewriting(parts, notes, counts)

    def _imitated(self) -> tuple[str, ...]:
        if self.imitate is None:
            return ()
        place = Path(self.imitate)
        files = sorted(place.glob("*.txt")) if place.is_dir() else [place] if place.is_file() else []
        if not files:
            raise InputError("there is no text to imitate here", file=place, expected="a .txt file or a folder of them")
        return tuple(decode(path.read_bytes(), path) for path in files)


def _sites(token_list: Sequence[Token]) -> list[Site]:
    sites = []
    for token, tag in zip(token_list, tags(token_list), strict=True):
        pos = wordnet_pos(tag)
        if pos is None or not token.text.isalpha() or len(token.text) < 3:
            continue
        near = related(token.text.lower(), pos)[0][:_NEIGHBOURS]
        words = tuple(match_case(token.text, inflect(name, tag)) for name in near)
        if words:
            sites.append(Site(token, words))
    return sites


def _guarded_sites(text: str, token_list: Sequence[Token], encoder: str | None) -> list[Site]:
    """Replaceable tokens with neighbours that read in their place; an article before them stays right."""
    guarded = stretches(text)
    sites = []
    for i, (token, tag) in enumerate(zip(token_list, tags(token_list), strict=True)):
        pos = wordnet_pos(tag)
        lower = token.text.lower()
        if pos is None or not lower.isalpha() or guarded.touch(token.start, token.end) or tag not in forms(lower, pos):
            continue
        candidates = [inflected(name, tag) for names in relatives(lower, pos) for name in names]
        if encoder is not None:
            candidates = list(dict.fromkeys([*candidates, *near_words(encoder, lower, pos, tag)]))
        if i and token_list[i - 1].text.lower() in ("a", "an"):
            candidates = [
                form for form in candidates if form is not None and article(form) == token_list[i - 1].text.lower()
            ]
        words = tuple(match_case(token.text, form) for form in candidates if form is not None)[:_NEIGHBOURS]
        if words:
            sites.append(Site(token, words))
    return sites


def _mutant(parent: Genome, sites: Sequence[Site], changes: int, rng: np.random.Generator) -> Genome:
    genes = list(parent)
    for place in rng.choice(len(sites), min(changes, len(sites)), replace=False):
        genes[place] = 1 + int(rng.integers(len(sites[place].words)))
    return tuple(genes)


def _fitness(genome: Genome, p: float, replaced: Sequence[Token], token_list: Sequence[Token]) -> float:
    new = {token.start for token, gene in zip(replaced, genome, strict=True) if gene}
    same = [token.start not in new for token in token_list]
    return 1 / max(1e-9, _WEIGHT * p + (1 - _WEIGHT) * (1 - positional_meteor(same)))


def positional_meteor(same: Sequence[bool]) -> float:
    """METEOR with exact matches where token i can only be aligned with token i.

    Precision and recall are then equal; the penalty is 0.5·(chunks / matches)³.
    """
    matches = sum(same)
    if matches == 0:
        return 0.0
    chunks = sum(here and not before for before, here in zip([False, *same], same, strict=False))
    return matches / len(same) * (1 - 0.5 * (chunks / matches) ** 3)


def _edits(sites: Sequence[Site], genome: Genome) -> list[Edit]:
    return [
        Edit(site.token.start, site.token.end, site.words[gene - 1], "mutate")
        for site, gene in zip(sites, genome, strict=True)
        if gene
    ]


def _text(text: str, sites: Sequence[Site], genome: Genome) -> str:
    out, at = [], 0
    for edit in _edits(sites, genome):
        out += [text[at : edit.start], edit.new]
        at = edit.end
    return "".join([*out, text[at:]])
