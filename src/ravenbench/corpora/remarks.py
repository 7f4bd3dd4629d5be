"""What every command should know of the texts and names of a corpus before it counts anything: found here once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ravenbench.errors import first_names
from ravenbench.text.copies import Copies, Sketch
from ravenbench.text.damage import odd_texts
from ravenbench.text.names import is_kind, is_several, label_key, lookalikes, may_be_nobody
from ravenbench.text.passages import sentence_on_shared
from ravenbench.texts import TextTable
from ravenbench.types import Labels

ACCOUNT = "what was left out"
"""The note of a corpus that holds these sentences, and those on files and documents that were not read."""
LOOKED_AT = 2_000
"""Texts of a corpus that are looked through, the first ones."""
MOST_BYTES = 64 * 2**20
_SHOWN = 10


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
    """A sentence on texts in which their own author's name stands, where most texts have it, and few another's."""
    names = [" ".join(reversed(label_key(name).split(", "))) for name in author.names]
    own, usable, others = list[str](), 0, 0
    for text, code, name in zip(texts, author.codes.tolist(), ids, strict=False):
        if code < 0 or len(names[code]) < 4 or names[code].isdecimal():
            continue
        usable += 1
        read = " ".join(f"{text[:6000]}\n{text[-1000:]}".casefold().split())
        short, end = names[code].replace(" ", ""), text.rstrip(" .\n\t").casefold()
        if names[code] in read or (short in read and len(short) > 7) or end.endswith("\n" + names[code].split()[-1]):
            own.append(name)
        others += len(names) > 1 and names[code - 1] in read
    if 2 * len(own) <= usable or 4 * others > len(own):
        return []
    said = f"the author's name stands in {len(own):,} of {len(texts):,} texts ({first_names(own, 3)}), as at their"
    return [f"{said} heads or ends: it tells the author other than by style; take it out"]


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
