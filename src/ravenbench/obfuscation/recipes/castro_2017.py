"""Obfuscation by contractions against the author's habit, deletions, and synonyms of disambiguated senses.

References
----------
Castro, Ortega, Muñoz (2017), Author Masking by Sentence Transformation, CLEF working notes; details after a
third-party rewrite. Lesk's overlap stands in for UKB, and replacements are inflected like the word they replace.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal, Self

from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, Rewriting, check_mode, count_operations
from ravenbench.obfuscation.guards import Stretches, acceptable, forms, inflected, stretches
from ravenbench.obfuscation.parts import Edit, from_edits, sentences
from ravenbench.obfuscation.wording.resources import load, pattern
from ravenbench.obfuscation.wording.words import Token, inflect, match_case, senses, tags, tokens, wordnet_pos
from ravenbench.text.tokens import WORD

_BRACKETS = re.compile(r"(?<![ \t])[ \t]*+\([^()\n]{1,200}\)")
_ENCLOSED = re.compile(r",(?! (?:and|or|but)\b)[^,.;:!?()\n\d]{2,60},(?= (?!and\b|or\b)\w)")
_ASIDE = re.compile(
    r", (?:which|who|whose|whom|where|for|to|in|of|at|by|with|as|if|like|such|however|therefore|of course|perhaps|"
    r"though|although|especially|including|particularly|indeed|moreover|\w+ing|\w+ed|\w+ly)\b",
    re.IGNORECASE,
)
_AUXILIARY = "be am is are was were been being have has had having do does did done doing can will would"
_LIGHT = frozenset(f"{_AUXILIARY} not no so very more most other own such same".split())


@dataclass(eq=False, repr=False)
class Castro(Obfuscator):
    """Reverses contractions in each sentence; where that changes nothing, deletes words; then puts in synonyms.

    Also called: paraphrase, contractions.

    Expands all contractions where they outnumber written-out forms in the text, contracts where they are
    fewer. Deletes brackets, discourse markers and spans between commas, hence content.

    Parameters
    ----------
    mode : 'repaired' or 'faithful'
        ``repaired`` leaves names, abbreviations and fixed phrases alone, takes a synonym only in a form that exists,
        and deletes between commas only what reads as an aside; ``faithful`` does none of that.
    """

    name = "castro-2017"
    provenance = "reconstructed"
    version = 2

    mode: Literal["repaired", "faithful"] = "repaired"

    def fit(self, tasks: Sequence[ObfuscationTask]) -> Self:
        """Check the mode. SpecError if it is neither of the two."""
        check_mode(self.name, self.mode)
        return self

    def rewrite(self, task: ObfuscationTask, seed: int) -> Rewriting:
        self.fit([task])
        text = task.questioned
        guarded = None if self.mode == "faithful" else stretches(text)
        long, short = pattern("contractions", "expansions"), _contracted()
        balance = len(short.findall(text)) - len(long.findall(text))
        used = {word.lower() for word in WORD.findall(text)}
        edits: list[Edit] = []
        for start, end in sentences(text):
            changed = _contractions(text, start, end, balance, guarded) or _deletions(text, start, end, guarded)
            token_list = tokens(text, start, end)
            free = [t for t in token_list if not any(e.start < t.end and t.start < e.end for e in changed)]
            edits += changed + _synonyms(token_list, free, used, guarded)
        parts = from_edits(text, edits)
        return Rewriting(parts, (), count_operations(parts))


@cache
def _shortened() -> Mapping[str, str]:
    return {short.lower(): long for long, short in reversed(load("contractions")["expansions"].items())}


@cache
def _contracted() -> re.Pattern[str]:
    keys = sorted(_shortened(), key=lambda k: (-len(k), k))
    spelt = "|".join(re.escape(k).replace("'", "['’]") for k in keys)
    return re.compile(rf"(?<!\w)(?:{spelt})(?!\w)", re.IGNORECASE)


def _contractions(text: str, start: int, end: int, balance: int, guarded: Stretches | None) -> list[Edit]:
    if balance == 0:
        return []
    if balance > 0:
        table, regex, name = _shortened(), _contracted(), "expand"
    else:
        table, regex, name = load("contractions")["expansions"], pattern("contractions", "expansions"), "contract"
    return [
        Edit(m.start(), m.end(), match_case(m.group(), table[m.group().lower().replace("’", "'")]), name)
        for m in regex.finditer(text, start, end)
        if guarded is None or not guarded.touch(*m.span())
    ]


def _deletions(text: str, start: int, end: int, guarded: Stretches | None) -> list[Edit]:
    edits: list[Edit] = []
    free = start
    marks = [(m, "delete brackets") for m in _BRACKETS.finditer(text, start, end)]
    marks += [(m, "delete marker") for m in _markers().finditer(text, start, end)]
    marks += [(m, "delete span") for m in _ENCLOSED.finditer(text, start, end)]
    for match, name in sorted(marks, key=lambda pair: pair[0].start()):
        low, high = match.span()
        if low < free or (guarded is not None and not _removable(match, name, guarded)):
            continue
        at_start = not text[start:low].strip()
        rest = text[high : high + 1]
        # A new sentence start takes the capital.
        if at_start and name == "delete marker":
            edits.append(Edit(low, high + 1, rest.upper(), name))
            free = high + 1
        else:
            edits.append(Edit(low, high, "", name))
            free = high
    # A sentence is never deleted whole.
    left = sum(e.end - e.start for e in edits)
    return edits if left < 0.6 * (end - start) else []


def _removable(match: re.Match[str], name: str, guarded: Stretches) -> bool:
    """Whether what is left can be read: no fixed phrase is cut, and between commas stands an aside, no list."""
    if guarded.cut(*match.span()) and not (name == "delete marker" and match.start() == 0):
        return False
    return name != "delete span" or _ASIDE.match(match.group()) is not None


@cache
def _markers() -> re.Pattern[str]:
    words = sorted((w for w in load("discourse_markers")), key=lambda w: (-len(w), w))
    either = "|".join(map(re.escape, words))
    return re.compile(rf"(?<!\w)(?:{either}), (?=\w)", re.IGNORECASE)


def _synonyms(
    token_list: Sequence[Token], free: Sequence[Token], used: set[str], guarded: Stretches | None
) -> list[Edit]:
    context = frozenset(token.text.lower() for token in token_list)
    allowed = {token.start for token in free}
    edits = []
    for token, tag in zip(token_list, tags(token_list), strict=True):
        pos = wordnet_pos(tag)
        lower = token.text.lower()
        if pos is None or token.start not in allowed or lower in _LIGHT or not lower.isalpha():
            continue
        if guarded is not None and (guarded.touch(token.start, token.end) or tag not in forms(lower, pos)):
            continue
        sense = disambiguate(lower, pos, context)
        if sense is None:
            continue
        for lemma in sense.lemma_names():
            name = lemma.replace("_", " ")
            if not used.intersection(name.lower().split(" ")):
                if guarded is None:
                    form: str | None = inflect(name, tag)
                else:
                    form = inflected(name, tag) if acceptable(lower, name, pos) else None
                if form is None:
                    continue
                new = match_case(token.text, form)
                used.update(new.lower().split(" "))
                edits.append(Edit(token.start, token.end, new, "synonym"))
                break
    return edits


def disambiguate(word: str, pos: str, context: frozenset[str]) -> Any:
    """The sense whose gloss and examples share most words with the sentence (Lesk), ties to the more frequent."""
    best, most = None, -1
    for sense in senses(word, pos):
        shared = len(context & _gloss(sense))
        if shared > most:
            best, most = sense, shared
    return best


@lru_cache(1 << 16)
def _gloss(sense: Any) -> frozenset[str]:
    return frozenset(WORD.findall(" ".join([sense.definition(), *sense.examples()]).lower()))
