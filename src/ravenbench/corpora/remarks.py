"""What every command should know of the texts and names of a corpus before it counts anything: found here once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ravenbench.errors import first_names, some
from ravenbench.text.common_words import sentence_on_languages
from ravenbench.text.copies import Copies, Sketch
from ravenbench.text.damage import odd_texts
from ravenbench.text.mail import any_of
from ravenbench.text.names import is_kind, is_several, label_key, lookalikes, may_be_nobody, person_words
from ravenbench.text.passages import sentence_on_shared
from ravenbench.texts import TextTable
from ravenbench.types import Labels

ACCOUNT = "what was left out"
"""The note of a corpus that holds these sentences, and those on files and documents that were not read."""
LOOKED_AT = 2_000
"""Texts of a corpus that are looked through, the first ones."""
MOST_BYTES = 64 * 2**20
_SHOWN = 10
_NO_WORD = re.compile(r"[\W_]+")
_NUMBERED = re.compile(r"\b(?:no|nr|id|student|number|matr\w*) (\d{4,12})\b")
_PART = re.compile(
    r"(?:(?<![^\W\d_])(chapter|chap|ch|kapitel|kap|part|teil|vol|volume|band|tome|episode|act|chunk)[\W_]{0,3})?"
    r"(?:\d{1,4}|(?<=[\W_])[ivxl]{1,7})$",
    re.IGNORECASE,
)
"""Names of parts of one work: emma_ch01, Emma 2."""
_WORKLESS, _OF_PEOPLE = re.compile(any_of("workless")), re.compile(any_of("of_people"))
_MOMENT = re.compile(r"1[0-7]\d{8}(?:\.0)?|1[0-7]\d{11}")
"""Seconds or thousandths of them since 1970, in this century."""


def remarks(texts: TextTable, author: Labels, ids: Sequence[str]) -> list[str]:
    """Sentences on the first texts of a corpus: marks of a wrong conversion, of e-mail, passages of several authors;
    and on names that may be one person's."""
    several: list[str] = []
    size = 0
    for row in range(min(len(texts), LOOKED_AT)):
        several.append(texts[row])
        size += len(several[-1])
        if size > MOST_BYTES:
            break
    return [
        *odd_texts(several, ids),
        *sentence_on_languages(several, ids),
        *sentence_on_shared(several, author.codes.tolist()),
        *signed(several, author, ids),
        *signed_by_others(several, author, ids),
        *marks_by_author(several, author),
        *near_copies(several, author.codes.tolist(), ids),
        *doubtful_names(author.names),
    ]


def signed(texts: Sequence[str], author: Labels, ids: Sequence[str]) -> list[str]:
    """Sentences on texts in which their own author's name stands, where few have another's (of one word: where most
    have it), and on numbers of one author each."""
    names = [person_words(name)[1] for name in author.names]
    own, whole, usable, others, numbers = list[str](), list[str](), 0, 0, dict[int, list[set[str]]]()
    for text, code, name in zip(texts, author.codes.tolist(), ids, strict=False):
        if code < 0 or len(label_key(author.names[code])) < 4 or names[code][-1].isdecimal():
            continue
        usable += 1
        read, last = plain_words(f"{text[:6000]}\n{text[-1000:]}"), text.rstrip().rpartition("\n")[2].casefold()
        last = "".join(filter(str.isalpha, last))
        initials = "".join(word[0] for word in names[code])
        if names_person(read, names[code]) or last == names[code][-1] or last == initials != names[code][0][:1]:
            own.append(name)
            whole += [name] * (len(names[code]) > 1)
        others += len(names) > 1 and names_person(read, names[code - 1])
        numbers.setdefault(code, []).append({*_NUMBERED.findall(f"{read[:500]} {read[-500:]}")})
    several = [set.intersection(*each) for each in numbers.values() if len(each) > 1]
    of = Counter(number for each in several for number in each)
    alone = [min(each) for each in several if any(of[number] == 1 for number in each)]
    said = [f"a number stands in all texts of one author, of {len(alone)} authors ({some(alone)}): it tells them apart"]
    said = said if len(alone) > 1 and 2 * len(alone) > len(several) else []
    if 2 * len(own) <= usable:
        own = whole if len(whole) > max(1, usable // 50) else []
    if not own or 4 * others > len(own):
        return said
    shown = f"the author's name stands in {len(own):,} of {len(texts):,} texts ({first_names(own, 3)}), as at their"
    return [f"{shown} heads or ends: it tells the author other than by style; take it out", *said]


def marks_by_author(texts: Sequence[str], author: Labels) -> list[str]:
    """A sentence on typographic quotation marks and apostrophes (“ ’), where some authors have them and others straight
    ones alone, in nine of ten texts at least: most texts of the rarer kind are by such authors."""
    kinds: dict[int, list[bool]] = {}
    for text, code in zip(texts, author.codes.tolist(), strict=False):
        curly = any(mark in text for mark in "“”’")
        if code >= 0 and (curly or text.count("'") + text.count('"') > 1):
            kinds.setdefault(code, []).append(curly)
    several = [Counter(of) for of in kinds.values()]
    whole = {
        kind: [of[kind] for of in several if of.total() > 1 and of[kind] >= 0.9 * of.total()] for kind in (False, True)
    }
    if min(map(len, whole.values())) < 3:
        return []
    if any(4 * sum(whole[kind]) < 3 * sum(of[kind] for of in several) for kind in whole):
        return []
    return [
        f"nearly all texts of {len(whole[True]):,} authors have typographic quotation marks or apostrophes (“ ’), of "
        f"{len(whole[False]):,} straight ones alone: these tell programs apart, not styles; write them alike"
    ]


def edges(text: str) -> list[str]:
    """The ``plain_words`` of the short lines at the head and the end of a text, where those who sign stand."""
    lines = [*text[:300].strip().split("\n")[:2], *text[-300:].strip().split("\n")[-2:]]
    return [plain_words(line).strip().removeprefix("by ") for line in lines if len(line) < 80]


def signed_by_others(texts: Iterable[str], author: Labels, ids: Iterable[str]) -> list[str]:
    """A sentence on texts of which a line at the head or the end is the name of another author."""
    people = {" ".join(person_words(name)[1]): code for code, name in enumerate(author.names) if " " in name}
    odd = [
        f"{name}: {author.names[people[line]]}"
        for text, code, name in zip(texts, author.codes.tolist(), ids, strict=False)
        for line in edges(text) if people.get(line, code) != code and code >= 0
    ]  # fmt: skip
    return [f"texts that another author here signs, by a line at their head or end: {first_names(odd)}"] if odd else []


def parts_of_works(author: Labels, topic: Labels, ids: Sequence[str]) -> list[str]:
    """A sentence on texts that are parts of one work by their names, where most are and the topic is no work."""
    works: dict[tuple[int, str], list[int]] = {}
    authors_of: dict[str, set[int]] = {}
    for row, (code, name) in enumerate(zip(author.codes.tolist(), ids, strict=True)):
        stem = name.rpartition("/")[2]
        if code < 0 or (match := _PART.search(stem)) is None:
            continue
        own, called = label_key(author.names[code]), match[1]
        work = " ".join(word for word in plain_words(stem[: match.start()]).split() if word not in own)
        if called or (len(work) > 2 and not _WORKLESS.fullmatch(work) and not is_kind(work)):
            works.setdefault((code, work), []).append(row)
            if not called:
                authors_of.setdefault(work, set()).add(code)
    several = [rows for (_, work), rows in works.items() if len(rows) > 1 and len(authors_of.get(work, ())) < 2]
    topics = [{int(topic.codes[row]) for row in rows} for rows in several]
    if 2 * sum(map(len, several)) <= len(ids) or (all(len(of) == 1 and min(of) >= 0 for of in topics)):
        return []
    shown = first_names([f"{ids[rows[0]]} to {ids[rows[-1]].rpartition('/')[2]}" for rows in several], 3)
    count = f"{sum(map(len, several)):,} of {len(ids):,} texts"
    return [
        f"{count} are parts of {len(several):,} works by their names ({shown}): "
        "parts of one work share its people and matters; let the work be the topic, or take one part of each"
    ]


def two_columns_of_people(author: Labels, columns: Mapping[str, Sequence[str | None]]) -> list[str]:
    """Sentences on columns that name people otherwise than the authors that were read: of one name several ids, or of
    one id several names."""
    said = []
    for column, values in columns.items():
        if not _OF_PEOPLE.fullmatch(re.sub(r"[\W\d_]", "", column.casefold())):
            continue
        sides: tuple[dict[str, set[str]], ...] = ({}, {})
        for name, value in zip(author, values, strict=True):
            if name is not None and value is not None:
                sides[0].setdefault(name, set()).add(value)
                sides[1].setdefault(value, set()).add(name)
        shown = [[f"{one}: {some(sorted(of))}" for one, of in side.items() if len(of) > 1] for side in sides]
        whole = [len(side) for side in sides]
        if any(shown) and all(2 * len(odd) <= number for odd, number in zip(shown, whole, strict=True)):
            said.append(
                f"{column} and the author that is read do not agree: {len(shown[0]):,} authors with several of it "
                f"({first_names(shown[0], 3) or 'none'}), {len(shown[1]):,} of it with several authors "
                f"({first_names(shown[1], 3) or 'none'})"
            )
    return said


def plain_words(text: str) -> str:
    """The words of a text in small letters with one blank between them."""
    return _NO_WORD.sub(" ", text.casefold())


def names_person(read: str, words: Sequence[str]) -> bool:
    """Whether a person's name stands among the ``plain_words`` of a text, or as a handle of eight letters and more."""
    whole, handle = " ".join(words), "".join(words)
    # A name in Latin letters is a word of its own: "mine" stands not in "mines".
    read, whole = (f" {read} ", f" {whole} ") if whole.isascii() else (read, whole)
    return (len(whole.strip()) > 3 and whole in read) or (len(handle) > 7 and handle in read)


def near_copies(texts: Sequence[str], authors: Sequence[int], ids: Sequence[str]) -> list[str]:
    """Sentences on texts that repeat another one, of two authors and of one."""
    copies = Copies.among(list(map(Sketch.of, texts)))
    pairs = [(ids[one], ids[other], authors[one] == authors[other]) for one, other in copies.repeated()]
    kinds = {
        "two authors that are copies of each other but for marks, letter case, and what was cut or added": False,
        "one author that repeat each other, as drafts do": True,
    }
    named = {kind: [f"{one} and {other}" for one, other, own in pairs if own == same] for kind, same in kinds.items()}
    return [f"texts of {kind}: {first_names(names)}" for kind, names in named.items() if names]


def doubtful_names(names: Iterable[str]) -> list[str]:
    """Sentences on authors' names that may be one person's, several people's each, or nobody's, or kinds of texts."""
    names = list(names)
    moments = [name for name in names if _MOMENT.fullmatch(name)]
    kinds = [name for name in names if is_kind(name)] or (moments if len(moments) == len(names) else [])
    doubts = {
        "one person's": [" / ".join(group) for group in lookalikes(names)],
        "several people's": [name for name in names if is_several(name)],
        "nobody's": [name for name in names if may_be_nobody(name)],
        "kinds of texts, and no people's": kinds if len(kinds) > 1 else [],
    }
    return [f"author names that may be {whose}: {first_names(each, _SHOWN)}" for whose, each in doubts.items() if each]
