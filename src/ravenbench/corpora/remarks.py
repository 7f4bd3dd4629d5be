"""What every command should know of the texts and names of a corpus before it counts anything: found here once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from ravenbench.errors import first_names, some
from ravenbench.text.copies import Copies, Sketch
from ravenbench.text.damage import odd_texts
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
        *sentence_on_shared(several, author.codes.tolist()),
        *signed(several, author, ids),
        *near_copies(several, author.codes.tolist(), ids),
        *doubtful_names(author.names),
    ]


def signed(texts: Sequence[str], author: Labels, ids: Sequence[str]) -> list[str]:
    """Sentences on texts in which their own author's name stands, where most texts have it, and few another's, and on
    numbers of one author each."""
    names = [person_words(name)[1] for name in author.names]
    own, usable, others, numbers = list[str](), 0, 0, dict[int, list[set[str]]]()
    for text, code, name in zip(texts, author.codes.tolist(), ids, strict=False):
        if code < 0 or len(label_key(author.names[code])) < 4 or names[code][-1].isdecimal():
            continue
        usable += 1
        read, last = plain_words(f"{text[:6000]}\n{text[-1000:]}"), text.rstrip().rpartition("\n")[2].casefold()
        last = "".join(filter(str.isalpha, last))
        initials = "".join(word[0] for word in names[code])
        if names_person(read, names[code]) or last == names[code][-1] or last == initials != names[code][0][:1]:
            own.append(name)
        others += len(names) > 1 and names_person(read, names[code - 1])
        numbers.setdefault(code, []).append({*_NUMBERED.findall(f"{read[:500]} {read[-500:]}")})
    several = [set.intersection(*each) for each in numbers.values() if len(each) > 1]
    of = Counter(number for each in several for number in each)
    alone = [min(each) for each in several if any(of[number] == 1 for number in each)]
    said = [f"a number stands in all texts of one author, of {len(alone)} authors ({some(alone)}): it tells them apart"]
    said = said if len(alone) > 1 and 2 * len(alone) > len(several) else []
    if 2 * len(own) <= usable or 4 * others > len(own):
        return said
    shown = f"the author's name stands in {len(own):,} of {len(texts):,} texts ({first_names(own, 3)}), as at their"
    return [f"{shown} heads or ends: it tells the author other than by style; take it out", *said]


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
    kinds = [name for name in names if is_kind(name)]
    doubts = {
        "one person's": [" / ".join(group) for group in lookalikes(names)],
        "several people's": [name for name in names if is_several(name)],
        "nobody's": [name for name in names if may_be_nobody(name)],
        "kinds of texts, and no people's": kinds if len(kinds) > 1 else [],
    }
    return [f"author names that may be {whose}: {first_names(each, _SHOWN)}" for whose, each in doubts.items() if each]
