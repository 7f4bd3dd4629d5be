"""Finds what a reader should doubt in a corpus: signed texts, copies, names that may be one person's.

In: texts, ``Labels`` of authors (and topics), ids, further columns: a document a row; ``doubtful_names`` takes names
only.
Out: a list of sentences, one for each doubt, empty where there is none. No text is changed. Helpers: ``edges`` and
``plain_words`` give words of a text, ``names_person`` gives bool.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ravenbench.errors import first_names, some
from ravenbench.text.common_words import sentence_on_languages
from ravenbench.text.copies import Copies, Sketch
from ravenbench.text.damage import odd_texts
from ravenbench.text.mail import any_of
from ravenbench.text.names import (
    is_kind,
    is_several,
    label_key,
    lookalikes,
    may_be_nobody,
    person_words,
)
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
_WORKLESS = re.compile(any_of("workless"))
_OF_PEOPLE = re.compile(any_of("of_people"))
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
    signed_texts = list[str]()
    of_several_words = list[str]()
    usable = 0
    by_neighbours = 0
    numbers = dict[int, list[set[str]]]()
    for text, code, name in zip(texts, author.codes.tolist(), ids, strict=False):
        if code < 0 or len(label_key(author.names[code])) < 4 or names[code][-1].isdecimal():
            continue
        usable += 1
        words_at_edges = plain_words(f"{text[:6000]}\n{text[-1000:]}")
        last_line = text.rstrip().rpartition("\n")[2].casefold()
        last_line = "".join(filter(str.isalpha, last_line))
        initials = "".join(word[0] for word in names[code])
        if (
            names_person(words_at_edges, names[code])
            or last_line == names[code][-1]
            or last_line == initials != names[code][0][:1]
        ):
            signed_texts.append(name)
            of_several_words += [name] * (len(names[code]) > 1)
        by_neighbours += len(names) > 1 and names_person(words_at_edges, names[code - 1])
        numbers.setdefault(code, []).append(
            {*_NUMBERED.findall(f"{words_at_edges[:500]} {words_at_edges[-500:]}")}
        )
    several = [
        set.intersection(*number_sets) for number_sets in numbers.values() if len(number_sets) > 1
    ]
    authors_of_number = Counter(number for author_numbers in several for number in author_numbers)
    alone = [
        min(author_numbers)
        for author_numbers in several
        if any(authors_of_number[number] == 1 for number in author_numbers)
    ]
    sentences = [
        f"a number stands in all texts of one author, of {len(alone)} authors ({some(alone)}): it"
        " tells them apart"
    ]
    sentences = sentences if len(alone) > 1 and 2 * len(alone) > len(several) else []
    if 2 * len(signed_texts) <= usable:
        signed_texts = of_several_words if len(of_several_words) > max(1, usable // 50) else []
    if not signed_texts or 4 * by_neighbours > len(signed_texts):
        return sentences
    shown = (
        f"the author's name stands in {len(signed_texts):,} of {len(texts):,} texts"
        f" ({first_names(signed_texts, 3)}),"
        " as at their"
    )
    return [
        f"{shown} heads or ends: it tells the author other than by style; take it out",
        *sentences,
    ]


def marks_by_author(texts: Sequence[str], author: Labels) -> list[str]:
    """A sentence on typographic quotation marks and apostrophes (“ ’), where some authors have them and others straight
    ones alone, in nine of ten texts at least: most texts of the rarer kind are by such authors."""
    kinds: dict[int, list[bool]] = {}
    for text, code in zip(texts, author.codes.tolist(), strict=False):
        curly = any(mark in text for mark in "“”’")
        if code >= 0 and (curly or text.count("'") + text.count('"') > 1):
            kinds.setdefault(code, []).append(curly)
    marks_of_authors = [Counter(marks) for marks in kinds.values()]
    nearly_all = {
        is_curly: [
            marks[is_curly]
            for marks in marks_of_authors
            if marks.total() > 1 and marks[is_curly] >= 0.9 * marks.total()
        ]
        for is_curly in (False, True)
    }
    if min(map(len, nearly_all.values())) < 3:
        return []
    if any(
        4 * sum(nearly_all[is_curly]) < 3 * sum(marks[is_curly] for marks in marks_of_authors)
        for is_curly in nearly_all
    ):
        return []
    return [
        f"nearly all texts of {len(nearly_all[True]):,} authors have typographic quotation marks or"
        f" apostrophes (“ ’), of {len(nearly_all[False]):,} straight ones alone: these tell"
        " programs"
        " apart, not styles; write them alike"
    ]


def edges(text: str) -> list[str]:
    """The ``plain_words`` of the short lines at the head and the end of a text, where those who sign stand."""
    lines = [*text[:300].strip().split("\n")[:2], *text[-300:].strip().split("\n")[-2:]]
    return [plain_words(line).strip().removeprefix("by ") for line in lines if len(line) < 80]


def signed_by_others(texts: Iterable[str], author: Labels, ids: Iterable[str]) -> list[str]:
    """A sentence on texts of which a line at the head or the end is the name of another author."""
    people = {
        " ".join(person_words(name)[1]): code
        for code, name in enumerate(author.names)
        if " " in name
    }
    odd = [
        f"{name}: {author.names[people[line]]}"
        for text, code, name in zip(texts, author.codes.tolist(), ids, strict=False)
        for line in edges(text)
        if people.get(line, code) != code and code >= 0
    ]
    return (
        [
            "texts that another author here signs, by a line at their head or end:"
            f" {first_names(odd)}"
        ]
        if odd
        else []
    )


def parts_of_works(author: Labels, topic: Labels, ids: Sequence[str]) -> list[str]:
    """A sentence on texts that are parts of one work by their names, where most are and the topic is no work."""
    works: dict[tuple[int, str], list[int]] = {}
    authors_of: dict[str, set[int]] = {}
    for row, (code, name) in enumerate(zip(author.codes.tolist(), ids, strict=True)):
        stem = name.rpartition("/")[2]
        if code < 0 or (match := _PART.search(stem)) is None:
            continue
        author_key = label_key(author.names[code])
        called = match[1]
        work = " ".join(
            word for word in plain_words(stem[: match.start()]).split() if word not in author_key
        )
        if called or (len(work) > 2 and not _WORKLESS.fullmatch(work) and not is_kind(work)):
            works.setdefault((code, work), []).append(row)
            if not called:
                authors_of.setdefault(work, set()).add(code)
    several = [
        rows
        for (_, work), rows in works.items()
        if len(rows) > 1 and len(authors_of.get(work, ())) < 2
    ]
    topics = [{int(topic.codes[row]) for row in rows} for rows in several]
    if 2 * sum(map(len, several)) <= len(ids) or (
        all(len(work_topics) == 1 and min(work_topics) >= 0 for work_topics in topics)
    ):
        return []
    shown = first_names(
        [f"{ids[rows[0]]} to {ids[rows[-1]].rpartition('/')[2]}" for rows in several], 3
    )
    count = f"{sum(map(len, several)):,} of {len(ids):,} texts"
    return [
        f"{count} are parts of {len(several):,} works by their names ({shown}): parts of one work"
        " share its people and matters; let the work be the topic, or take one part of each"
    ]


def two_columns_of_people(author: Labels, columns: Mapping[str, Sequence[str | None]]) -> list[str]:
    """Sentences on columns that name people otherwise than the authors that were read: of one name several ids, or of
    one id several names."""
    sentences = []
    for column, values in columns.items():
        if not _OF_PEOPLE.fullmatch(re.sub(r"[\W\d_]", "", column.casefold())):
            continue
        values_both_ways: tuple[dict[str, set[str]], ...] = ({}, {})
        for name, value in zip(author, values, strict=True):
            if name is not None and value is not None:
                values_both_ways[0].setdefault(name, set()).add(value)
                values_both_ways[1].setdefault(value, set()).add(name)
        shown = [
            [
                f"{name}: {some(sorted(values))}"
                for name, values in values_of_name.items()
                if len(values) > 1
            ]
            for values_of_name in values_both_ways
        ]
        numbers = [len(values_of_name) for values_of_name in values_both_ways]
        if any(shown) and all(
            2 * len(odd) <= number for odd, number in zip(shown, numbers, strict=True)
        ):
            sentences.append(
                f"{column} and the author that is read do not agree: {len(shown[0]):,} authors with"
                f" several of it ({first_names(shown[0], 3) or 'none'}), {len(shown[1]):,} of it"
                f" with several authors ({first_names(shown[1], 3) or 'none'})"
            )
    return sentences


def plain_words(text: str) -> str:
    """The words of a text in small letters with one blank between them."""
    return _NO_WORD.sub(" ", text.casefold())


def names_person(text_words: str, words: Sequence[str]) -> bool:
    """Whether a person's name stands among the ``plain_words`` of a text, or as a handle of eight letters and more."""
    full_name = " ".join(words)
    handle = "".join(words)
    # A name in Latin letters is a word of its own: "mine" stands not in "mines".
    text_words, full_name = (
        (f" {text_words} ", f" {full_name} ") if full_name.isascii() else (text_words, full_name)
    )
    return (len(full_name.strip()) > 3 and full_name in text_words) or (
        len(handle) > 7 and handle in text_words
    )


def near_copies(texts: Sequence[str], authors: Sequence[int], ids: Sequence[str]) -> list[str]:
    """Sentences on texts that repeat another one, of two authors and of one."""
    copies = Copies.among(list(map(Sketch.of, texts)))
    pairs = [
        (ids[first], ids[second], authors[first] == authors[second])
        for first, second in copies.repeated()
    ]
    kinds = {
        "two authors that are copies of each other but for marks, letter case, and what was cut or added": (
            False
        ),
        "one author that repeat each other, as drafts do": True,
    }
    named = {
        kind_of_pair: [
            f"{first} and {second}"
            for first, second, of_one_author in pairs
            if of_one_author == wanted_author
        ]
        for kind_of_pair, wanted_author in kinds.items()
    }
    return [
        f"texts of {kind_of_pair}: {first_names(names)}"
        for kind_of_pair, names in named.items()
        if names
    ]


def doubtful_names(names: Iterable[str]) -> list[str]:
    """Sentences on authors' names that may be one person's, several people's each, or nobody's, or kinds of texts."""
    names = list(names)
    moments = [name for name in names if _MOMENT.fullmatch(name)]
    kinds = [name for name in names if is_kind(name)] or (
        moments if len(moments) == len(names) else []
    )
    doubts = {
        "one person's": [" / ".join(group) for group in lookalikes(names)],
        "several people's": [name for name in names if is_several(name)],
        "nobody's": [name for name in names if may_be_nobody(name)],
        "kinds of texts, and no people's": kinds if len(kinds) > 1 else [],
    }
    return [
        f"author names that may be {doubt}: {first_names(doubtful, _SHOWN)}"
        for doubt, doubtful in doubts.items()
        if doubtful
    ]
