"""What a generator wrote, in other scripts and ways of writing, to try the verdict on more than English (ours).

A spelling writes a text of a generator's words by a fixed rule and reads it again, also after content words have been
replaced. What it reads from a text that it wrote is that text, but for capitals where the script has none.

| ``script`` | how texts are written | like |
|---|---|---|
| ``latin`` | as they are | |
| ``unspaced`` | no spaces; a character for a function word, one to three of a shared alphabet for any other | Chinese |
| ``suffixes`` | 16 function words hang on the content word before them, as endings of Hungarian | Hungarian, Turkish |
| ``rtl`` | Hebrew letters, vowels as signs below and above them | Hebrew, Arabic |
| ``clitics`` | 8 function words are a letter and an apostrophe before the next word | French, Italian |
| ``prefixes`` | 4 function words are a letter of the next word | Hebrew, Arabic |
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from ravenbench.corpora.synthetic import FUNCTION_WORDS, HABITS, Generated, Synthetic
from ravenbench.errors import SpecError
from ravenbench.randomness import stream
from ravenbench.types import Document

SCRIPTS = ("latin", "unspaced", "suffixes", "rtl", "clitics", "prefixes")
LANGUAGE = {"unspaced": "zh", "suffixes": "hu", "rtl": "he", "clitics": "fr", "prefixes": "qaa"}
"""What the column ``language`` says of texts so written; the last is a code for private use."""
_CHARACTERS = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事"
    "成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知"
    "全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什"
)
"""Frequent characters of Chinese, for function words."""
_COMMON = bytes(
    byte for high in range(0xB0, 0xD7) for low in range(0xA1, 0xFF) for byte in (high, low)
).decode("gb2312")
_ALPHABET = [character for character in _COMMON[::2] if character not in _CHARACTERS]
"""Half of the common characters of Chinese, so that a dictionary finds words where there are none."""
_ONE, _TWO = 150, 1_100
"""So many characters of the alphabet are words; those up to the second number begin words of two."""
_SHARES = (0.02, 0.68, 0.3)
"""How many words have one character, two and three."""
_SUFFIXES = "ból ből ról ről tól től nál nél höz ért ként vá vé ül öt ön".split()  # noqa: SIM905
_VOWELS, _POINTS = "aeiouy", "\u05b7\u05b6\u05b4\u05b9\u05b5\u05b0"
_CONSONANTS, _LETTERS = "bcdfghjklmnpqrstvwxz", "בגדהוזחטיכלמנסעפצקרש"
_APOSTROPHES, _PREFIXES = "cdjlmnst", "çğñş"
Transform = Callable[[str], str]


def spelling(
    script: str, functions: Sequence[str], contents: Sequence[str]
) -> tuple[Transform, Transform]:
    """How to write a text in a script, and how to read it again, for a generator's function words (the most frequent
    first) and content words."""
    if script == "latin":
        return str, str
    write, read = _MAKERS[script](functions, contents)
    return write, lru_cache(20_000)(read)


def _unspaced(functions: Sequence[str], contents: Sequence[str]) -> tuple[Transform, Transform]:
    rng, word_of = stream(0, "spelling"), dict(zip(_CHARACTERS, functions, strict=False))
    starts = (range(_ONE), range(_ONE, _TWO), range(_TWO, len(_ALPHABET)))
    for word in contents:
        code = None
        while code is None or code in word_of:
            more = int(rng.choice(3, p=_SHARES))
            places = [
                int(rng.choice(starts[more])),
                *rng.integers(len(_ALPHABET), size=more).tolist(),
            ]
            code = "".join(_ALPHABET[place] for place in places)
        word_of[code] = word
    code_of = {word: code for code, word in word_of.items()}
    one, two, three = ("".join(_ALPHABET[place] for place in places) for places in starts)
    every = "".join(_ALPHABET)
    token = re.compile(
        rf"[{one}{_CHARACTERS}]|[{two}][{every}]?|[{three}][{every}]{{0,2}}|\d+|.", re.DOTALL
    )
    marks = {" ": "", "\u3000": " ", "-": " -"}

    def write(text: str) -> str:
        text = re.sub(r"[A-Za-z]+", lambda match: code_of[match[0].lower()], text)
        # Between two numbers a space is needed to tell them apart; two spaces are a habit of style.
        return re.sub(r"(?<!\d) | (?!\d)", "", text.replace("  ", "\u3000"))

    def read(text: str) -> str:
        parts = (
            marks[t] if t in marks else " " + word_of.get(t, t) if t.isalnum() else t
            for t in token.findall(text)
        )
        return "".join(parts).lstrip(" ")

    return write, read


def _suffixes(functions: Sequence[str], contents: Sequence[str]) -> tuple[Transform, Transform]:
    suffix = dict(zip(functions[1::2], _SUFFIXES, strict=False))
    word_of, plain = {ending: word for word, ending in suffix.items()}, frozenset(functions)
    hanging = re.compile(rf"\b([A-Za-z]+) ({'|'.join(suffix)})\b")
    endings = re.compile(rf"(?<=[A-Za-z])({'|'.join(_SUFFIXES)})\b")

    def hang(match: re.Match[str]) -> str:
        return match[0] if match[1].lower() in plain else match[1] + suffix[match[2]]

    return partial(hanging.sub, hang), partial(endings.sub, lambda match: " " + word_of[match[1]])


def _rtl(functions: Sequence[str], contents: Sequence[str]) -> tuple[Transform, Transform]:
    letters = str.maketrans(_VOWELS + _CONSONANTS, _POINTS + _LETTERS)
    back = str.maketrans(_POINTS + _LETTERS, _VOWELS + _CONSONANTS, "א")
    alone = re.compile(rf"(?<![{_CONSONANTS}])(?=[{_VOWELS}])")
    return lambda text: alone.sub("א", text.lower()).translate(
        letters
    ), lambda text: text.translate(back)


def _clitics(letters: str, mark: str, functions: Sequence[str]) -> tuple[Transform, Transform]:
    letter = dict(zip(functions[1::2], letters, strict=False))
    word_of = {one: word for word, one in letter.items()}
    before = re.compile(rf"\b({'|'.join(letter)}) (?=[A-Za-z])", re.IGNORECASE)
    inside = re.compile(rf"\b([{letters}]){mark}(?=\w)", re.IGNORECASE)

    def shortened(match: re.Match[str]) -> str:
        short = letter[match[1].lower()] + mark
        return short.capitalize() if match[1][0].isupper() else short

    def whole(match: re.Match[str]) -> str:
        word = word_of[match[1].lower()]
        return (word.capitalize() if match[1].isupper() else word) + " "

    def read(text: str) -> str:
        # What follows one may be another.
        return text if (once := inside.sub(whole, text)) == text else read(once)

    return partial(before.sub, shortened), read


_MAKERS: dict[str, Callable[[Sequence[str], Sequence[str]], tuple[Transform, Transform]]] = {
    "unspaced": _unspaced,
    "suffixes": _suffixes,
    "rtl": _rtl,
    "clitics": lambda functions, contents: _clitics(_APOSTROPHES, "'", functions),
    "prefixes": lambda functions, contents: _clitics(_PREFIXES, "", functions),
}


SHARES = (0.06, 0.12, 0.35)
"""Of content words so many are numbers; up to the second number addresses, up to the third names."""
NUMBERS = 4
"""Numbers that go with one topic."""


def traced(groups: Sequence[tuple[str, Sequence[str]]]) -> Transform:
    """How to write a text so that topic shows by more than words: some content words are numbers of their group,
    addresses at its host, and names as long as its other names. ``groups`` are words that go with one topic, and a key.
    """
    form_of = dict[str, str]()
    taken = {word for _, words in groups for word in words}
    for key, words in groups:
        of_group = stream(0, "traces", key)
        host = "".join(of_group.choice(list(_CONSONANTS), size=6).tolist())
        length = int(of_group.integers(3, 10))
        numbers = of_group.integers(100, 100_000, size=NUMBERS)
        for word in words:
            rng = stream(0, "traces", key, word)
            kind = rng.random()
            if kind < SHARES[0]:
                form_of[word] = str(rng.choice(numbers))
            elif kind < SHARES[1]:
                form_of[word] = f"{word}@{host}.edu"
            elif kind < SHARES[2]:
                name = word[:length]
                while len(name) < length or name in taken:
                    letters = rng.choice(list(_CONSONANTS + _VOWELS), size=length).tolist()
                    name = (word[: length // 2] + "".join(letters))[:length]
                taken.add(name)
                form_of[word] = name.capitalize()

    def write(match: re.Match[str]) -> str:
        form = form_of.get(match[0].lower(), match[0])
        return form[:1].upper() + form[1:] if match[0][0].isupper() else form

    return partial(re.compile("[A-Za-z]+").sub, write)


class Spelt(Generated):
    """A generated corpus that is written in a script; with ``traces`` (1, else 0) topic shows in names, numbers and
    addresses too."""

    script: str
    traces: int

    @abstractmethod
    def vocabulary(self) -> tuple[Sequence[str], Sequence[str]]:
        """Words that carry style and no content, the most frequent first, and all others."""

    @abstractmethod
    def groups(self) -> list[tuple[str, list[str]]]:
        """All content words, those together that go with one topic, and a key of each group."""

    def functions(self) -> frozenset[str]:
        """The words that carry style and no content."""
        return frozenset(self.vocabulary()[0])

    def spelling(self) -> tuple[Transform, Transform]:
        """How texts are written in the corpus's script, and how they are read again."""
        if self.traces:
            return traced(self.groups()), str
        return spelling(self.script, *(((), ()) if self.script == "latin" else self.vocabulary()))

    def check(self) -> None:
        if self.script not in SCRIPTS:
            raise SpecError(
                f"{self.name}: there is no such script",
                found=self.script,
                expected=", ".join(SCRIPTS),
            )
        if self.traces and self.script != "latin":
            raise SpecError(f"{self.name}: traces=1 needs script='latin'", found=self.script)
        super().check()


@dataclass(eq=False, repr=False)
class Scripted(Spelt, Synthetic):
    """The corpus synthetic in other scripts, which the parameter script names."""

    name = "synthetic-script"
    limits = {**Synthetic.limits, "traces": (0, 1)}

    script: str = "latin"
    traces: int = 0

    def stream(self, which: Iterable[int] | None = None) -> Iterator[Document]:
        self.check()
        write, _ = self.spelling()
        language = LANGUAGE.get(self.script, "en")
        for document in Synthetic.stream(self, which):
            yield replace(document, text=write(document.text), language=language)

    def vocabulary(self) -> tuple[Sequence[str], Sequence[str]]:
        functions = [*FUNCTION_WORDS.tolist(), *(word for pair in HABITS for word in pair)]
        return functions, [
            word for words in self._writer()._lexicon for word in words.ravel().tolist()
        ]

    def groups(self) -> list[tuple[str, list[str]]]:
        general, *topical = self._writer()._lexicon
        return [
            *((word, [word]) for word in general.tolist()),
            *(
                (f"{kind} {number}", words)
                for kind, table in enumerate(topical)
                for number, words in enumerate(table.tolist())
            ),
        ]
