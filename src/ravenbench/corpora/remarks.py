"""What every command should know of the texts and names of a corpus before it counts anything: found here once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ravenbench.errors import first_names
from ravenbench.text.damage import odd_texts
from ravenbench.text.names import is_kind, is_several, lookalikes, may_be_nobody
from ravenbench.text.passages import sentence_on_shared
from ravenbench.texts import TextTable
from ravenbench.types import Labels

ACCOUNT = "what was left out"
"""The note of a corpus that holds these sentences, and those on files and documents that were not read."""
LOOKED_AT = 2_000
"""Texts of a corpus that are looked through, the first ones."""
MOST_BYTES = 64 * 2**20
BEGINNING = 300
"""Letters and figures at the beginning of texts that show drafts of one text."""
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
        *_near_copies(several, author.codes.tolist(), ids),
        *doubtful_names(author.names),
    ]


def _near_copies(texts: Sequence[str], authors: Sequence[int], ids: Sequence[str]) -> list[str]:
    """Sentences on texts of two authors that differ in marks and letter case alone, and on those of one author that
    begin alike, as drafts do."""
    alike: dict[str, list[int]] = {}
    for row, text in enumerate(texts):
        alike.setdefault(_letters(text[: 2 * BEGINNING])[:BEGINNING], []).append(row)
    copies: list[str] = []
    drafts: list[str] = []
    for beginning, rows in alike.items():
        whole: dict[str, int] = {}
        begun: dict[int, int] = {}
        for row in rows if len(rows) > 1 else ():
            first, earlier = whole.setdefault(_letters(texts[row]), row), begun.setdefault(authors[row], row)
            if authors[first] != authors[row]:
                copies.append(f"{ids[first]} and {ids[row]}")
            elif earlier != row and len(beginning) >= BEGINNING:
                drafts.append(f"{ids[earlier]} and {ids[row]}")
    said = [f"texts of two authors that differ in marks or letter case alone: {first_names(copies)}"] if copies else []
    if drafts:
        said.append(
            f"texts of one author that begin with the same {BEGINNING} letters, as drafts do: {first_names(drafts)}"
        )
    return said


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


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
