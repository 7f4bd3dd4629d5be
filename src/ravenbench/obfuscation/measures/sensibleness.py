"""Sensibleness, whether a rewriting can be read; each measure is a text's own minus its original's.

Parts of one verdict, not a total: a report ranks them and shows the mean rank beside them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate

import numpy as np

from ravenbench.obfuscation.guards import Stretches, antonyms, article, bases, is_english, stretches
from ravenbench.obfuscation.parts import sentences
from ravenbench.obfuscation.wording import resources
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
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)+|\d+")
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
        word for word in _WORD.findall(rewritten)
        if word.islower() and word not in was and not any(map(_known, (word, word.replace("’", "'"))))
    ]  # fmt: skip
    small = Counter(_WORD.findall(rewritten)) - Counter(_WORD.findall(original))
    hits["name"] += (f"{name} → {name.lower()}" for name in sorted(names) for _ in range(small[name.lower()]))
    hits["phrase"] += _broken(stretches(original), original, rewritten)
    for old, new in _substituted(original, rewritten):
        if old in names and new.lower() != old.lower():
            hits["name"].append(f"{old} → {new}")
        elif old.lower() != new.lower() and _has_wordnet() and not _spelt_alike(old.lower(), new.lower()):
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
    inner = [m.group() for m in _INNER.finditer(text) if m.group() not in names and m.group() != "I"]
    return Counter([*small, *inner])


def _spacing(text: str) -> Counter[str]:
    return Counter(f"{number}" for number, pattern in enumerate(_SPACING) for _ in pattern.finditer(text))


def _broken(guarded: Stretches, original: str, rewritten: str) -> list[str]:
    """Fixed stretches of several words or marks of which a piece is left; those that gave way whole are no fault."""
    a, b = pieces(original), pieces(rewritten)
    matched = {i for i, _ in match(a, b, lambda piece: piece.strip().casefold())}
    starts = [end - len(piece.lstrip()) for piece, end in zip(a, accumulate(map(len, a)), strict=True)]
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


_TOKEN = re.compile(r"\w+(?:['’\-]\w+)*|[^\w\s]")
_LETTERS = re.compile(r"[^\W\d_]+")
_OTHER_LANGUAGES = (
    "der das und nicht ist ein eine einen einem mit auf für auch wir sie sich von zu dass wird wurde oder aber bei "
    "le les une dans pour pas est avec sur qui que ce cette sont nous vous il elle mais où été être "
    "el los las una por para con pero como está het een niet van voor zijn wordt di che non sono della"
)
_FOREIGN = frozenset(_OTHER_LANGUAGES.split())
_CHATTER = re.compile(
    r"\bas an ai\b|\blanguage model\b|\bi (?:cannot|can't|am unable to) (?:assist|help|rewrite)\b|"
    r"^[^\S\n]*+(?:sure|certainly|of course)[,!.]|\bhere(?:'s| is) (?:the|a|your) (?:rewritten|revised|paraphrased)\b|"
    r"\b(?:rewritten|revised|paraphrased) (?:text|version|paragraph)\s*:|<\|?(?:im_|end|start)",
    re.IGNORECASE | re.MULTILINE,
)

ANOMALIES: Mapping[str, re.Pattern[str]] = {
    "space_before_mark": re.compile(r"(?<=\w)[^\S\n]+(?:[,;!?)\]]|[.:](?![.\w)]))"),
    "no_space_after_mark": re.compile(r"(?<=[^\W\d_])[,;:!?](?=[^\W\d_])|(?<=[a-z])\.(?=[A-Z])"),
    "doubled_marks": re.compile(r"([,;:])\s*\1|[!?]{2,}|(?<!\.)\.\.(?!\.)|[,;:]\s*[.!?]|[.!?]\s*[,;:]"),
    "inner_capital": re.compile(r"(?<=[a-z,]\s)(?!I\b)[A-Z]\w*"),
    "repeated_words": re.compile(r"\b([^\W\d_]+)\s+\1\b"),
    "chatter": _CHATTER,
}
"""Anomalies that are found by looking, counted per 1,000 tokens with the two below."""

MEASURES = (
    "surprisal", "oov", "repeated_misspellings", "foreign", *ANOMALIES, "lowercase_start", "unbalanced", "languagetool",
)  # fmt: skip
"""Higher is less sensible in all. ``surprisal`` is in bits a token, the others per 1,000 words or tokens."""


class Sensibleness:
    """Measures of texts against their originals; each original is measured once.

    Parameters
    ----------
    grammar : callable, optional
        Number of a grammar checker's matches in a text (``services.LanguageTool``).

    Attributes
    ----------
    missing : dict of str to str
        Measures that are not made here, and why.
    """

    def __init__(self, grammar: Callable[[str], int] | None = None) -> None:
        self.grammar = grammar
        self.missing: dict[str, str] = {}
        self._known: dict[str, dict[str, float | None]] = {}
        self._words: dict[str, bool] = {}
        if (reason := missing("brown")) is not None:
            self.missing |= dict.fromkeys(("surprisal", "oov", "repeated_misspellings"), reason)
        if grammar is None:
            self.missing["languagetool"] = "no LanguageTool server was given"

    def measure(self, original: str, rewritten: str) -> dict[str, float | None]:
        """Every measure of a rewriting minus its original's; None for one that was not made."""
        if original not in self._known:
            self._known[original] = self.of(original)
        was = self._known[original]
        now = was if rewritten == original else self.of(rewritten)
        return {
            name: None if (a := was[name]) is None or (b := now[name]) is None else b - a for name in MEASURES
        }  # fmt: skip

    def of(self, text: str) -> dict[str, float | None]:
        """The measures of one text; None for what cannot be made here or a text without words."""
        spoken, words = _TOKEN.findall(text), plain_words(text)
        row: dict[str, float | None] = dict.fromkeys(MEASURES)
        if not spoken or not words:
            return row
        for name, pattern in ANOMALIES.items():
            row[name] = 1000 * sum(1 for _ in pattern.finditer(text)) / len(spoken)
        spans = [text[a:b].strip() for a, b in sentences(text)]
        lower = sum(1 for s in spans if (first := _LETTERS.search(s)) and first.start() <= 1 and first[0][0].islower())
        row["lowercase_start"] = 1000 * lower / len(spoken)
        row["unbalanced"] = 1000 * _unbalanced(text) / len(spoken)
        row["foreign"] = 1000 * sum(_is_foreign(word) for word in words) / len(words)
        if "oov" not in self.missing:
            unknown = Counter(w for word in words if not self._in_vocabulary(w := word.replace("’", "'")))
            row["oov"] = 1000 * unknown.total() / len(words)
            row["repeated_misspellings"] = 1000 * sum(c for c in unknown.values() if c > 1) / len(words)
            row["surprisal"] = self._surprisal(spans)
        if self.grammar is not None:
            try:
                row["languagetool"] = 1000 * self.grammar(text) / len(words)
            except OSError as error:
                self.missing["languagetool"] = str(error)
        return row

    def _surprisal(self, spans: list[str]) -> float | None:
        model = resources.language_model()
        parts = [model.log10(words) for span in spans if (words := _TOKEN.findall(span.replace("’", "'")))]
        return float(-np.concatenate(parts).mean() * np.log2(10)) if parts else None

    def _in_vocabulary(self, word: str) -> bool:
        known = self._words.get(word)
        if known is None:
            model = resources.language_model()
            forms = (word, word.lower(), word.lower().removesuffix("'s"))
            known = word.isdecimal() or any(form in model for form in forms)
            if not known and missing("wordnet") is None:
                known = resources.wordnet().morphy(word.lower()) is not None
            self._words[word] = known
        return known


def mean_ranks(values: Mapping[str, Mapping[str, float | None]]) -> dict[str, float | None]:
    """Mean rank of each system over the measures all systems have, 1 = most sensible; ties share ranks."""
    from scipy.stats import rankdata

    systems = list(values)
    ranks = []
    for name in MEASURES:
        column = [values[system].get(name) for system in systems]
        numbers = [v for v in column if v is not None]
        if len(numbers) == len(column) and len(set(numbers)) > 1:
            ranks.append(rankdata(np.round(numbers, 9)))
    means = np.mean(ranks, axis=0).tolist() if ranks else [None] * len(systems)
    return dict(zip(systems, means, strict=True))


def _is_foreign(word: str) -> bool:
    return word.casefold() in _FOREIGN or any(ord(c) > 0x24F for c in word.replace("’", ""))


def _unbalanced(text: str) -> int:
    """Brackets without a partner, and straight or curly double quotes left open."""
    count = 0
    for left, right in ("()", "[]", "{}", "“”"):
        depth = 0
        for c in text:
            if c == left:
                depth += 1
            elif c == right:
                if depth:
                    depth -= 1
                else:
                    count += 1
        count += depth
    return count + text.count('"') % 2
