"""Finds where the words of a text begin and end, in every script, and which part of a word is the ending (ours).

In: a ``Segmenter`` (``Spaces``, ``Characters``, ``ICU``) and a text, or a word for ``stem``, ``lower``, ``upper``; for
``detect`` the texts of a corpus and its language (a code, a label, "" = several, None = unknown); for ``language_of``
``Labels``.
Out: ``pieces`` a list of pieces that together are the text, ``words`` words in lowercase, those with a digit left out,
``stem`` a half-open span of code points; ``detect`` a ``Detected``: the segmenter that suits, why, and why it cannot be
trusted (or None); ``writing_of`` "spaces", "characters" or "runs"; ``language_of`` a language as for ``detect``.
``require`` raises SpecError for a language without known endings, MissingPart without its package.

Most scripts have spaces between words. Chinese, Japanese, Thai, Lao, Khmer and Burmese do not: if the alphabet is
large, every character is a word (``characters``); otherwise a dictionary finds the words (``icu``). A text of several
scripts is divided run by run, so that Latin words among Chinese words stay whole. ``detect`` chooses by the scripts of
a corpus, and refuses if no segmenter is reliable.

In agglutinating languages, endings do the work of function words in other languages. If Snowball knows the language
(``ENDINGS``), a word is a stem with the parts before and after it.

References
----------
Porter 2001 and later, Snowball (snowballstem.org). Unicode Standard Annex 29 and the dictionaries of ICU.
"""

from __future__ import annotations

import re
import unicodedata
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from itertools import takewhile
from typing import Literal, NamedTuple

from ravenbench.components import Component
from ravenbench.errors import MissingPart, SpecError
from ravenbench.text.tokens import HAN, HIRAGANA, MARKS, joined, lowered
from ravenbench.texts import TextTable
from ravenbench.types import Labels

CUT = re.compile("(" + joined(r"[^\W_]+") + ")")
"""Runs of letters and digits, each with the signs that combine with it."""
_ASCII = re.compile(r"([A-Za-z0-9]+)")
"""The same in texts of ASCII, in less than half the time."""
LARGE = {
    "Han": HAN + "\u3005-\u3007",
    "kana": HIRAGANA + "\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f",
}
"""Scripts without spaces in which a character is a word or a good part of one."""
SMALL = {
    "Thai": "\u0e00-\u0e7f",
    "Lao": "\u0e80-\u0eff",
    "Khmer": "\u1780-\u17ff",
    "Burmese": "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f",
}
"""Scripts without spaces in which a character is a sound."""
_OTHERS = {
    "Hangul": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
    "Arabic": "\u0620-\u06ff",
    "Tibetan": "\u0f00-\u0fff",
}
_LETTERS = {
    script: re.compile(f"[{letters}]")
    for scripts in (LARGE, SMALL, _OTHERS)
    for script, letters in scripts.items()
}
_WITHOUT_SPACES = re.compile(f"((?:[{''.join((*LARGE.values(), *SMALL.values()))}][{MARKS}]*+)+)")
_CHARACTER = re.compile(
    rf"[{LARGE['Han']}][{MARKS}]*|[{HIRAGANA}][{MARKS}ぁぃぅぇぉっゃゅょゎー]*|(?:[^{LARGE['Han']}{HIRAGANA}][{MARKS}]*+)+"
)
"""A Chinese character, a sound in hiragana as it is written, or a run of katakana or of a small alphabet."""
_BEYOND = re.compile("[\U00010000-\U0010ffff]")
FEWEST = 0.05
"""Smallest proportion of letters in a script without spaces for which a corpus is divided as that script needs."""
LEAST_SPACE = 0.05
"""Smallest proportion of white space for which words of other scripts can be found: English has .17."""
_TEXTS = 400
_CHARACTERS = 2_000
"""Number of examined texts, and of characters of each."""
ENDINGS = {
    "ar": ("Arabic", "ara"),
    "et": ("Estonian", "est"),
    "eu": ("Basque", "eus"),
    "fi": ("Finnish", "fin"),
    "hu": ("Hungarian", "hun"),
    "tr": ("Turkish", "tur"),
}
"""Languages whose endings stay: names and other codes by which a corpus may call them."""
_TELLING = {
    "et": "ja on ei et see oli ta aga kui ka mis siis",
    "eu": "eta da ez du bat zen ere dira baina izan",
    "fi": "ja on ei että se oli hän mutta niin kun ovat myös",
    "hu": "a az és hogy nem is egy de ez csak meg volt",
    "tr": "ve bir bu da de için çok ile gibi daha ne ama",
}
"""Frequent words that identify a language if the corpus does not name it."""
INSTALL = "pip install 'ravenbench[languages]'"


def _runs_of(text: str) -> re.Pattern[str]:
    return _ASCII if text.isascii() else CUT


class Segmenter(Component):
    """Base class of segmenters, which divide a text into pieces (words, and what is between them); nothing is added or
    lost.

    Examples
    --------
    >>> Characters().pieces("我用iPhone 15。")
    ['我', '用', 'iPhone', ' ', '15', '。']
    """

    @abstractmethod
    def divide(self, run: str) -> list[str]:
        """Return the words in a run of letters of scripts without spaces."""

    def pieces(self, text: str) -> list[str]:
        """Return the pieces of a text in order; together they are the text."""
        script_runs = list(filter(None, _runs_of(text).split(text)))
        if not _WITHOUT_SPACES.search(text):
            return script_runs
        runs = (run for part in script_runs for run in _WITHOUT_SPACES.split(part) if run)
        return [
            word
            for run in runs
            for word in (self.divide(run) if _WITHOUT_SPACES.match(run) else (run,))
        ]

    def words(self, text: str) -> list[str]:
        """Return the words of a text without digits, in lowercase."""
        return [self.lower(piece) for piece in self.pieces(text) if is_word(piece)]

    def lower(self, word: str) -> str:
        """Return a word in lowercase."""
        return lowered(word, False)

    def upper(self, word: str) -> str:
        """Return a word in uppercase."""
        return word.upper()

    def stem(self, word: str) -> tuple[int, int]:
        """Return where the stem of a lowercase word begins and ends (half-open, in characters): the parts before and
        after it stay in their place."""
        return 0, len(word)


def is_word(piece: str) -> bool:
    """Return whether a piece is a word without a digit; a piece between words does not begin with a letter."""
    return piece.isalpha() or (piece[:1].isalnum() and not any(map(str.isdigit, piece)))


@dataclass(eq=False, repr=False)
class Spaces(Segmenter):
    """Words are between spaces and punctuation, as in most scripts.

    Parameters
    ----------
    endings : str, optional
        Code of the language of which endings stay in their place while stems move: ar, et, eu, fi, hu or tr, by
        Snowball's stemmers. By default words move whole.
    """

    name = "spaces"

    endings: str | None = None

    def require(self) -> None:
        """SpecError if the endings of this language are not known; MissingPart if Snowball is not installed."""
        if self.endings is None:
            return
        if self.endings not in ENDINGS:
            raise SpecError(
                "Raven knows no endings of this language",
                found=self.endings,
                expected=", ".join(ENDINGS),
            )
        if find_spec("snowballstemmer") is None:
            raise MissingPart("endings need snowballstemmer, which is not installed", fix=INSTALL)

    def divide(self, run: str) -> list[str]:
        return [run]

    def pieces(self, text: str) -> list[str]:
        return list(filter(None, _runs_of(text).split(text)))

    def words(self, text: str) -> list[str]:
        return [self.lower(word) for word in _runs_of(text).findall(text) if is_word(word)]

    def lower(self, word: str) -> str:
        return lowered(word, self.endings == "tr")

    def upper(self, word: str) -> str:
        return (word.replace("i", "İ") if self.endings == "tr" else word).upper()

    def stem(self, word: str) -> tuple[int, int]:
        return (0, len(word)) if self.endings is None else self._stem(word)

    @cached_property
    def _stem(self) -> Callable[[str], tuple[int, int]]:
        self.require()
        from snowballstemmer import stemmer

        reduced = stemmer(ENDINGS[str(self.endings)][0].lower()).stemWord

        @cache
        def stem(word: str) -> tuple[int, int]:
            # Some stemmers mend the stem's last letter, others take off what stands before it.
            shown = reduced(word)
            begin = word.find(shown)
            begin, end = (begin, begin + len(shown)) if begin >= 0 else (0, _alike(word, shown))
            return (begin, end) if end - begin > 1 else (0, len(word))

        return stem


def _alike(word: str, second: str) -> int:
    """How many characters at their beginning two words have in common."""
    return sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, second, strict=False))
    )


@dataclass(eq=False, repr=False)
class ICU(Segmenter):
    """Finds words of Chinese, Japanese, Thai, Lao, Khmer and Burmese with the dictionaries of ICU; words of other
    scripts by spaces."""

    name = "icu"

    def require(self) -> None:
        """MissingPart if icu4py is not installed."""
        if find_spec("icu4py") is None:
            raise MissingPart("ICU's dictionaries need icu4py, which is not installed", fix=INSTALL)

    def divide(self, run: str) -> list[str]:
        from icu4py.breakers import WordBreaker

        # It counts in units of UTF-16, so what takes two of them is stood in for.
        plain = run if not _BEYOND.search(run) else _BEYOND.sub(_stand_in, run)
        return [run[start:stop] for start, stop in WordBreaker(plain, "root").segments()]


def _stand_in(match: re.Match[str]) -> str:
    return "\u0301" if unicodedata.category(match[0]).startswith("M") else "\u3400"


@dataclass(eq=False, repr=False)
class Characters(Segmenter):
    """Every Chinese character and every sound in hiragana is a word, and so is a run of katakana: for Chinese and
    Japanese without a dictionary. Other scripts are divided at spaces."""

    name = "characters"

    def divide(self, run: str) -> list[str]:
        return _CHARACTER.findall(run)


class Detected(NamedTuple):
    """A segmenter, ``why`` it was chosen (empty if words have spaces between them and no note is needed), and the
    reason if its words are unreliable."""

    segmenter: Segmenter
    why: str = ""
    refusal: str | None = None

    def __str__(self) -> str:
        """What it does to texts: the same as long as no extra that they need comes or goes."""
        return f"not at all, rather by {self.segmenter}" if self.refusal else str(self.segmenter)


def language_of(labels: Labels | None) -> str | None:
    """Return the language of a corpus from its column: a code of ``ENDINGS`` or the label itself, empty if there are
    several, None if there is none."""
    codes = (
        []
        if labels is None
        else [labels.names[code] for code in labels.codes[labels.codes >= 0].tolist()]
    )
    if not codes:
        return None
    name, count = Counter(codes).most_common(1)[0]
    plain = name.lower().replace("_", "-").partition("-")[0]
    spellings = {spelling.lower(): code for code, names in ENDINGS.items() for spelling in names}
    return spellings.get(plain, plain) if count >= 0.9 * len(codes) else ""


def detect(texts: Sequence[str] | TextTable, language: str | None = None) -> Detected:
    """Return the segmenter for a corpus, by the scripts of some of its texts; ``language`` as ``language_of`` returns
    it."""
    sampled_rows = range(0, len(texts), max(1, len(texts) // _TEXTS))
    text = "\n".join(texts[row][:_CHARACTERS] for row in sampled_rows)
    if text.isascii():
        return _spaced(text, {}, language)
    share = _shares(text)
    large, small = (sum(share[script] for script in scripts) for scripts in (LARGE, SMALL))
    if large + small < FEWEST:
        return _spaced(text, share, language)
    main_script = max((*LARGE, *SMALL), key=lambda script: share[script])
    name = (
        main_script
        if main_script in SMALL
        else "Japanese"
        if share["kana"] > FEWEST * large
        else "Chinese"
    )
    observation = f"{name} has no spaces between words ({large + small:.0%} of the letters)"
    if large + small < 1 - MOSTLY:
        observation = (
            "The texts have several scripts: Raven finds words by spaces if the script has"
            f" them; {observation}"
        )
    # Where a dictionary errs, function words move with content words; characters do not (docs/languages.md).
    if small < FEWEST:
        return Detected(Characters(), f"{observation}: every character counts as a word")
    if find_spec("icu4py") is not None:
        return Detected(
            ICU(),
            f"{observation}: Raven finds words with ICU's dictionary; if the dictionary errs, "
            f"function words move too",
        )
    return Detected(
        Characters(),
        observation,
        f"{observation}, and no dictionary that finds them is installed ({INSTALL})",
    )


Writing = Literal["spaces", "characters", "runs"]
"""How words are written: between blanks, as characters of a large alphabet, or in runs without blanks."""
MOSTLY = 0.2
"""Smallest proportion of letters for which texts count as written in this way."""


def writing_of(texts: Sequence[str]) -> Writing:
    """Return how words are written in some texts, one of ``Writing``."""
    text = "\n".join(text[:_CHARACTERS] for text in texts)
    share = {} if text.isascii() else _shares(text)
    large, small = (sum(share.get(script, 0) for script in scripts) for scripts in (LARGE, SMALL))
    return "runs" if small >= max(MOSTLY, large) else "characters" if large >= MOSTLY else "spaces"


def _shares(text: str) -> dict[str, float]:
    """Shares of its letters by script."""
    letters = "".join(filter(str.isalpha, text))
    return {
        script: len(pattern.findall(letters)) / max(len(letters), 1)
        for script, pattern in _LETTERS.items()
    }


def _spaced(text: str, share: dict[str, float], language: str | None) -> Detected:
    if share.get("Tibetan", 0) > 0.5:
        return Detected(
            Spaces(), "Tibetan marks the ends of syllables: every syllable counts as a word"
        )
    space = sum(map(str.isspace, text)) / max(len(text), 1)
    if text and space < LEAST_SPACE:
        refusal = (
            f"{space:.1%} of the corpus is white space: it has no spaces between words, so"
            " Raven cannot find words"
        )
        return Detected(Spaces(), "", refusal)
    if share.get("Hangul", 0) > 0.5:
        return Detected(
            Spaces(),
            "Particles and endings of Korean are part of their words and move with them",
        )
    if language is None:
        persian = sum(map(text.count, "پچژگ")) > 0.002 * len(text)
        language = "ar" if share.get("Arabic", 0) > 0.5 and not persian else _named_language(text)
    if language == "":
        return Detected(Spaces(), "The texts have several languages: words move with their endings")
    if language not in ENDINGS:
        return Detected(Spaces())
    name = ENDINGS[language][0]
    if find_spec("snowballstemmer") is None:
        why = f"Words in {name} move with their endings, because Snowball, which finds endings, is not installed"
        return Detected(Spaces(), f"{why} ({INSTALL})")
    return Detected(
        Spaces(endings=language),
        f"Stems of words in {name} move and their endings stay; Snowball finds the endings",
    )


def _named_language(text: str) -> str | None:
    """The language of which most telling words are among a text's hundred most frequent."""
    often = {word for word, _ in Counter(CUT.findall(lowered(text))).most_common(100)}
    shares = {
        code: len(often.intersection(words.split())) / len(words.split())
        for code, words in _TELLING.items()
    }
    best = max(shares, key=lambda code: shares[code])
    return best if shares[best] >= 0.6 else None
