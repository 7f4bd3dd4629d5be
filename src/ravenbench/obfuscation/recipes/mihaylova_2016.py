"""Rewrites an English text by fourteen operations that pull it towards average style (the obfuscator ``Mihaylova``).

In: for ``obfuscate`` an ``ObfuscationTask`` and a seed. A step (``STEPS``) takes the text of one part, a ``Context``
(the document's statistics; in ``delta`` these minus the averages, above 0 = more than usual) and a random generator.
Out: a ``Rewriting``: parts (old text, new text, steps that changed it), notes on what is missing here, and the number
of parts that each step changed, by name. A step gives the part's new text. SpecError for an unknown mode, when the
obfuscator is made; MissingPart without lemminflect where synonyms need it (repaired mode with WordNet), and from
``correct`` without Brown. Helpers give words or text, None where nothing fits; ``distances`` takes code points of a
word and of a vocabulary and gives edits (0 to 3, 3 = three or more).

References
----------
Mihaylova, Karadjov, Nakov, Kiprov, Georgiev, Koychev (2016), SU@PAN'2016: Author Obfuscation, CLEF working notes.
The word lists are Raven's own; the paraphrase subset of the original was never published.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, lru_cache, partial
from typing import Literal, Self

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ravenbench.obfuscation import base
from ravenbench.obfuscation.guards import (
    Stretches,
    acceptable,
    is_english,
    relatives,
    same_form,
    stretches,
)
from ravenbench.obfuscation.parts import pack, sentences
from ravenbench.obfuscation.recipes.mihaylova_2016_statistics import (
    Measured,
    has_vocabulary,
    in_vocabulary,
    measure,
)
from ravenbench.obfuscation.wording.resources import language_model, load, pattern, word_set
from ravenbench.obfuscation.wording.words import (
    base_form,
    head,
    match_case,
    parents,
    senses,
    usual_sense,
)
from ravenbench.text.nltk_data import missing

NUMBER = re.compile(
    r"(?<![\w.,:/\-–$€£¥%])\d+(?:,\d{3})*(?:\.\d+)?(?![\w:/\-–%°]|[.,]\d|\s?(?:am|pm|a\.m|p\.m|[$€£%])|['’]\w)"
)
"""Numerals with nothing around that a spoken number would break: *3,2* and *10:30* stay."""
_DETERMINER = re.compile(
    r"(?i)\b(?:the|an?|this|that|these|those|my|his|her|its|our|your|their|no|any|each|every)\s+\Z"
)
_LONGEST_GLOSS = 6
_AROUND = 60

Swap = Callable[[re.Match[str]], str]


def substituted(pattern: re.Pattern[str], swap: Swap, text: str, guarded: Stretches | None) -> str:
    """``pattern.sub``, but for matches that touch a stretch to be left alone."""
    if guarded is None:
        return pattern.sub(swap, text)
    return pattern.sub(
        lambda match: match.group() if guarded.touch(*match.span()) else swap(match), text
    )


def stop_word_fits(match: re.Match[str], text: str) -> bool:
    """Return whether a stop word's alternative can replace it at this match in the text."""
    around = _surroundings()[match.group().lower()]
    if around is None:
        return False
    before, after = around
    return bool(before.search(text[max(0, match.start() - _AROUND) : match.start()])) and bool(
        after.match(text, match.end())
    )


def paraphrase_fits(match: re.Match[str], text: str) -> bool:
    """Return whether a paraphrase can replace the phrase at this match: not after a negation or an auxiliary."""
    rules = load("paraphrase_surroundings")
    if match.group().lower() in rules["never"]:
        return False
    before = text[max(0, match.start() - _AROUND) : match.start()]
    return re.search(rules["not_after"], before, re.IGNORECASE) is None


def readable_synonym(word: str, pos: str) -> str | None:
    """Return a synonym of the word's usual sense, otherwise a hypernym, in the word's form; None if none fits."""
    for lemma in (name for names in relatives(word, pos) for name in names):
        if (form := same_form(word, lemma, pos)) is not None:
            return form
    return None


def readable_gloss(match: re.Match[str], text: str, pos: str) -> str | None:
    """Return a short WordNet gloss that can replace a noun; None if there is none."""
    word = match.group().lower()
    sense = usual_sense(word, pos) if pos == "n" and base_form(word, pos) == word else None
    if sense is None:
        return None
    gloss = str(sense.definition())
    if (
        len(gloss.split()) > _LONGEST_GLOSS
        or re.search(r"[^\w\s'\-]", gloss)
        or word in gloss.split()
    ):
        return None
    bare = re.sub(r"\A(?:an?|the) ", "", gloss)
    after = text[match.end() : match.end() + 1]
    if not _DETERMINER.search(text[: match.start()]) or after not in (".", ",", ";", "!", "?"):
        return None
    return bare if bare != gloss or acceptable(word, bare.split(" ")[0], pos) else None


@cache
def _surroundings() -> dict[str, tuple[re.Pattern[str], re.Pattern[str]] | None]:
    table = load("stopword_surroundings")
    return {
        word: None if rule is None else (re.compile(rf"(?i)(?:{rule[0]})\Z"), re.compile(rule[1]))
        for word, rule in table.items()
    }


_LETTERS = re.compile(r"[^\W\d_]+")
_CONNECTIVES = ("and", "and", "and", "and", "", "", "", "as", "yet")
_BREAKERS = re.compile(
    r", (?:however|therefore|moreover|furthermore|although|because|but|so|while|whereas) ", re.I
)
_WHOLE_BREAKERS = re.compile(
    r", (?:however|therefore|moreover|furthermore|but) (?=(?:I|he|she|it|we|they|you|the) )"
)
_SUBJECT = word_set("openers of a sentence")
_NEAR = 8


def split(sentence: str, pos: Mapping[str, str], guarded: Stretches | None) -> str:
    """Return the sentence, split at *and* after a noun and a verb, and at discourse markers.

    If ``guarded`` is given, the second part must look like a sentence too.
    """
    rewritten = []
    seen_classes = set()
    at = 0
    for match in _LETTERS.finditer(sentence):
        word = match.group().lower()
        seen_classes.add(pos.get(word, ""))
        if (
            word == "and"
            and {"n", "v"} <= seen_classes
            and sentence[match.end() : match.end() + 1] == " "
        ):
            if guarded is not None and not _opens_sentence(sentence[match.end() :], pos):
                continue
            next_start = match.end() + 1
            rewritten.append(sentence[at : match.start()].rstrip(" ,;:") + ". ")
            sentence = (
                sentence[:next_start]
                + sentence[next_start : next_start + 1].upper()
                + sentence[next_start + 1 :]
            )
            at = next_start
            seen_classes = set()
    joined = "".join([*rewritten, sentence[at:]])
    breakers = _BREAKERS if guarded is None else _WHOLE_BREAKERS
    return breakers.sub(lambda m: ". " + m.group()[2:].capitalize(), joined)


def merge(text: str, rng: np.random.Generator, guarded: Stretches | None) -> str:
    """One sentence of all: final marks become a comma or semicolon with a connective, next initials small.

    If ``guarded`` is given, names and words in capitals keep their initials.
    """
    spans = sentences(text)
    rewritten = []
    for number, (start, end) in enumerate(spans):
        sentence = text[start:end]
        body = sentence.rstrip()
        gap = sentence[len(body) :]
        if number:
            first_word = re.match(r"\W*(\w+)", body)
            if (
                first_word
                and first_word.group(1) != "I"
                and not (guarded and keeps_capital(first_word.group(1), guarded))
            ):
                body = (
                    body[: first_word.start(1)]
                    + body[first_word.start(1)].lower()
                    + body[first_word.start(1) + 1 :]
                )
        if number + 1 < len(spans) and "\n\n" not in gap and body[-1:] in ".!?":
            mark = ",;"[int(rng.integers(2))]
            word = _CONNECTIVES[int(rng.integers(len(_CONNECTIVES)))]
            body = body[:-1] + mark
            gap = f" {word} " if word else " "
        rewritten.append(body + gap)
    return "".join(rewritten)


def keeps_capital(word: str, guarded: Stretches) -> bool:
    """Return whether a sentence's first word has its capital for another reason than its position."""
    return word == "I" or word in guarded.names or word[1:] != word[1:].lower()


def _opens_sentence(after_and: str, pos: Mapping[str, str]) -> bool:
    words = [
        match.group().lower()
        for match in _LETTERS.finditer(re.split(r"[.,;:!?]", after_and, maxsplit=1)[0])
    ][:_NEAR]
    return bool(words) and words[0] in _SUBJECT and any(pos.get(word) == "v" for word in words[1:])


_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
_ONES += ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
_TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_LONG = 8


def spoken(numeral: str) -> str:
    """``1,204.5`` → *one thousand two hundred four point five*; eight digits or more one by one."""
    whole_digits, _, decimals = numeral.replace(",", "").partition(".")
    digits = [_ONES[int(digit)] for digit in whole_digits]
    words = " ".join(digits) if len(whole_digits) >= _LONG else _cardinal(int(whole_digits))
    return words + (
        " point " + " ".join(_ONES[int(digit)] for digit in decimals) if decimals else ""
    )


def spoken_year(numeral: str) -> str | None:
    """``1984`` → *nineteen eighty-four*; None for what is not written like a year from 1100 to 2099."""
    if (
        len(numeral) != 4
        or not numeral.isdecimal()
        or not 1100 <= int(numeral) < 2100
        or numeral[1:3] == "00"
    ):
        return None
    century, year = divmod(int(numeral), 100)
    years = f"oh {_ONES[year]}" if year < 10 else _cardinal(year)
    return f"{_cardinal(century)} {years if year else 'hundred'}"


def _cardinal(n: int) -> str:
    if n < 20:
        return _ONES[n]
    if n < 100:
        return _TENS[n // 10] + (f"-{_ONES[n % 10]}" if n % 10 else "")
    if n < 1000:
        return f"{_ONES[n // 100]} hundred" + (f" {_cardinal(n % 100)}" if n % 100 else "")
    size, name = (1_000_000, "million") if n >= 1_000_000 else (1000, "thousand")
    return f"{_cardinal(n // size)} {name}" + (f" {_cardinal(n % size)}" if n % size else "")


_WIDTH = 24
_FREQUENT = 20_000


@lru_cache(1 << 16)
def correct(word: str) -> str:
    """Return the nearest lowercase word among Brown's most frequent (insertions, deletions, substitutions), or the
    word.

    One edit wins over two, then frequency decides. Raises MissingPart without Brown.
    """
    if len(word) >= _WIDTH:
        return word
    names, letters, lengths = _vocabulary()
    code = np.array([ord(character) for character in word], dtype=np.int32)
    distance = distances(code, letters, lengths)
    for edits in (1, 2):
        nearest = np.flatnonzero(distance == edits)
        if len(nearest):
            return names[int(nearest[0])]
    return word


@cache
def _vocabulary() -> tuple[list[str], NDArray[np.int32], NDArray[np.int64]]:
    # Ids ascend as frequency falls.
    names = [
        word
        for word in language_model().vocabulary[3:]
        if word.isalpha() and word.islower() and 2 < len(word) < _WIDTH
    ]
    names = names[:_FREQUENT]
    letters = np.zeros((len(names), _WIDTH), dtype=np.int32)
    for row, name in enumerate(names):
        letters[row, : len(name)] = [ord(character) for character in name]
    return names, letters, np.array([len(name) for name in names])


@njit(cache=True)
def distances(word, letters, lengths):  # type: ignore[no-untyped-def]
    """Levenshtein distance (edits, int) of a word to each row of letters; 3 where the lengths differ by more than
    2."""
    word_length = len(word)
    nearest = np.full(len(lengths), 3, np.int64)
    row_above = np.empty(word_length + 1, np.int64)
    for row in range(len(lengths)):
        length = lengths[row]
        if abs(length - word_length) > 2:
            continue
        for j in range(word_length + 1):
            row_above[j] = j
        for i in range(length):
            diagonal = row_above[0]
            row_above[0] = i + 1
            for j in range(word_length):
                cost = diagonal + (word[j] != letters[row, i])
                diagonal = row_above[j + 1]
                row_above[j + 1] = min(cost, row_above[j] + 1, row_above[j + 1] + 1)
        nearest[row] = min(row_above[word_length], 3)
    return nearest


_PREPOSITION = re.compile(
    r"(?<=\w)"
    r" (?=(?:in|on|at|by|for|with|from|into|of|to|about|between|through|during|under|over|against)\b)"
)
_LOOSE_PREPOSITION = re.compile(
    r"(?<=\w{3}) (?=(?:for|with|between|through|during|under|over|against)\b)"
)
_MARKED = 25
"""Characters at a sentence's start within which a comma shows that it has a marker already."""
_OF = re.compile(
    r"(?<!\w)([A-Za-z]+) of ((?:the |his |her |their |our |my |your )?[A-Za-z]+)(?!\w)"
)
_NOT_OWNED = re.compile(
    r"(?i)(?:one|all|some|most|many|much|each|both|any|none|few|out|because|instead|kind|sort|lot|number|part|"
    r"course|think|is|was|are|were|made|aware|full|afraid|of)\Z"
)
_COMPARES = re.compile("[=<>≤≥]")
_CALCULATES = re.compile(r"[+−*/]")
_CAPITALS = re.compile(r"(?<!\w)[A-Z]{4,}(?!\w)")
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?(?!\w)")
_MONEY = re.compile(r"([$€£¥₹¢])\s?([\w,.]*\w)")
_WORD = re.compile(r"[^\W\d_]+")
_BOTH = word_set("everyday words of both spellings")
_MARKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("!", ("!", "!!", "!!!")),
    ("?", ("?", "??", "???", "?!?", "!?!")),
)


@dataclass(frozen=True)
class Context:
    """What a step may use: the document's statistics, ``delta`` (these minus the averages), the mode and the names."""

    document: Measured
    delta: Mapping[str, float]
    faithful: bool
    wordnet: bool
    names: frozenset[str] = frozenset()

    def guarded(self, text: str) -> Stretches | None:
        """The stretches of a part's text that must not change; None in faithful mode, which may change everything."""
        return None if self.faithful else stretches(text, self.names)


Step = Callable[[str, Context, np.random.Generator], str]


def possessives(text: str, context: Context, rng: np.random.Generator) -> str:
    """1. *X of Y* → *Y's X* throughout, if the part begins with one (p = 1/3)."""
    if not _OF.match(text.lstrip()) or rng.random() >= 1 / 3:
        return text

    def owned(match: re.Match[str]) -> str:
        possession = match.group(1)
        owner = match.group(2)
        if not context.faithful and _NOT_OWNED.match(possession):
            return match.group()
        if context.faithful:
            return f"{owner}'s {possession}"
        return (
            match_case(possession, owner)
            + ("' " if owner.endswith("s") else "'s ")
            + possession.lower()
        )

    return _OF.sub(owned, text)


def operators(text: str, context: Context, rng: np.random.Generator) -> str:
    """2. Operators in words, if the part both compares and calculates."""
    if not (_COMPARES.search(text) and _CALCULATES.search(text)):
        return text
    names: Mapping[str, str] = load("symbols")["operators"]
    return re.sub(r" ?([+−*/=<>≤≥]) ?", lambda match: names[match.group(1)], text)


def numerals(text: str, context: Context, rng: np.random.Generator) -> str:
    """3. Numerals in words; eight digits or more are read one by one. Repaired mode reads years as years."""
    if context.faithful:
        return _NUMBER.sub(lambda match: spoken(match.group()), text)
    return NUMBER.sub(lambda match: spoken_year(match.group()) or spoken(match.group()), text)


def contractions(text: str, context: Context, rng: np.random.Generator) -> str:
    """4. Contractions expanded; *'d* becomes *would* or *had* at random, *'s* stays.

    Faithful mode cuts endings off any word before them (*ca not*, *wo not*).
    """
    table = load("contractions")
    text = text.replace("’", "'") if re.search(r"\w’\w", text) else text
    if not context.faithful:
        contraction_pattern = pattern("contractions", "pairs")
        text = contraction_pattern.sub(
            lambda match: match_case(match.group(), table["pairs"][match.group().lower()]), text
        )
    else:
        text = re.sub(r"\bI'm\b", "I am", text)
    for ending, words in table["endings"].items():
        text = re.sub(rf"(?<=\w){ending}(?!\w)", words, text)
    for ending, choices in table["either"].items():
        text = re.sub(rf"(?<=\w){ending}(?!\w)", partial(_drawn, choices, rng), text)
    return text


def symbols(text: str, context: Context, rng: np.random.Generator) -> str:
    """5. Symbols, currencies and titles in words."""
    table = load("symbols")
    for title, word in table["titles"].items():
        text = re.sub(rf"(?<!\w){re.escape(title)}(?=\s|\Z)", word, text)
    text = _MONEY.sub(lambda match: f"{match.group(2)} {table['currency'][match.group(1)]}", text)
    for sign, word in table["symbols"].items():
        if context.faithful or sign not in "&@":
            text = text.replace(sign, word)
        else:
            text = re.sub(rf"(?<=\s){sign}(?=\s)", word.strip(), text)
    return text


def capitals(text: str, context: Context, rng: np.random.Generator) -> str:
    """6. Words of more than three capitals keep only the first (code; the paper says lower case).

    Repaired mode leaves abbreviations (*NATO*) as they are.
    """
    return _CAPITALS.sub(
        lambda match: (
            match.group().capitalize()
            if context.faithful or is_english(match.group().lower())
            else match.group()
        ),
        text,
    )


def paraphrases(text: str, context: Context, rng: np.random.Generator) -> str:
    """7. Each phrase of a small paraphrase table that occurs is replaced throughout with p = 1/2."""
    table = load("paraphrases")
    chosen: dict[str, bool] = {}

    def swap(match: re.Match[str]) -> str:
        key = match.group().lower()
        if chosen.setdefault(key, rng.random() < 0.5) and (
            context.faithful or paraphrase_fits(match, text)
        ):
            return _cased(context, match.group(), table[key])
        return match.group()

    return pattern("paraphrases").sub(swap, text)


def stop_words(text: str, context: Context, rng: np.random.Generator) -> str:
    """8. Stop words give way to a phrase or vanish, each with p = 1.5·abs(Δ)."""
    table = load("stopword_alternatives")
    rate = 1.5 * abs(context.delta["stop"])

    def swap(match: re.Match[str]) -> str:
        if rng.random() >= rate or not (context.faithful or stop_word_fits(match, text)):
            return match.group()
        return _cased(context, match.group(), table[match.group().lower()])

    result = substituted(pattern("stopword_alternatives"), swap, text, context.guarded(text))
    return result if result == text else _single_spaces(result)


def punctuation(text: str, context: Context, rng: np.random.Generator) -> str:
    """9. Fewer commas, semicolons and colons where there are many; more marks where there are few."""
    delta = context.delta["punctuation"]
    rate = 1.5 * abs(delta)
    if delta > 0:
        for mark in ",;:":
            if rng.random() < rate:
                text = re.sub(rf"(?<!\d){mark}|{mark}(?!\d)", "", text)
        return text
    for mark, choices in _MARKS:
        if mark in text and rng.random() < rate:
            text = text.replace(mark, choices[int(rng.integers(len(choices)))])
    marks = ", ", ", ", ", ", "; "
    preposition = _PREPOSITION if context.faithful else _LOOSE_PREPOSITION

    def put(match: re.Match[str]) -> str:
        return (
            marks[int(rng.integers(4 if context.faithful else 3))]
            if rng.random() < rate
            else match.group()
        )

    return substituted(preposition, put, text, context.guarded(text))


def vocabulary(text: str, context: Context, rng: np.random.Generator) -> str:
    """10. Frequent content words become synonyms or hypernyms; or words that occur once become their glosses."""
    if not context.wordnet:
        return text
    document = context.document
    delta = context.delta["ttr"]

    def swap(match: re.Match[str]) -> str:
        word = match.group()
        lower = word.lower()
        pos = document.pos.get(lower)
        if not pos:
            return word
        if delta > 0:
            if document.counts.get(lower, 0) <= 3:
                return word
            rate = max(delta, 0.5) if lower in document.top else delta
            find = _synonym if context.faithful else readable_synonym
            replacement = find(lower, pos) if rng.random() < rate else None
        else:
            once = document.counts.get(lower, 0) == 1 and rng.random() < -delta
            explain = _gloss if context.faithful else readable_gloss
            replacement = explain(match, text, pos) if once else None
        return word if replacement is None else _cased(context, word, replacement)

    return substituted(_WORD, swap, text, context.guarded(text))


def sentence_length(text: str, context: Context, rng: np.random.Generator) -> str:
    """11. Long sentences are split at *and* and at discourse markers, short ones merged."""
    delta = context.delta["sentence_length"]
    if delta > 3:
        guarded = context.guarded(text)
        return "".join(
            split(text[start:end], context.document.pos, guarded) for start, end in sentences(text)
        )
    return merge(text, rng, context.guarded(text)) if delta < -3 else text


def spelling(text: str, context: Context, rng: np.random.Generator) -> str:
    """12. Spelling corrected, or a common misspelling put in.

    The team reads the share of known words as a rate of misspellings. Faithful mode keeps that, and drops
    every misspellable word that is not selected; repaired mode corrects when few words are known and misspells
    when many are.
    """
    delta = context.delta.get("known")
    if delta is None:
        return text
    correcting = delta > 0 if context.faithful else delta < 0
    if correcting:
        return substituted(
            _WORD, lambda match: _corrected(match.group()), text, context.guarded(text)
        )
    table = load("misspellings")
    rate = -delta if context.faithful else delta

    def swap(match: re.Match[str]) -> str:
        if rng.random() < rate:
            return _cased(context, match.group(), table.get(match.group().lower(), match.group()))
        return "" if context.faithful else match.group()

    return substituted(pattern("misspellings"), swap, text, context.guarded(text))


def variants(text: str, context: Context, rng: np.random.Generator) -> str:
    """13. British spelling becomes American and the other way round, each with p = 1/2."""
    table: Mapping[str, str] = load("british_american")
    # The American form of these is an everyday word of both: a story is seldom a storey.
    back = {
        american: british
        for british, american in reversed(list(table.items()))
        if context.faithful or american not in _BOTH
    }

    def swap(match: re.Match[str]) -> str:
        lower = match.group().lower()
        other_spelling = table.get(lower) or back.get(lower)
        return (
            match.group()
            if other_spelling is None or rng.random() >= 0.5
            else _cased(context, match.group(), other_spelling)
        )

    return substituted(_WORD, swap, text, context.guarded(text))


def markers(text: str, context: Context, rng: np.random.Generator) -> str:
    """14. A discourse marker before sentences: the part is chosen with p = 0.2, each sentence then with 1/2."""
    if rng.random() >= 0.2:
        return text
    choices = load("discourse_markers")
    rewritten = []
    for start, end in sentences(text):
        sentence = text[start:end]
        if rng.random() < 0.5 and (context.faithful or "," not in sentence.lstrip()[:_MARKED]):
            marker = choices[int(rng.integers(len(choices)))].capitalize()
            body = sentence.lstrip()
            lead = sentence[: len(sentence) - len(body)]
            first_word = body.split(" ", 1)[0]
            guarded = context.guarded(sentence)
            bare = first_word.strip(".,;:!?\"'“”‘’()")
            keep = guarded is None or keeps_capital(re.split("['’-]", bare)[0], guarded)
            sentence = f"{lead}{marker}, {body if keep else body[:1].lower() + body[1:]}"
        rewritten.append(sentence)
    return "".join(rewritten)


STEPS: tuple[Step, ...] = (
    possessives,
    operators,
    numerals,
    contractions,
    symbols,
    capitals,
    paraphrases,
    stop_words,
    punctuation,
    vocabulary,
    sentence_length,
    spelling,
    variants,
    markers,
)


def _drawn(choices: Sequence[str], rng: np.random.Generator, match: re.Match[str]) -> str:
    return choices[int(rng.integers(len(choices)))]


def _cased(context: Context, old: str, new: str) -> str:
    return new if context.faithful else match_case(old, new)


def _synonym(word: str, pos: str) -> str | None:
    """The head of the first sense whose head is another single word, otherwise of the first hypernym."""
    synsets = senses(word, pos)
    for sense in synsets:
        name = head(sense)
        if " " not in name and name.lower() != word:
            return name
    above = parents(synsets[0]) if synsets else []
    return head(above[0]) if above else None


def _gloss(match: re.Match[str], text: str, pos: str) -> str | None:
    synsets = senses(match.group().lower(), pos)
    return str(synsets[0].definition()) if synsets else None


def _corrected(word: str) -> str:
    if len(word) < 3 or not word.islower() or in_vocabulary(word):
        return word
    return correct(word)


def _single_spaces(text: str) -> str:
    return re.sub(
        r"(?<=\S) (?: +)(?=\S)| (?=[,.;:!?])",
        lambda match: " " if len(match.group()) > 1 else "",
        text,
    )


@dataclass(eq=False, repr=False)
class Mihaylova(base.Obfuscator):
    """Measures the whole text, then passes each part of at most fifty words through fourteen steps.

    Also called: paraphrase, synonyms, WordNet.

    Without WordNet, Brown or the tagger it runs without the steps that need them, and the notes say so.

    Parameters
    ----------
    mode : 'repaired' or 'faithful'
        ``faithful`` keeps the original's defects: tokens joined by single spaces (paragraphs are lost),
        replaced words lose their capitals, contractions are cut greedily (*ca not*), spelling is changed in
        the opposite direction to the paper's and unselected misspellable words vanish, and a text of one
        sentence yields nothing.
    """

    name = "mihaylova-2016"
    provenance = "reconstructed"
    version = 2

    mode: Literal["repaired", "faithful"] = "repaired"

    def fit(self, tasks: Sequence[base.ObfuscationTask]) -> Self:
        """Load the language model, where the resources of the vocabulary are installed."""
        if has_vocabulary():
            language_model()
        return self

    def rewrite(self, task: base.ObfuscationTask, seed: int) -> base.Rewriting:
        self.fit([task])
        text = task.questioned
        faithful = self.mode == "faithful"
        spans = sentences(text)
        if faithful and len(spans) == 1:
            return base.unchanged(
                text, "left unchanged: the original yields nothing for a text of one sentence"
            )
        context = self._context(text, faithful)
        rewritten_parts = []
        for number, (start, end) in enumerate(pack(text, spans)):
            original = text[start:end]
            rewritten = original
            names = []
            for step in STEPS:
                changed = step(rewritten, context, self.draws(seed, task, step.__name__, number))
                if changed != rewritten:
                    names.append(step.__name__)
                rewritten = changed
            rewritten_parts.append(
                base.Part(
                    start,
                    end,
                    original,
                    _respaced(rewritten) if faithful else rewritten,
                    tuple(names),
                )
            )
        return base.Rewriting(
            tuple(rewritten_parts), self.lacking(), base.count_operations(rewritten_parts)
        )

    def _context(self, text: str, faithful: bool) -> Context:
        document = measure(text)
        targets = load("mihaylova_targets")
        values = asdict(document.rates)
        delta = {
            name: values[name] - target
            for name, target in targets.items()
            if values[name] is not None
        }
        names = frozenset() if faithful else stretches(text).names
        return Context(document, delta, faithful, missing("wordnet") is None, names)

    def lacking(self) -> tuple[str, ...]:
        """What the recipe does not do here because a resource is missing, and how to get the resource."""
        needs = {
            "wordnet": "no synonyms, glosses or spelling",
            "brown": "no spelling",
            "averaged_perceptron_tagger_eng": "no synonyms, glosses or splits at 'and'",
        }
        lacking = ((effect, missing(resource)) for resource, effect in needs.items())
        return tuple(f"{effect}: {reason}" for effect, reason in lacking if reason)


def _respaced(text: str) -> str:
    """Join tokens by single spaces, with none before a mark."""
    words = re.findall(r"\w+(?:[-'’]\w+)*|[^\w\s]", text)
    return re.sub(r" (?=[.,;:!?%)\]])", "", " ".join(words)) + " "
