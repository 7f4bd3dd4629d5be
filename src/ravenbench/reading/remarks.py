"""Finds doubtful things in a corpus: signed texts, copies, names that may refer to the same person.

In: ``Seen``: texts, ``Labels`` of authors (and topics), ids, further columns, one row for each document; some functions take
only texts and ids.
Out: a list of ``Note``s, empty if there are none; ``corpus_notes`` those of every ``check``. No text is changed.
Helpers: ``edges`` and ``plain_words`` return words of a text, ``names_person`` bool, ``spelt_alike`` labels.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from ravenbench.reading.account import Note, noted
from ravenbench.text.common_words import plain_languages
from ravenbench.text.copies import Copies, Sketch
from ravenbench.text.damage import MOST, signs_of_damage
from ravenbench.text.mail import any_of, phrases, signs_of_mail
from ravenbench.text.names import (
    is_kind,
    is_nobody,
    is_part,
    is_several,
    label_key,
    lookalikes,
    may_be_nobody,
    near_ids,
    one_spelling,
    person_words,
)
from ravenbench.text.passages import shared_by_authors, units
from ravenbench.texts import TextTable
from ravenbench.types import Labels

LOOKED_AT = 2_000
"""Number of texts of a corpus that are checked (the first ones)."""
MOST_BYTES = 64 * 2**20
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
_ANSWERED = re.compile(
    r"^(?:(?:re|fwd?|aw|wg|sv|vs|antw|tr|rv|rif|odp)(?:\[\d{1,3}\])?[ ]?[:：]\s*)+"
)
"""What mail programs put before the subject of an answer."""
_LISTED = re.compile("[;,|]")
_PREPARED = [line.split("\t") for line in phrases("preparation")]
"""Marks of how texts were prepared: the mark, how often it must occur, its pattern, the absence of the mark, and the
pattern of its absence."""
_HEAD = 4_000
"""Characters at the head of a text, and at its end, in which such marks are looked for."""


class Seen(NamedTuple):
    """What is checked: texts with their authors, ids and topics, and further columns."""

    texts: Sequence[str]
    author: Labels
    ids: Sequence[str]
    topic: Labels = Labels.of(())
    columns: Mapping[str, Labels] = {}


Check = Callable[[Seen], list[Note]]
CHECKS: list[Check] = []
"""The checks of ``corpus_notes``, in order."""


def check(function: Check) -> Check:
    """Register a function that checks every corpus; the sentences of its notes are rows of the table."""
    CHECKS.append(function)
    return function


def corpus_notes(
    texts: TextTable,
    author: Labels,
    ids: Sequence[str],
    topic: Labels,
    columns: Mapping[str, Labels],
) -> list[Note]:
    """Return notes on the first texts of a corpus, and on all its labels."""
    several: list[str] = []
    size = 0
    for row in range(min(len(texts), LOOKED_AT)):
        several.append(texts[row])
        size += len(several[-1])
        if size > MOST_BYTES:
            break
    seen = Seen(several, author, ids, topic, columns)
    return [note for find in CHECKS for note in find(seen)]


def signs(text: str) -> list[Note]:
    """Return notes on the odd features of one text."""
    return [Note(code, values={**values}) for code, values in signs_of_damage(text).items()]


@check
def odd_texts(seen: Seen) -> list[Note]:
    """Note texts, among the first ``MOST``, with each kind of damage, how often in all, and texts that look like
    e-mail."""
    total = min(len(seen.texts), MOST)
    places: dict[str, list[str]] = {}
    values: dict[str, dict[str, int | str]] = {}
    times = Counter[str]()
    for text, name in zip(seen.texts[:MOST], seen.ids, strict=False):
        odd = signs_of_damage(text) | ({"mail": {}} if signs_of_mail(text) else {})
        values = odd | values
        for code in odd:
            places.setdefault(code, []).append(name)
            times[code] += int(odd[code].get("times", 0))
    return [
        Note(code, len(names), tuple(names), {**values[code], "total": total, "times": times[code]})
        for code, names in places.items()
    ]


@check
def several_languages(seen: Seen) -> list[Note]:
    """Note texts that are clearly in other languages than most."""
    named = plain_languages(seen.texts, seen.ids)
    main, *others = named or [""]
    odd = [name for language in others for name in named[language]]
    shown = tuple(f"{len(named[language]):,} in {language}" for language in others)
    return noted("languages", odd, main=main, most=len(named.get(main, ())), others=shown)


@check
def shared(seen: Seen) -> list[Note]:
    """Note passages that texts of several authors share; authors without names are problems."""
    codes = seen.author.codes.tolist()
    if (passages := shared_by_authors(seen.texts, codes)) is None:
        return []
    number = len({codes[row] for row in passages.rows})
    return noted(
        "shared-licence" if passages.is_licence else "shared",
        [seen.ids[row] for row in passages.rows],
        total=len(seen.texts),
        owners=f"by {number:,} authors" if seen.author.names else "of several problems",
        begin=passages.begin,
    )


def spelt_alike(
    labels: Sequence[str | None],
    account: list[Note],
    label_kind: str,
    key: Callable[[str], str] = label_key,
) -> list[str | None]:
    """Return labels in the most frequent of equivalent spellings, and add a note on joined spellings to
    ``account``."""
    spelt, joined = one_spelling(labels, key)
    account += noted("spellings", joined, label=label_kind)
    return spelt


def ids_apart(ids: Iterable[str], other_ids: Iterable[str]) -> list[Note]:
    """Return a note on ids that differ from ``other_ids`` only in how they are written."""
    difference, pairs = near_ids(ids, other_ids)
    return noted(f"ids-{difference}", pairs)


@check
def signed(seen: Seen) -> list[Note]:
    """Note texts that contain their author's name, if few contain another author's (a single word: if most contain it),
    and numbers that only one author has."""
    texts, author, ids = seen[:3]
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
    is_usual = len(alone) > 1 and 2 * len(alone) > len(several)
    by_number = noted("number-of-author", sorted(alone) if is_usual else ())
    if 2 * len(signed_texts) <= usable:
        signed_texts = of_several_words if len(of_several_words) > max(1, usable // 50) else []
    if 4 * by_neighbours > len(signed_texts):
        return by_number
    return [*noted("signed", signed_texts, total=len(texts)), *by_number]


@check
def marks_by_author(seen: Seen) -> list[Note]:
    """Note marks of preparation (typographic quotation marks, no capitals, long s …) that nine of ten texts of some authors
    have and of others lack: most texts of the rarer kind are by these authors (at least three), or all are."""
    notes: list[Note] = []
    codes = seen.author.codes.tolist()
    for mark, lack, has_mark in _marks(seen.texts):
        kinds = dict[int, list[bool]]()
        for kind, code in zip(has_mark, codes, strict=False):
            if code >= 0 and kind is not None:
                kinds.setdefault(code, []).append(kind)
        own = {
            kind: [
                code
                for code, marks in kinds.items()
                if len(marks) > 1 and marks.count(kind) >= 0.9 * len(marks)
            ]
            for kind in (False, True)
        }
        rare = len(own[True]) < len(own[False])
        few = own[rare]
        of_few = sum(kinds[code].count(rare) for code in few)
        every = sum(marks.count(rare) for marks in kinds.values())
        if few and len(own[not rare]) > 2 and of_few >= (0.75 if len(few) > 2 else 1) * every:
            names = [seen.author.names[code] for code in few]
            lacking = len(own[False])
            having = len(own[True])
            notes += noted("marks-by-author", names, having, mark=mark, lack=lack, lacking=lacking)
    return notes


def _marks(texts: Sequence[str]) -> Iterator[tuple[str, str, list[bool | None]]]:
    """Each mark of preparation, what its lack is, and whether each text has it; None where it shows neither."""
    for mark, least, pattern, lack, lacking in _PREPARED:
        has_mark = list[bool | None]()
        for text in texts:
            is_there = len(re.findall(pattern, text[:_HEAD])) >= int(least)
            has_mark.append(is_there if is_there or re.search(lacking, text[:_HEAD]) else None)
        yield mark, lack, has_mark


def prepared_otherwise(
    questioned_texts: Sequence[tuple[str, str]], others: Iterable[str], which: str
) -> list[Note]:
    """Note marks of preparation that questioned texts (names and texts) have and nine of ten of the first others lack, or
    the reverse, if this is twice as frequent in questioned texts as in the others; a note calls the others ``which``."""
    notes: list[Note] = []
    for mark, lack, has_mark in _marks(
        [*(text for _, text in questioned_texts), *islice(others, LOOKED_AT)]
    ):
        of_others = [kind for kind in has_mark[len(questioned_texts) :] if kind is not None]
        for kind, code in ((True, "marks-in-question"), (False, "marks-of-others")):
            odd = [
                name
                for (name, _), own in zip(questioned_texts, has_mark, strict=False)
                if own is kind
            ]
            share = of_others.count(kind) / max(1, len(of_others))
            if odd and of_others and share <= min(0.1, len(odd) / 2 / len(questioned_texts)):
                notes += noted(code, odd, mark=mark, lack=lack, which=which)
    return notes


@check
def notices_of_one_author(seen: Seen) -> list[Note]:
    """Note lines at the edges of most texts of one author (at least three texts) that no other author has."""
    codes = seen.author.codes.tolist()[: len(seen.texts)]
    times = Counter(
        (line, code)
        for text, code in zip(seen.texts, codes, strict=True)
        for line in {*units(f"{text[:_HEAD]}\n{text[-_HEAD:]}")}
    )
    authors = Counter(line for line, _ in times)
    own = {
        code: line
        for (line, code), count in times.items()
        if code >= 0 and authors[line] == 1 and count > max(2, codes.count(code) / 2)
    }
    names = [seen.author.names[code] for code in own]
    return noted("notice-of-one", names, begin=next(iter(own.values()), "")[:60])


def edges(text: str) -> list[str]:
    """Return the ``plain_words`` of the short lines at the head and the end of a text, where authors sign."""
    lines = [*text[:300].strip().split("\n")[:2], *text[-300:].strip().split("\n")[-2:]]
    return [plain_words(line).strip().removeprefix("by ") for line in lines if len(line) < 80]


@check
def signed_by_others(seen: Seen) -> list[Note]:
    """Note texts in which a line at the head or the end is the name of another author."""
    author = seen.author
    people = {
        " ".join(person_words(name)[1]): code
        for code, name in enumerate(author.names)
        if " " in name
    }
    odd = [
        f"{name}: {author.names[people[line]]}"
        for text, code, name in zip(seen.texts, author.codes.tolist(), seen.ids, strict=False)
        for line in edges(text)
        if people.get(line, code) != code and code >= 0
    ]
    return noted("signed-by-another", odd)


@check
def parts_of_works(seen: Seen) -> list[Note]:
    """Note texts that are parts of one work by their names, if most are and the topic is not the work."""
    author, ids = seen.author, seen.ids
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
    codes = seen.topic.codes.tolist()
    topics = [{codes[row] for row in rows} for rows in several]
    if 2 * sum(map(len, several)) <= len(ids) or (
        all(len(work_topics) == 1 and min(work_topics) >= 0 for work_topics in topics)
    ):
        return []
    shown = [f"{ids[rows[0]]} to {ids[rows[-1]].rpartition('/')[2]}" for rows in several]
    parts = sum(map(len, several))
    return noted("parts-of-works", shown, parts=parts, total=len(ids))


@check
def two_columns_of_people(seen: Seen) -> list[Note]:
    """Note columns that identify people differently from the author column: several ids for one name, or several names
    for one id."""
    notes = []
    for column, values in seen.columns.items():
        if not _OF_PEOPLE.fullmatch(re.sub(r"[\W\d_]", "", column.casefold())):
            continue
        values_both_ways: tuple[dict[str, set[str]], ...] = ({}, {})
        for name, value in zip(seen.author, values, strict=True):
            if name is not None and value is not None:
                values_both_ways[0].setdefault(name, set()).add(value)
                values_both_ways[1].setdefault(value, set()).add(name)
        several, authors = (
            [f"{key}: {', '.join(sorted(named))}" for key, named in way.items() if len(named) > 1]
            for way in values_both_ways
        )
        numbers = [len(values_of_name) for values_of_name in values_both_ways]
        if 2 * len(several) <= numbers[0] and 2 * len(authors) <= numbers[1]:
            notes += noted(
                "columns-of-people", [*several, *authors], column=column, several=len(several)
            )
    return notes


@check
def topic_names(seen: Seen) -> list[Note]:
    """Note topics that may be missing values, parts of a data set, or the same."""
    names = seen.topic.names
    alike: dict[str, list[str]] = {}
    for topic in sorted(names):
        listed = _LISTED.split(_ANSWERED.sub("", topic.casefold()))
        plain = " ".join(sorted("".join(filter(str.isalnum, part)).rstrip("s") for part in listed))
        alike.setdefault(plain, []).append(topic)
    return [
        *noted("topics-none", sorted(filter(is_nobody, names))),
        *noted("topics-parts", sorted(filter(is_part, names))),
        *noted("topics-alike", [" / ".join(group) for group in alike.values() if len(group) > 1]),
    ]


def plain_words(text: str) -> str:
    """Return the words of a text in lower case with single spaces between them."""
    return _NO_WORD.sub(" ", text.casefold())


def names_person(text_words: str, words: Sequence[str]) -> bool:
    """Return whether ``plain_words`` of a text contain a person's name, or it as a handle of eight letters or more."""
    full_name = " ".join(words)
    handle = "".join(words)
    # A name in Latin letters is a word of its own: "mine" stands not in "mines".
    text_words, full_name = (
        (f" {text_words} ", f" {full_name} ") if full_name.isascii() else (text_words, full_name)
    )
    return (len(full_name.strip()) > 3 and full_name in text_words) or (
        len(handle) > 7 and handle in text_words
    )


@check
def near_copies(seen: Seen) -> list[Note]:
    """Note texts that repeat another text, of two authors and of the same author."""
    ids, codes = seen.ids, seen.author.codes.tolist()
    pairs = Copies.among(list(map(Sketch.of, seen.texts))).repeated()
    named: dict[bool, list[str]] = {False: [], True: []}
    for first, second in pairs:
        named[codes[first] == codes[second]].append(f"{ids[first]} and {ids[second]}")
    return [*noted("copies-of-two", named[False]), *noted("copies-of-one", named[True])]


def doubtful_names(names: Iterable[str]) -> list[Note]:
    """Note authors' names that may refer to the same person, several people, nobody, or kinds of texts."""
    names = list(names)
    moments = [name for name in names if _MOMENT.fullmatch(name)]
    kinds = [name for name in names if is_kind(name)] or (
        moments if len(moments) == len(names) else []
    )
    return [
        *noted("names-of-one", map(" / ".join, lookalikes(names))),
        *noted("names-of-several", filter(is_several, names)),
        *noted("names-of-nobody", filter(may_be_nobody, names)),
        *noted("names-of-kinds", kinds if len(kinds) > 1 else ()),
    ]


@check
def names_of_authors(seen: Seen) -> list[Note]:
    """Note what may be wrong with the authors' names."""
    return doubtful_names(seen.author.names)
