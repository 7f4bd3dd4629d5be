"""Reading texts that were rewritten elsewhere, in whatever shape they come, and refusing what cannot be theirs.

a folder    ID/obfuscation.json (PAN 2016), ID/obfuscated.txt, or a problem set's ID/unknown.txt
            ID.obfuscation.json or ID.json (PAN 2016), ID.txt, or the file ID itself
a table     .jsonl or .csv with the columns id and text; optionally original, or original_sha256
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from ravenbench.errors import FormatError
from ravenbench.formats.archive import Archive
from ravenbench.formats.pan_obfuscation import Part, read_parts
from ravenbench.formats.tabular import ENDINGS, table_rows
from ravenbench.formats.whole_text import read_whole
from ravenbench.obfuscation.language import is_no_longer_english
from ravenbench.text.alignment import plain_words

LONGEST = 10
"""A rewriting with so many times the words of its original, or so few, is another text."""
_SHORT = 20
_NAMES = ("obfuscation.json", "obfuscated.txt", "unknown.txt")
_SUFFIXES = (".obfuscation.json", ".json", ".txt", "")


@dataclass(frozen=True)
class Found:
    """A rewriting as it was found: where, and its text or the file of its parts.

    ``original`` is the text, ``digest`` the SHA-256 of the text that it says it rewrites, where it says so.
    """

    place: str
    line: int | None = None
    text: str | None = None
    parts: Path | None = None
    original: str | None = None
    digest: str | None = None

    def read(self, original: str) -> tuple[Part, ...]:
        """Its parts, checked against the text that was rewritten.

        Raises
        ------
        FormatError
            If it rewrites another text, is empty, far too long or short, in another language or no UTF-8.
        """
        other = "it rewrites another text"
        if self.original is not None and self.original.strip() != original.strip():
            raise FormatError(other, file=self.place, line=self.line, found=self.original[:80], expected=original[:80])
        wanted = hashlib.sha256(original.encode()).hexdigest()
        if self.digest is not None and self.digest.lower() != wanted:
            raise FormatError(
                f"{other}: the hash differs", file=self.place, line=self.line, found=self.digest, expected=wanted
            )
        if self.parts is not None:
            parts = read_parts(self.parts, original)
        else:
            assert self.text is not None
            parts = (Part(0, len(original), original, self.text, ("rewrite",) if self.text != original else ()),)
        fault = objection(original, "".join(part.obfuscation for part in parts))
        if fault is not None:
            raise FormatError(f"this is no rewriting of its text: {fault}", file=self.place, line=self.line)
        return parts


def objection(original: str, rewritten: str) -> str | None:
    """The reason why a text can be no rewriting of another, or None."""
    if "\0" in rewritten:
        return "it holds a NUL character"
    if not any(c.isalnum() for c in rewritten):
        return "it has no words"
    before, after = len(plain_words(original)), len(plain_words(rewritten))
    if before >= _SHORT and not before / LONGEST < after < before * LONGEST:
        return f"it has {after:,} words where the original has {before:,}"
    if is_no_longer_english(original, rewritten):
        return "it is in another language, or in none"
    return None


def find(place: Path) -> dict[str, Found]:
    """Every rewriting of a folder or a table, by id.

    Raises
    ------
    FormatError
        If this is no place for rewritings, or a table cannot be read.
    """
    if place.is_dir():
        found = _of_folder(place)
    elif place.suffix.lower() in ENDINGS:
        found = _of_table(place)
    else:
        raise FormatError(
            "no rewritings are here", file=place,
            expected="a folder with ID/obfuscation.json, ID.txt or a problem set, or a .csv or .jsonl with id and text",
        )  # fmt: skip
    return found


def _of_folder(place: Path) -> dict[str, Found]:
    found: dict[str, Found] = {}
    for file in sorted(p for p in place.rglob("*") if p.is_file()):
        inside = file.relative_to(place).as_posix()
        folder, _, name = inside.rpartition("/")
        if folder and name in _NAMES:
            if folder not in found or _NAMES.index(name) < _NAMES.index(Path(found[folder].place).name):
                found[folder] = _file(file)
            continue
        suffix = next(s for s in _SUFFIXES if inside.endswith(s))
        if (
            suffix == ""
            or inside in ("contents.json", "truth.txt")
            or name.startswith(("known", "same-author", "original"))
        ):
            continue
        known = found.get(inside.removesuffix(suffix))
        # Parts say more than the text beside them.
        if known is None or known.parts is None:
            found[inside.removesuffix(suffix)] = _file(file)
    return found


def _file(file: Path) -> Found:
    if file.suffix == ".json":
        return Found(str(file), parts=file)
    return Found(str(file), text=read_whole(file))


def _of_table(place: Path) -> dict[str, Found]:
    found: dict[str, Found] = {}
    with Archive(place) as archive:
        rows = list(table_rows(archive, place.name))
    for line, row in rows:
        name, text = row.get("id"), row.get("text")
        if not isinstance(name, str) or not isinstance(text, str):
            raise FormatError("not a rewriting", file=place, line=line, found=row, expected="columns id and text")
        if name in found:
            raise FormatError(f"the id {name} stands twice", file=place, line=line)
        told = {
            key: value for key in ("original", "original_sha256") if isinstance(value := row.get(key), str) and value
        }
        found[name] = Found(
            str(place), line, text, original=told.get("original"), digest=told.get("original_sha256")
        )  # fmt: skip
    return found
