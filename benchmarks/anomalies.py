"""Faults that a reader sees in a rewriting, by kind: what ``study_anomalies`` counts."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import accumulate

from ravenbench.obfuscation.guards import Stretches, antonyms, article, bases, is_english, stretches
from ravenbench.obfuscation.parts import sentences
from ravenbench.obfuscation.wording.resources import load
from ravenbench.text.alignment import match, pieces, plain_words
from ravenbench.text.nltk_data import missing

KINDS: Mapping[str, str] = {
    "name": "a name replaced, cut or in lower case",
    "phrase": "an abbreviation, a Latin phrase or a unit of several words broken",
    "number": "a number broken",
    "own lemma": "a word replaced by another form of itself",
    "antonym": "a word replaced by its antonym",
    "no word": "a word that does not exist: cut, glued or wrongly inflected",
    "article": "a for an, or an for a",
    "doubled word": "the same word twice",
    "casing": "a sentence that opens small, or a capital inside one (a lost full stop)",
    "spacing": "a space before a mark, none after one, or two",
}
"""Kinds of fault and what each is."""
_WORD = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")
_ARTICLE = re.compile(r"(?<![\w.])(an?) ([^\W\d_]+)", re.IGNORECASE)
_DOUBLED = re.compile(r"\b([^\W\d_]+)\s+\1\b", re.IGNORECASE)
_SPACING = (
    re.compile(r"(?<=\w)[^\S\n]+[,;!?)](?!\w)|(?<=\w)[^\S\n]+\.(?![.\w])"),
    re.compile(r"(?<=[^\W\d_])[,;!?](?=[^\W\d_])|(?<=[a-z])\.(?=[A-Z])"),
    re.compile(r"(?<=\S)  +(?=\S)"),
)
_INNER = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+\b(?!['’\-])")
_MIXED = re.compile(r"(?<![^\W\d_])[^\W\d_]++[,.]\d|\d[,.][^\W\d_]|\d[^\W\d_]{4,}")


def anomalies(original: str, rewritten: str) -> dict[str, list[str]]:
    """Faults by kind (all of ``KINDS``), each with the words it was seen in; WordNet and Brown sharpen the look.

    Returns
    -------
    dict of str to list of str
        A fault each; of surface faults as many as the rewriting has more than the original.
    """
    hits: dict[str, list[str]] = {kind: [] for kind in KINDS}
    if original == rewritten:
        return hits
    names = stretches(original).names
    for kind, before, after in (
        ("article", _articles(original), _articles(rewritten)),
        ("doubled word", _doubled(original), _doubled(rewritten)),
        ("casing", _casing(original, names), _casing(rewritten, names)),
        ("spacing", _spacing(original), _spacing(rewritten)),
        ("number", Counter(_MIXED.findall(original)), Counter(_MIXED.findall(rewritten))),
    ):
        hits[kind] += (after - before).elements()
    if original.rstrip()[-1:] in ".!?" and rewritten.rstrip()[-1:].isalnum():
        hits["casing"].append("the last full stop")
    was = {word.lower() for word in _WORD.findall(original)}
    hits["no word"] += [
        word
        for word in _WORD.findall(rewritten)
        if word.islower()
        and word not in was
        and not any(map(_known, (word, word.replace("’", "'"))))
    ]
    small = Counter(_WORD.findall(rewritten)) - Counter(_WORD.findall(original))
    hits["name"] += (
        f"{name} → {name.lower()}" for name in sorted(names) for _ in range(small[name.lower()])
    )
    hits["phrase"] += _broken(stretches(original), original, rewritten)
    for old, new in _substituted(original, rewritten):
        if old in names and new.lower() != old.lower():
            hits["name"].append(f"{old} → {new}")
        elif (
            old.lower() != new.lower()
            and _has_wordnet()
            and not _spelt_alike(old.lower(), new.lower())
        ):
            if bases(old.lower()) & bases(new.lower()):
                hits["own lemma"].append(f"{old} → {new}")
            elif new.lower() in antonyms(old.lower()):
                hits["antonym"].append(f"{old} → {new}")
    return hits


def per_thousand(texts: Mapping[str, tuple[str, str]]) -> dict[str, float]:
    """Faults by kind per 1,000 words of the originals, over (original, rewriting) by id."""
    words = sum(len(plain_words(original)) for original, _ in texts.values())
    counts: Counter[str] = Counter()
    for original, rewritten in texts.values():
        counts.update({kind: len(seen) for kind, seen in anomalies(original, rewritten).items()})
    return {kind: 1000 * counts[kind] / words if words else 0.0 for kind in KINDS}


def _articles(text: str) -> Counter[str]:
    matches = (m for m in _ARTICLE.finditer(text) if not (m[1] == "A" and m[2].isupper()))
    return Counter(m.group() for m in matches if m[1].lower() != article(m[2]))


def _doubled(text: str) -> Counter[str]:
    return Counter(m.group().lower() for m in _DOUBLED.finditer(text))


def _casing(text: str, names: frozenset[str]) -> Counter[str]:
    spans = [text[a:b].lstrip("\"'“‘([ \n\t") for a, b in sentences(text)]
    small = [s[:20] for s in spans if s[:1].islower()]
    inner = [
        m.group() for m in _INNER.finditer(text) if m.group() not in names and m.group() != "I"
    ]
    return Counter([*small, *inner])


def _spacing(text: str) -> Counter[str]:
    return Counter(
        f"{number}" for number, pattern in enumerate(_SPACING) for _ in pattern.finditer(text)
    )


def _broken(guarded: Stretches, original: str, rewritten: str) -> list[str]:
    """Fixed stretches of several words or marks of which a piece is left; those that gave way whole are no fault."""
    a, b = pieces(original), pieces(rewritten)
    matched = {i for i, _ in match(a, b, lambda piece: piece.strip().casefold())}
    starts = [
        end - len(piece.lstrip()) for piece, end in zip(a, accumulate(map(len, a)), strict=True)
    ]
    out = []
    for low, high in guarded.spans:
        inside = range(bisect_left(starts, low), bisect_left(starts, high))
        left = sum(i in matched for i in inside)
        if len(inside) > 1 and 0 < left < len(inside) and not original[low:high][:1].isdigit():
            out.append(original[low:high])
    return out


def _substituted(original: str, rewritten: str) -> Iterator[tuple[str, str]]:
    """Words that stand where another stood, one for one between words that both texts share."""
    a, b = ([p.strip() for p in pieces(text)] for text in (original, rewritten))
    i = j = 0
    for x, y in [*match(a, b, lambda word: word), (len(a), len(b))]:
        if x - i == y - j:
            pairs = zip(a[i:x], b[j:y], strict=True)
            yield from ((old, new) for old, new in pairs if old.isalpha() and new.isalpha())
        i, j = x + 1, y + 1


def _spelt_alike(old: str, new: str) -> bool:
    """Whether two words are one in British and American spelling."""
    table = load("british_american")
    return bool(table.get(old) == new or table.get(new) == old)


def _known(word: str) -> bool:
    return is_english(word) or all(is_english(part) for part in re.split(r"[-']", word) if part)


def _has_wordnet() -> bool:
    return missing("wordnet") is None
