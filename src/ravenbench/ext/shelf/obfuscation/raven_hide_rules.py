"""Finds edits of ``raven-hide`` that need parts of speech, by rules over tagged sentences.

In: for ``ruled_edits`` an English text; nothing for ``rules``.
Out: ``ruled_edits``: an iterator of pairs (edits, cost): ``edits`` is a tuple of ``Edit`` made together or not at all
(half-open spans in characters, and the new text), ``cost`` one number for the tuple, from 0.1 (nobody notices) to 0.4
(another word or order of clauses); nothing, and no error, if NLTK's tagger is missing. ``rules``: all rules as
``TaggedRule``, in the order of their file.

The rules are in ``raven_hide_rules.txt``. The change that a rule makes in a sentence is reduced to the words that
differ, so that a clause may move while other edits change a word within it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from importlib.resources import files

from ravenbench.obfuscation.parts import Edit, sentences
from ravenbench.obfuscation.wording.words import Token, tags, tokens
from ravenbench.text.nltk_data import TAGGER, missing

_ELEMENT = re.compile(r"\(\?[:=!]|([^\s()/]++)(?:/([^\s()]*+))?")
_MACRO = re.compile(r"\{([a-z][a-z ]*)\}")
_PLACE = re.compile(r"\\([,']?)(\d)")
_NO_RULE = re.compile(r"[\n“”\"‘«»\u200b-\u200f\u202a-\u202e]")
"""A sentence with one of these marks, or signs that nobody sees, is left to other edits."""
MOST = 60
"""Maximum words of a sentence for which rules are tried."""


@dataclass(frozen=True)
class TaggedRule:
    """A rule: a stretch of a tagged sentence and its replacement."""

    operation: str
    pattern: re.Pattern[str]
    barred: re.Pattern[str] | None
    templates: tuple[str, ...]
    cost: float


@cache
def rules() -> tuple[TaggedRule, ...]:
    """Return all rules, in the order of the file."""
    macros = dict[str, str]()
    read = list[TaggedRule]()
    cost = 0.0
    for line in (files(__package__) / "raven_hide_rules.txt").read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            cost = float(line.strip("[]"))
        elif line.startswith("{"):
            name, _, meaning = line.partition(" = ")
            macros[name.strip("{}")] = _MACRO.sub(lambda name: macros[name[1]], meaning)
        else:
            operation, written = line.split(" :: ", 1)
            pattern, _, made = written.partition(" => ")
            pattern = _MACRO.sub(lambda name: macros[name[1]], pattern)
            pattern = _ELEMENT.sub(_element, pattern).replace(" ", "").replace("_", " ")
            start = "" if pattern.startswith("^") else r"(?<![^ ])"
            operation, _, words = operation.partition(" not ")
            barred = re.compile(rf"(?<![^ ])(?:{words})/") if words else None
            read.append(
                TaggedRule(
                    operation, re.compile(start + pattern), barred, tuple(made.split(" | ")), cost
                )
            )
    return tuple(read)


def _element(match: re.Match[str]) -> str:
    """``word|word/TAG`` as an expression over ``word/TAG`` and a blank; ``*`` is any word, no tag any tag."""
    if match[2] is None:
        return match[0]
    word = match[1].replace("*", "[^_/]+")
    return f"(?:(?:{word})/(?:{match[2] or '[^_]+'})_)"


def ruled_edits(text: str) -> Iterator[tuple[tuple[Edit, ...], float]]:
    """Yield edits by rules, and the cost of each; none without the tagger."""
    if missing(TAGGER) is not None:
        return
    for start, end in sentences(text):
        body = text[start:end].rstrip()
        words = tokens(text, start, start + len(body))
        if not 4 <= len(words) <= MOST or _NO_RULE.search(body):
            continue
        names = tags(words)
        tagged = ""
        places = list[int]()
        for word, name in zip(words, names, strict=True):
            places.append(len(tagged))
            tagged += f"{word.text.lower().replace('’', chr(39)).replace('/', '|')}/{name} "
        places.append(len(tagged))
        token_at = {place: number for number, place in enumerate(places)}
        for rule in rules():
            if rule.barred is not None and rule.barred.search(tagged):
                continue
            for match in rule.pattern.finditer(tagged):
                low = token_at[match.start()]
                high = token_at[match.end()]
                for template in rule.templates:
                    groups = [
                        (
                            None
                            if match.start(i) < 0
                            else (token_at[match.start(i)], token_at[match.end(i)])
                        )
                        for i in range(1, (match.re.groups or 0) + 1)
                    ]
                    new = _filled(template, text, words, names, groups, low)
                    edits = _differences(
                        text, words[low].start, words[high - 1].end, new, rule.operation
                    )
                    if edits:
                        yield edits, rule.cost


def _filled(
    template: str,
    text: str,
    words: Sequence[Token],
    names: Sequence[str],
    groups: Sequence[tuple[int, int] | None],
    low: int,
) -> str:
    """A template with the words of its groups; what opened the sentence becomes small, what opens it now great."""

    def words_of(match: re.Match[str]) -> str:
        place = groups[int(match[2]) - 1]
        if place is None or place[0] == place[1]:
            return ""
        stretch = text[words[place[0]].start : words[place[1] - 1].end]
        if place[0] == 0 and not (
            names[0].startswith("NNP") or words[0].text in ("I", "I'm", "I've", "I'll", "I'd")
        ):
            stretch = stretch[0].lower() + stretch[1:]
        if match[1] == "'":
            return re.sub(r"['’]s?\Z", "", stretch)
        return stretch

    new = re.sub(r" +(?=[ ,.]|\Z)|(?<!.) +", "", _PLACE.sub(words_of, template))
    if ". \\" in template:
        new = re.sub(r"(?<=\w\. )[a-z]", lambda letter: letter[0].upper(), new)
    return new[:1].upper() + new[1:] if low == 0 else new


def _differences(text: str, start: int, end: int, new: str, operation: str) -> tuple[Edit, ...]:
    """The edits that make ``text[start:end]`` the new one, word by word."""
    before = [
        (piece.start(), piece[0])
        for piece in re.finditer(r"\s+|[\w'’\-]+|[^\w\s]", text[start:end])
    ]
    after = re.findall(r"\s+|[\w'’\-]+|[^\w\s]", new)
    edits = list[Edit]()
    matcher = SequenceMatcher(None, [word for _, word in before], after, autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind != "equal":
            low = start + (before[a][0] if a < len(before) else end - start)
            high = start + (before[b][0] if b < len(before) else end - start)
            edits.append(Edit(low, high, "".join(after[c:d]), operation))
    return tuple(edits)
