"""Collects texts one by one into a ``TextTable``: small sets in memory, large sets in an unnamed temporary file.

In: texts as ``str``.
Out: ``TextCollector.add`` gives the row (int from 0) of each text in the table of distinct texts; ``last`` the hash
(bytes) and length (bytes) of the latest; ``identity_key`` a 16-byte hash of a normalised text; ``same_document`` bool.
FormatError for a NUL or half a character (a lone surrogate), as in ``checked_text``.
"""

from __future__ import annotations

import hashlib

from ravenbench.reading.account import fault
from ravenbench.reading.decoding import check_whole
from ravenbench.text.tokens import normalised
from ravenbench.texts import Gathered, composed, content_hash


def identity_key(text: str) -> bytes:
    """Return the 16-byte hash of a document's ``normalised`` form (lone surrogates allowed)."""
    return hashlib.blake2b(
        normalised(text).encode("utf-8", "surrogatepass"), digest_size=16
    ).digest()


def same_document(first: str, second: str) -> bool:
    """Return whether two texts have the same ``normalised`` form; different beginnings decide this quickly."""
    n = 200
    first_head = normalised(first[:n])
    right = normalised(second[:n])
    shorter = max(
        min(len(first_head), len(right)) - 1, 0
    )  # of the last letter an accent may have been cut off
    return first_head[:shorter] == right[:shorter] and normalised(first) == normalised(second)


def checked_text(text: str, file: str | None = None, line: int | None = None) -> str:
    """Return the text. FormatError if it cannot be written as UTF-8 (a lone surrogate), or contains a NUL."""
    if "\0" in text:
        position = text.index("\0")
        raise fault(
            "nul-character", file=file, line=line, found=text[max(0, position - 20) : position + 20]
        )
    return check_whole(text, "the text", file, line)


class TextCollector(Gathered):
    """Distinct texts, composed (NFC), in order of first occurrence; never more than one copy of each is in memory."""

    def __len__(self) -> int:
        return len(self.rows)

    def restore(self, key: bytes, size: int) -> None:
        """Add a text that is already in the given file."""
        self.rows[key] = len(self.rows)
        self.sizes.append(size)

    def last(self) -> tuple[bytes, int]:
        """Return the hash and the length in bytes of the last text."""
        return next(reversed(self.rows)), self.sizes[-1]

    def add(self, text: str) -> int:
        """Add a text and return its row. FormatError as for ``checked_text``."""
        block = composed(checked_text(text)).encode()
        return self.put(content_hash(block), block)
