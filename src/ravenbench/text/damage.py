"""Finds signs that a text is not what its author wrote: HTML, a wrong conversion, hidden directions, disguised letters.

In: a text.
Out: ``signs_of_damage`` values by codes of the account, one for each sign of the text, empty where there is none;
``script_of`` "Latin", "Greek", "Cyrillic", "Hebrew", "Arabic", "Chinese or Japanese" or None; ``repeated`` two counts
of words (all, without repetitions), None unless the text says the same again and again; ``is_wordless`` and
``is_macintosh`` bool.
"""

from __future__ import annotations

import re

from ravenbench.text.common_words import (
    function_words,
    in_alphabetical_order,
    lacks_function_words,
)
from ravenbench.text.lookalikes import disguised, invisible
from ravenbench.text.mail import phrases
from ravenbench.text.names import read_again
from ravenbench.text.passages import GUTENBERG
from ravenbench.text.tokens import count_evidence, count_words

_TAG = re.compile(
    r"</?(?:p|div|br|span|a|table|td|tr|b|i|em|strong|font|html|body|head|h[1-6])\b[^<>]{0,200}>",
    re.I,
)
_ENTITY = re.compile(r"&(?:[a-z]{2,8}|#\d{2,5}|#x[0-9a-f]{2,5});", re.I)
_RUN = re.compile("[^\x00-\x7f]{2,}")
_LEAD = re.compile("[\xc2-\xf4]")
"""Characters as which the first byte of a UTF-8 character is misread."""
_MACINTOSH = re.compile("(?<=[a-zà-ü])[ÒÓÔÕŽŠ•](?![A-Z])|(?<![^\\W\\d_])[ÒÔ](?=[a-z])")
"""Characters as which quotation marks, an apostrophe and letters in Mac Roman are misread as Windows-1252: donÕt,
cafŽ."""
_TURNED = re.compile("[\u202a-\u202e\u2066-\u2069]")
_SCRIPTS = {
    "Latin": "A-Za-z\u00c0-\u024f",
    "Greek": "\u0370-\u03ff\u1f00-\u1fff",
    "Cyrillic": "\u0400-\u04ff",
    "Hebrew": "\u0590-\u05ff",
    "Arabic": "\u0600-\u06ff",
    "Chinese or Japanese": "\u3040-\u30ff\u4e00-\u9fff",
}
_OF_SCRIPT = {name: re.compile(f"[{letters}]") for name, letters in _SCRIPTS.items()}
SCRIPTS = dict.fromkeys(
    ("dutch", "english", "french", "german", "italian", "portuguese", "spanish"), "Latin"
) | {
    "greek": "Greek",
    "russian": "Cyrillic",
    "ukrainian": "Cyrillic",
    "hebrew": "Hebrew",
    "arabic": "Arabic",
}
"""Scripts of languages, by their English names."""
_TWO_LETTERS = re.compile(r"[^\W\d_].*?[^\W\d_]", re.DOTALL)
_FILE_NAME = re.compile(r"\S+\.(txt|text|xml|html?|docx?|odt|rtf|pdf|md|csv|jsonl?)")
_ONE_WORD = re.compile(r"\W*+[\w'’-]++\W*+")
_GONE = re.compile(
    r"[\W_]*+(?:(?:comment|message|post|text)? ?(?:deleted|removed)(?: by [\w"
    r" ]{1,30})?|unavailable|n/?a|nan|null"
    r"|none|name\?|ref!|value!|num!|div/0!)[\W_]*+",
    re.IGNORECASE,
)
_PAGE = re.compile(
    r"\b(?:404|not found|forbidden|access denied|internal server error|bad gateway|enable"
    r" javascript|captcha"
    r"|(?:file|page|content|text|video|account) (?:has been|was|is)"
    r" (?:removed|deleted|blocked|unavailable))\b",
    re.IGNORECASE,
)
_NUMERAL = re.compile("[IVXLCDM]+")
_LIMITS = str.maketrans("⏎⇥", "\n\t")
_MARKS = [line.split("\t") for line in phrases("marks")]
"""Signs of a wrong conversion: a part to search first, how often it must occur, the pattern, and its code."""
_COMPILED = tuple(
    (part.translate(_LIMITS), re.compile(pattern, re.MULTILINE), int(least), code)
    for part, least, pattern, code in _MARKS
)
_LOOKED_AT = 1_000_000
FEWEST_WORDS = 50
MOST_DISTINCT = 2 / 3
"""Fewest words of a text that repeats itself, and the proportion of words without repetitions below which it counts as
repeating itself."""
MOST = 2_000
"""Number of texts of a set (the first) that are examined."""
_CELL = 32_767
_FEWEST = 3
_SHARE = 0.15


def script_of(text: str) -> str | None:
    """Return the script of most letters at a text's beginning; None if it has no letters of these scripts."""
    counts = {name: len(letters.findall(text[:2_000])) for name, letters in _OF_SCRIPT.items()}
    commonest = max(counts, key=counts.__getitem__)
    return commonest if counts[commonest] else None


def is_wordless(text: str) -> bool:
    """Return whether a text has no content: fewer than two letters, or only a note that it was deleted or is
    missing."""
    return _TWO_LETTERS.search(text) is None or (
        len(text) < 80 and _GONE.fullmatch(text) is not None
    )


def is_macintosh(text: str) -> bool:
    """Return whether a text in Mac Roman was read as Windows-1252, by most of its characters beyond ASCII."""
    if not any(sign in text for sign in "ÒÓÔÕŽŠ•"):
        return False
    return 2 * len(_MACINTOSH.findall(text)) > sum(map(len, re.findall("[^\x00-\x7f]+", text)))


def repeated(text: str) -> tuple[int, int] | None:
    """Return the number of words of a text that repeats itself again and again, and the number without repetitions;
    otherwise None."""
    words = count_words(text)
    if words < FEWEST_WORDS or len(set(text.split())) >= FEWEST_WORDS:
        return None
    distinct = count_evidence(text)
    return (words, distinct) if distinct < min(FEWEST_WORDS, MOST_DISTINCT * words) else None


def signs_of_damage(text: str) -> dict[str, dict[str, int | str]]:
    """Return codes of damage in a plain text, each with values: no word or only one, the name of a file, marks of
    HTML, a wrong conversion, Project Gutenberg's licence, several scripts, turned directions, invisible characters,
    letters of other alphabets.

    A wrong conversion is UTF-8 that was read as Windows-1252, as ``â€™`` for an apostrophe, or U+FFFD where a letter
    was lost. Only the first million characters are looked at.
    """
    text = text[:_LOOKED_AT]
    signs: dict[str, dict[str, int | str]] = {}
    if is_wordless(text):
        signs["wordless"] = {}
    elif len(text) < 250 and _FILE_NAME.fullmatch(text.strip()) is not None:
        signs["file-name"] = {}
    elif len(text) < 80 and _ONE_WORD.fullmatch(text) is not None:
        signs["one-word"] = {}
    elif len(text) < 300 and _PAGE.search(text) is not None:
        signs["page-message"] = {}
    if count := lacks_function_words(text):
        signs["no-function-words"] = {"words": count}
    if in_alphabetical_order(text):
        signs["alphabetical"] = {}
    if (repetition := repeated(text)) is not None:
        signs["repetitive"] = {"words": repetition[0], "distinct": repetition[1]}
    for part, pattern, fewest, code in _COMPILED:
        if part in text and (occurrences := len(pattern.findall(text))) >= fewest:
            signs[code] = {"times": occurrences}
    if len(text) == _CELL:
        signs["cell-limit"] = {}
    if "<teiHeader" in text[:20_000]:
        signs["tei-marks"] = {}
    elif (
        re.match(r"\s*<(!doctype html|html)\b", text, re.IGNORECASE) or len(_TAG.findall(text)) >= 5
    ):
        signs["html-marks"] = {}
    elif len(entities := _ENTITY.findall(text) if "&" in text else []) >= _FEWEST:
        signs["entities"] = {"times": len(entities), "first": entities[0]}
    if ("utenberg" in text or "UTENBERG" in text) and GUTENBERG.search(text) is not None:
        signs["gutenberg"] = {}
    if text.isascii():
        return signs
    runs = _RUN.findall(text)
    wrong = [
        (run, mended) for run in runs if _LEAD.search(run) and (mended := read_again(run)) != run
    ]
    if len(wrong) >= _FEWEST and 2 * len(wrong) > len(runs):
        run, mended = wrong[0]
        signs["utf8-as-1252"] = {"times": len(wrong), "found": run, "meant": mended}
    if is_macintosh(text):
        signs["mac-as-1252"] = {}
    if lost := text.count("\ufffd"):
        signs["characters-lost"] = {"times": lost}
    if turned := len(_TURNED.findall(text)):
        leftwards = any(mark in text for mark in "\u202b\u202e\u2067\u2068")
        signs["turned" if leftwards else "left-to-right-marks"] = {"times": turned}
    if unseen := invisible(text):
        signs["invisible"] = {"times": unseen}
    words = {
        word: plain
        for word, plain in disguised(text).items()
        if not _NUMERAL.fullmatch(word) and word.lower() not in function_words()
    }
    if words:
        word, mended = min(words.items())
        signs["disguised"] = {"words": len(words), "found": word, "meant": mended}
    counts = {name: len(letters.findall(text)) for name, letters in _OF_SCRIPT.items()}
    letter_count = sum(counts.values())
    scripts = [
        f"{name} {count / letter_count:.0%}"
        for name, count in counts.items()
        if letter_count and count >= _SHARE * letter_count
    ]
    if len(scripts) > 1:
        signs["scripts"] = {"shares": ", ".join(scripts)}
    return signs
