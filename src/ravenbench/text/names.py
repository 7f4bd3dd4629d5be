"""Brings names and labels to one form, and finds which may name one person, several people or no person.

In: a name or label (text), or many; ``one_name_each``: pairs (name, reference or key); ``one_spelling``: labels or
None; ``joined_spellings``: groups of names; ``near_ids``: ids of two tables.
Out: ``plain_name`` and ``read_again`` the name's form, ``label_key`` and ``name_key`` the key that its spellings share
(text); the ``is_…`` functions and ``may_be_nobody`` bool; ``one_name_each`` a name or None a row, ``one_spelling`` the
same and the spellings that were joined, as ``joined_spellings`` has them; ``handed_in_by`` a name or None,
``lookalikes`` groups of names, ``person_words`` title and words; ``near_ids`` in what ids differ, and pairs of them.

Spellings that look the same are one name: decomposed accents (as in names of files from a Mac), invisible characters,
all kinds of blanks. Names that differ only in letter case, underscores, compatible characters (full-width letters) or a
preceding "by" are also one author; the same applies to labels, except for the "by".
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import combinations

from ravenbench.text.lookalikes import twins
from ravenbench.text.mail import any_of, phrases
from ravenbench.texts import composed

_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Unicode's default-ignorable characters without the joiners, which some scripts need."""
_JOINERS = re.compile("[\u200c\u200d]")
_KEYBOARDS = str.maketrans("\u064a\u0643", "\u06cc\u06a9")
"""Yeh and kaf as Arabic keyboards have them, and as Persian ones do."""
_GREEK_OR_CYRILLIC = re.compile("[\u0370-\u052f]")
_WRITTEN = {"ł": "l", "ø": "o", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th"}
_WRITTEN |= {"ى": "ی", "ة": "ه"} | dict.fromkeys("أإآٱ", "ا")
_LATIN = str.maketrans(_WRITTEN)
"""Letters whose accent cannot be separated, and their spelling without it."""
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_PLAIN = re.compile(r"[!-~]+(?: [!-~]+)*")
_NOBODY = re.compile(any_of("nobody"))
_DOUBTFUL = re.compile(any_of("doubtful"))
_EITHER = re.compile(r"(?<=\S) (?:or|and/or|oder) (?=\S)")
_BOT = re.compile(r"(?i:(?:.*[\s_.\[/-])?bots?[ _-]?\d*\]?)|.*[a-z\d]B(?:ot|OT)\d*\]?")
"""Names that end in bot after a mark or with a capital letter, as in RemindMeBot."""
_BOT_LIKE = re.compile(r"(?!(?:abbot|talbot|cabot|chabot|ribot|barbot)$)\w{3,}bot\d*")
_BYLINE = re.compile(r"(?:(?:posted|written|story|text|words) )?by[ :]+(?=\w)|authors?: ?(?=\w)")
_NUMBER = re.compile(r"\d{1,300}(?:\.\d{1,300})?(?:e[+-]?\d{1,3})?", re.ASCII | re.IGNORECASE)
_SEVERAL = re.compile(
    r"[\"'], ?[\"']|\S(?:; ?| ?& ?| (?:and|und|et|with|feat\.?|ft\.?|featuring) )\w|[^\W\d_]{3} ?/"
    r" ?[^\W\d_]{3}"
)
_TITLES = re.compile("mrs?|ms|miss|dr|prof|sir|lady|lord|rev|mme|mlle|herr|frau|hr|fr|don|dona")
_SUFFIX = re.compile(
    r",? (?:ph\.? ?d|m\.? ?d|jr|sr|esq|m\.?sc|mba|mp|qc|kc)\.?$|(?<=\w) ?\([^()]*[^()\d][^()]*\)$"
)
"""Suffixes of a name: a degree, a party, a name at birth."""
_PATRONYMIC = re.compile("(?:вич|вна|ична)$")
_YEARS = re.compile(r"[,(]? ?\b\d{4} ?[-–] ?(?:\d{4}\b)?\)?")
_PARTS = re.compile(any_of("parts"), re.IGNORECASE)
_MONTH = "|".join(" ".join(phrases("months")).split())
_KINDS = re.compile(
    any_of("kinds") + rf"|(?:\d{{1,2}}\.? )?(?:{_MONTH})(?: \d{{1,2}},?)? (?:19|20)\d\d"
)
_ROUNDED = re.compile(r"\d(?:[.,]\d+)?E\+?\d{2,3}|\d{15}0{2,}", re.ASCII)
"""A number with more digits than a spreadsheet keeps, in the spreadsheet's form: it may stand for several people who
differed in the lost digits."""
_TIGHT = re.compile(r"[-'’]|(?<=[^\W\d_])0+(?=\d)")
"""Optional parts of a name: marks within words, zeros before the digits of a code."""
_LISTED = re.compile(r"""\[["']([^"'\[\]]+)["']\]""")
_WHOLE = re.compile(r"(\d+)\.0+")
_ADDRESS = re.compile(r"(?:mailto:|https?://\S*/)?(?:/?u(?:ser)?/|@)?(?=\w)")
_SUBMISSION = re.compile(r"(?P<person>.+?)_(?P<number>\d{1,20})_assignsubmission_.*", re.DOTALL)
_HANDED_IN = re.compile(r".+_([^_]+)_attempt_\d{4}-\d\d-\d\d-.*|\d{5,20} - (.+?) - .+", re.DOTALL)
_COPY = re.compile(
    r"(?<=\w)(?: ?\(\d{1,2}\)| - (?:copy|kopie|copie|copia|kopia|kopi)(?: ?\(\d{1,2}\))?)$"
)
_BLIND = re.compile(r"participant|teilnehmer.*|participante|partecipante|deelnemer", re.IGNORECASE)
FEWEST_LETTERS = 7
"""Fewest letters of names that are compared letter by letter: shorter names differ in one letter too often."""
MOST_LETTERS = 60
MOST_COMPARED = 5_000
MOST_APART = 50
MOST_OF_A_SURNAME = 60
MOST_OF_ONE_NAME = 3


@lru_cache(maxsize=2**16)
def plain_name(name: str) -> str:
    """Return a name in its stored form: composed (NFC), with misread characters restored, without invisible characters,
    with single blanks."""
    if _PLAIN.fullmatch(name):
        return name
    return " ".join(_UNSEEN.sub("", composed(read_again(name))).split())


def label_key(label: str) -> str:
    """Return the key (text) that two spellings of one label have in common."""
    plain = plain_name(label)
    if not plain.isascii():
        plain = composed(_JOINERS.sub("", plain), "NFKC").translate(_KEYBOARDS)
    return " ".join(plain.casefold().replace("_", " ").split())


@lru_cache(maxsize=2**16)
def name_key(name: str) -> str:
    """Return the key (text) that two spellings of one author's name have in common, including bylines (``by Jane
    Austen``) and 12.0 for 12."""
    key = label_key(name)
    if match := _WHOLE.fullmatch(key):
        return match[1]
    if listed := _LISTED.fullmatch(key):
        return listed[1]
    byline = _BYLINE.match(key)
    return key if byline is None else key[byline.end() :]


def read_again(name: str) -> str:
    """Restore a name whose UTF-8 was read as Windows-1252 or Latin-1 (``MÃ¼ller``); return other names unchanged."""
    for encoding in () if name.isascii() else ("cp1252", "latin-1"):
        with suppress(UnicodeError):
            return name.encode(encoding).decode("utf-8")
    return name


def one_name_each(authors: Sequence[tuple[str, str]]) -> list[str | None]:
    """Return the name of each author (name, person): the person's most frequent name, with the reference if two persons
    have the same name. ``person`` is a reference, or the ``name_key`` without one; "" means no person, and the name is
    None."""
    names_by_person: dict[str, set[str]] = {}
    for name, person in authors:
        names_by_person.setdefault(name_key(name), set()).add(person)
    # Who has no reference is the one person of this name who has one.
    person_of_name = {
        name: max(persons - {name})
        for name, persons in names_by_person.items()
        if len(persons - {name}) == 1
    }
    people = [person_of_name.get(person, person) for _, person in authors]
    counts: dict[str, Counter[str]] = {}
    for person, (name, _) in zip(people, authors, strict=True):
        if person:
            counts.setdefault(person, Counter())[name] += 1
    best = {
        person: min(name_counts, key=lambda n: (-name_counts[n], n))
        for person, name_counts in counts.items()
    }
    several = Counter(map(name_key, best.values()))
    shown = {
        person: name if several[name_key(name)] == 1 else f"{name} ({person})"
        for person, name in best.items()
    }
    return [shown.get(person) for person in people]


def one_spelling(
    labels: Sequence[str | None], key: Callable[[str], str] = label_key
) -> tuple[list[str | None], list[str]]:
    """Return each label in its most frequent spelling (None if it has no visible character), and the joined spellings
    as in ``joined_spellings``."""
    counts = Counter(label for label in labels if label is not None)
    groups: dict[str, list[str]] = {}
    for label in counts:
        groups.setdefault(key(label), []).append(label)
    groups.pop("", None)
    best = {
        spelling: plain_name(min(spellings, key=lambda n: (-counts[n], n)))
        for spellings in groups.values()
        for spelling in spellings
    }
    spelt = [None if label is None else best.get(label) for label in labels]
    return spelt, joined_spellings(groups.values())


def joined_spellings(groups: Iterable[Collection[str]]) -> list[str]:
    """Return the spellings in groups of several names, with the difference between those that look alike."""
    several = []
    for names in (spellings for spellings in groups if len(spellings) > 1):
        looks: dict[str, list[str]] = {}
        for name in sorted(names):
            looks.setdefault(plain_name(name) if read_again(name) == name else name, []).append(
                name
            )
        several.append(
            " = ".join(look + _difference(spellings) for look, spellings in looks.items())
        )
    return several


def _difference(names: Sequence[str]) -> str:
    """In what names differ that look alike."""
    if len(names) < 2:
        return ""
    forms = {composed(name) for name in names}
    return " (composed and decomposed)" if len(forms) < 2 else " (blanks or invisible characters)"


def near_ids(ids: Iterable[str], other_ids: Iterable[str]) -> tuple[str, list[str]]:
    """Return pairs of ids that differ but would match as numbers (001 and 1) or without letter case: the kind of
    difference ("numbers", "case", "blanks" or "zeros"), and the sorted pairs."""
    id_set = set(ids)
    other_set = set(other_ids)

    def plain(name: str) -> str:
        number = _NUMBER.fullmatch(name)
        return f"{float(name):.15g}" if number else re.sub(r"(?<!\d)0+(?=\d)", "", label_key(name))

    alone = {plain(name): name for name in other_set - id_set}
    pairs = sorted((n, alone[plain(n)]) for n in id_set - other_set if plain(n) in alone)
    shown = [" and ".join(pair) for pair in pairs]
    if not pairs or any(map(_NUMBER.fullmatch, pairs[0])):
        return "numbers", shown
    first, second = pairs[0]
    if first.casefold() == second.casefold():
        return "case", shown
    if label_key(first) == label_key(second):
        return "blanks", shown
    return "zeros", shown if len(pairs) > 1 else []


@lru_cache(maxsize=2**16)
def is_nobody(name: str) -> bool:
    """Return whether a label does not name a person: [deleted], Anonymous, Various, ``HAMILTON OR MADISON``, a doubtful
    name."""
    key = name_key(name)
    forms = {
        form.strip("[](){}<>.*'\" ")
        for form in ((key,) if key.isascii() else (key, _bare(name), _plain_letters(key)))
    }
    if key[-1:] == "?" or any(map(_NOBODY.fullmatch, forms)) or _EITHER.search(key) is not None:
        return True
    return "bot" in key[-12:] and _BOT.fullmatch(plain_name(name)) is not None


def may_be_nobody(name: str) -> bool:
    """Return whether a name may be a numbered unknown person, a program or a file about files: Anonymous 3, newsbot,
    noreply@x.org, notes."""
    return (
        _DOUBTFUL.fullmatch(key := name_key(name)) is not None
        or _BOT_LIKE.fullmatch(key) is not None
    )


def is_several(name: str) -> bool:
    """Return whether a label may name several people: ``Erckmann & Chatrian``, ``Smith et al.``, ``1.23457E+17``."""
    return (
        _SEVERAL.search(_ADDRESS.sub("", name_key(name), 1)) is not None
        or _ROUNDED.fullmatch(name) is not None
    )


def handed_in_by(name: str) -> str | None:
    """Return the person in the name of a file or folder from Moodle (``Ann Roe_123_assignsubmission_file_``),
    Blackboard (``…_aroe_attempt_2024-…``) or Turnitin (``12345 - Ann Roe - …``); otherwise None. With blind marking,
    the person is a number.
    """
    if (match := _HANDED_IN.fullmatch(name)) is not None and (match[1] or is_name(match[2])):
        return match[1] or match[2]
    if (parts := _SUBMISSION.fullmatch(name)) is None:
        return None
    return (
        f"{parts['person']} {parts['number']}"
        if _BLIND.fullmatch(parts["person"])
        else parts["person"]
    )


def is_part(folder: str) -> bool:
    """Return whether a folder's name is usual for a part of a data set and therefore may not name an author: train,
    problem001."""
    return _PARTS.fullmatch(folder) is not None


def is_name(name: str) -> bool:
    """Return whether a name has the form of a person's first name and surname, and not of a kind of texts."""
    words = re.split("[ -]", plain_name(name))
    return (
        len(words) in (2, 3, 4)
        and name.istitle()
        and all(map(str.isalpha, words))
        and not is_kind(name)
    )


def is_kind(name: str) -> bool:
    """Return whether a label may be a kind of texts instead of a person's name: human, 1851, letters."""
    return _KINDS.fullmatch(name_key(name).replace("-", " ")) is not None


def lookalikes(names: Iterable[str]) -> list[tuple[str, ...]]:
    """Return names that may name one person: they differ only in punctuation, accents, letters of other alphabets that
    look alike, word order ("Austen, Jane"), titles, years, the host of an address, initials, suffixes ("Ann Roe, PhD"),
    one letter of a word or further first names, or they are only a surname or a handle (aroe)."""
    groups: dict[str, dict[str, None]] = {}
    solid: dict[str, dict[str, None]] = {}
    surnames: dict[str, list[tuple[str, str, list[str]]]] = {}
    for name in names:
        words = _words(bare := _bare(name))
        key = name_key(name)
        spelt_out = words if key.isascii() else _words(_plain_letters(key.translate(_UMLAUTS)))
        tight = _words(_TIGHT.sub("", bare.replace("saint ", "st ")))
        for form in (words, spelt_out, tight):
            groups.setdefault(" ".join(sorted({*form})) or name, {})[name] = None
        solid.setdefault("".join(words) or name, {})[name] = None
        title, person = person_words(bare)
        if len(person[-1]) > 2 and person[-1].isalpha() and not (is_kind(name) or is_several(name)):
            surnames.setdefault(person[-1], []).append((name, title, person))
    alike = [tuple(group) for group in (*groups.values(), *solid.values()) if len(group) > 1]
    near = {
        frozenset(pair)
        for group in alike
        if len(group) <= MOST_OF_A_SURNAME
        for pair in combinations(group, 2)
    }
    for several in surnames.values():
        handles = {person[0][0] + person[-1]: None for _, _, person in several if len(person) > 1}
        several += [
            surname_entry
            for form in handles
            for surname_entry in surnames.get(form, ())
            if len(surname_entry[2]) == 1
        ]
        pairs = _pairs_of_one_surname(several) if len(several) <= MOST_OF_A_SURNAME else []
        alike += [pair for pair in pairs if frozenset(pair) not in near]
    first_names = {form: next(iter(group)) for form, group in groups.items()}
    alike += [
        (first_names[form], first_names[near_form])
        for form, near_form in _pairs_a_letter_apart(groups)
        if first_names[form] != first_names[near_form]
    ]
    return list({frozenset(group): group for group in reversed(alike)}.values())[::-1]


def person_words(name: str) -> tuple[str, list[str]]:
    """Return what is before and after a person's name (or ""), and the name's words without it, the surname last: for
    ``Dr. Roe, Ann (Lab)`` "dr (lab)" and ann, roe."""
    behind = _SUFFIX.search(key := name_key(name))
    surname, _, first_name = _SUFFIX.sub("", key).partition(", ")
    words = _words(f"{first_name} {surname}" if first_name else surname) or [name]
    title = words[0] if len(words) > 1 and _TITLES.fullmatch(words[0]) else ""
    words = words[1:] if title else words
    surname_first = len(words) > 1 < len(words[0]) and (
        len(words[-1]) == 1 or _PATRONYMIC.search(words[-1])
    )
    return title + (behind[0] if behind else ""), words[1:] + words[:1] if surname_first else words


def _pairs_of_one_surname(several: list[tuple[str, str, list[str]]]) -> list[tuple[str, str]]:
    """Pairs of (name, title, words) of one surname, or handles of them, that may be one person's; a surname alone that
    four people have may be anybody's."""
    alike: list[tuple[str, str]] = []
    for name, title, person in several:
        same_title = [
            (other, words)
            for other, other_title, words in several
            if not (title and other_title and other_title != title)
        ]
        here = [(other, words) for other, words in same_title if other != name]
        alike += [(name, other) for other, words in here if words == person]
        longer = [
            (other, words)
            for other, words in here
            if words != person and len(words) >= max(len(person), 2)
        ]
        if len(person) > 1:
            alike += [(name, other) for other, words in longer if _is_shortened(person, words)]
            continue
        full_names = [
            other for other, _ in longer if not (name + other).islower() and "@" not in name + other
        ]
        alike += [(name, other) for other in full_names if len(full_names) <= MOST_OF_ONE_NAME]
    return alike


def _is_shortened(words: list[str], longer: list[str]) -> bool:
    """Whether a person's words are others that lack first names or give initials: a roe, ann m roe."""
    remaining = iter(longer[:-1])
    is_shortened = all(
        any(
            word == longer_word
            or (1 in (len(word), len(longer_word)) and word[0] == longer_word[0])
            for longer_word in remaining
        )
        for word in words[:-1]
    )
    return longer[-len(words) :] == words or (is_shortened and words[0][0] == longer[0][0])


def _words(bare: str) -> list[str]:
    """The words of a name, without years, titles and the host of an address; numbers without zeros before them."""
    name = _YEARS.sub("", _ADDRESS.sub("", bare, 1)).partition("@")[0]
    name = name.partition("+")[0] if "@" in bare else name
    name = (
        name[: copy.start()]
        if (copy := _COPY.search(name)) and " " in name[: copy.start()]
        else name
    )
    words = "".join(letter if letter.isalnum() else " " for letter in name).split()
    words = words[1:] if len(words) > 2 and _TITLES.fullmatch(words[0]) else words
    return [word.lstrip("0") or "0" if word.isdecimal() else word for word in words]


def _bare(name: str) -> str:
    """A name in Latin letters where others look the same, and without accents."""
    latin = "".join(twins("Latin").get(letter, letter) for letter in plain_name(name))
    return _plain_letters(name_key(name if _GREEK_OR_CYRILLIC.search(latin) else latin))


def _plain_letters(key: str) -> str:
    return "".join(
        letter for letter in composed(key, "NFKD") if not unicodedata.combining(letter)
    ).translate(_LATIN)


def _pairs_a_letter_apart(names: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of names that differ in one letter, which is no figure, begins no short word and ends none."""
    long = [
        name
        for name in names
        if FEWEST_LETTERS <= len(name) <= MOST_LETTERS
        and not any(letter.isdigit() for letter in name)
    ]
    forms: dict[str, list[str]] = {}
    for name in long if len(long) <= MOST_COMPARED else ():
        # People differ in a first letter (an initial), and in the last of a short name.
        inner = [
            i
            for word in re.finditer(r"(?<=\S)\S{3,}|(?<=\S)\S(?=\S)", name)
            for i in range(*word.span())
        ]
        inner += [word.start() for word in re.finditer(r"\S{5,}", name) if " " in name]
        for form in {
            name,
            *(name[:i] + "\0" + name[i + 1 :] for i in inner),
            *(name[:i] + name[i + 1 :] for i in inner),
        }:
            forms.setdefault(form, []).append(name)
    return sorted(
        {pair for group in forms.values() for pair in combinations(sorted(group)[:MOST_APART], 2)}
    )
