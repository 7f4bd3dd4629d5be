"""Removes from a post what its author did not write and what names the author, by rules on its lines.

In: a post or its lines (without line ends), words that name the author, a limit in characters, a group and a subject.
Out: the ``drop_…`` and ``cut_…`` functions: the lines that are kept; ``mask_addresses``: lines with ``@`` for addresses;
``split_header``: fields and body; ``reproduces``: True for a periodic posting; ``unwrap``, ``clip``: one text;
``word_count``: a count; ``nonword_share``: a share of tokens, 0 to 1; ``thread``: a name or None.

A study on this corpus found that such lines decide the result of a verification experiment, because signatures and
repeated lines show identity. Every rule is a pure function of the given lines; all may be applied twice.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

_QUOTE = re.compile(r"\s{0,4}(?:[A-Za-z]{0,4}\s?(?:>|\|>)|[-=]+>|[|:%#}~]|[A-Z]{2,3}[:|] )")
_SAYS = r"(?:writes?|wr[io]tes?|wrote|written|says?|said|sez|states?|responds|responded|asks?|asked|replie[sd]|posted)"
_ATTRIBUTION_START = re.compile(
    r"\s*+(?:[*+]++\s*+)?(?:(?:In|From)\s+(?:article|message|mail|a previous|an"
    r" earlier|reply|response|regard|<|\S+@)"
    r"|In\s+[\w.-]+\.[\w-]+,?\s|On\s+(?:\w{3},?\s+)?\d+\s+\w{3}\w*\s+\d+|>>>>>\s*On\b|Quoting\s"
    r"|-+\s*(?:begin|end|start|original|forwarded)\b|#?\s*(?:begin|end)"
    r" (?:included|quoted|forwarded)"
    r"|/ ?[\w.-]+:[\w.-]+ ?/|as quoted from|\[?(?:in )?reply"
    r" to\b|quoth\b)|\s*+(?:[*+]++\s++)?[*+]*+(?<=\*\*) ?on \d",
    re.I,
)
_ATTRIBUTION_END = re.compile(
    rf"\b{_SAYS}\b(?:\s+(?:in|to|on|about|that)\b[^.]{{0,70}})?[\s:;,.>\-]*+(?:\[[^]]{{0,70}}\])?[\s:]*+$",
    re.I,
)
_SAYS_HINTS = ("wr", "say", "said", "sez", "stat", "respond", "ask", "repli", "post")
"""Every match of ``_ATTRIBUTION_END`` contains one of these; a search for them first takes a fifth of the time."""
_HEADER = re.compile(
    r"\s{0,3}(?:X-[\w-]+|From|To|Cc|Subject|Subj|Re|Date|Sent|Organi[sz]ation|Newsgroups|Message-ID|References|Path|Lines"
    r"|Sender|Reply-To|Followup-To|Distribution|Keywords|Summary|Archive-name|Version|Last-modified|Expires|Approved"
    r"|Nntp-Posting-Host|Article-I\.?D\.?|In-Reply-To|Originator|Return-Path|Received|E-?mail|Internet|Bitnet|UUCP|Voice"
    r"|Phone|Tel|Telephone|Fax|Snail ?mail|US ?mail|Disclaimer)\s*:",
    re.I,
)
_REPRODUCED = re.compile(
    r"\b(?:archive-name\s*:|for (?:immediate )?release\b|press (?:release|secretary)\b)"
    r"|^[^\w\n]*+the white house[^\w\n]*+$",
    re.M,
)
_PGP_BEGIN = re.compile(r"-{3,}\s*BEGIN PGP (SIGNATURE|PUBLIC|MESSAGE|SIGNED)")
_PGP_END = re.compile(r"-{3,}\s*END PGP")
_RULE = re.compile(r"[\W_]*$")
_ADDRESS = re.compile(
    r"<?\b(?:mailto:)?[\w.!%+=/-]{1,250}@[\w.!%-]+>?|<[^\s<>][^\s<>@]*+@[^\s<>]++>|\b(?:https?|ftp|gopher|telnet|news|wais)://\S+"
    r"|\b[\w.-]{1,250}![\w.!%-]+|\b(?:[\w-]{1,60}\.){1,9}(?:edu|com|gov|mil|org|net|bitnet|uucp|uk|ca|de|au|fr|se|no|fi|nl|ch|jp|il|us)"
    r"\b(?:/\S*)?|(?:\+?\d{1,3}[-. ])?\(?\b\d{3}\)?\s?[-./ ]\s?\d{3}[-. ]\d{4}\b",
    re.I,
)
_ADDRESS_HINT = re.compile(r"[@!/]|\w\.\w|\d{4}")
_CONTACT = re.compile(
    r"@|\b(?:universit\w+|dept|department|institute|laborator\w+|inc|corp|p\.?\s?o\.?"
    r" box|disclaimer|opinions?|"
    r"employer|e-?mail|internet|bitnet|phone|voice|fax|tel|zip|avenue|street|compuserve|genie|usenet|standard|dod"
    r" ?#?|"
    r"speak for|views|tagline|finger|pgp|public key|fidonet|bbs|origin|slmr|kq|olx|winqwk)\b"
    r"|\d{3}[-. ]\d{4}|\b[A-Z]{2}\s+\d{5}",
    re.I,
)
_SENTENCE_END = re.compile(r"[.?!:][\"')\]]*$")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_WORD_TOKEN = re.compile(
    r"(?<!\S)(?:[^\w\s]|_)*[^\W\d_]+(?:['’/.-]+[^\W\d_]+)*(?:[^\w\s]|_)*(?!\S)"
)
_SPACES = re.compile(r" {3,}|[\t\f\v][ \t\f\v]*")
_LAST_NAME = re.compile(r"(?<=[.?!)\s])[\s(]{0,90}[-=~]{1,90}\s{0,90}[A-Z][\w.]{0,90}\W{0,90}$")

SIGNATURE_LINES = 14
"""Maximum number of lines after a separator that count as a signature."""


OPENING_LINES = 15
"""Number of opening lines in which a post says that it reproduces another text."""


def split_header(post: str) -> tuple[dict[str, str], str]:
    """Return header fields (names in lower case, continuation lines joined) and body."""
    head, _, body = post.partition("\n\n")
    fields: dict[str, str] = {}
    last = ""
    for line in head.split("\n"):
        name, colon, value = line.partition(":")
        if line[:1] in " \t" and last:
            fields[last] += " " + line.strip()
        elif colon:
            last = name.lower()
            fields.setdefault(last, value.strip())
    return fields, body


def reproduces(lines: Sequence[str]) -> bool:
    """Return whether a post begins like a periodic posting (FAQ) or a press release: not one person's writing."""
    return bool(_REPRODUCED.search("\n".join(lines[:OPENING_LINES]).lower()))


def drop_pgp(lines: Sequence[str]) -> list[str]:
    """Return the lines without PGP signatures, keys and messages; a signed text loses only its frame."""
    if not any("PGP" in line for line in lines):
        return list(lines)
    clean = []
    inside = False
    for line in lines:
        begin = _PGP_BEGIN.match(line)
        if begin:
            inside = begin.group(1) != "SIGNED"
        elif _PGP_END.match(line):
            inside = False
        elif not inside:
            clean.append(line)
    return clean


def drop_quotes(lines: Sequence[str]) -> list[str]:
    """Return the lines without those that begin with a quotation mark of the net: ``>``, ``|``, ``:``, ``AB>``, ``->`` …"""
    return [line for line in lines if not _QUOTE.match(line)]


def drop_attributions(lines: Sequence[str]) -> list[str]:
    """Return the lines without "In article <…>, X writes:", on one line or wrapped over up to three, and forwarding marks."""
    clean: list[str] = []
    wrapped = 0
    for line in lines:
        end = line[-70:].lower()
        says = any(hint in end for hint in _SAYS_HINTS) and _ATTRIBUTION_END.search(
            line, max(0, len(line) - 70)
        )
        if wrapped:
            wrapped = 0 if says or not line.strip() else wrapped - 1
            if says or (line.strip() and len(line.split()) <= 6 and ("@" in line or "(" in line)):
                continue
        elif _ATTRIBUTION_START.match(line):
            wrapped = 0 if says or line.strip().startswith("-") else 2
            continue
        if says and ("@" in line or "(" in line or len(line.split()) <= 6):
            continue
        if "@" in line and line.rstrip().endswith(":"):
            continue
        clean.append(line)
    return clean


def drop_headers(lines: Sequence[str]) -> list[str]:
    """Return the lines without header and contact fields inside the body (``Subject: …``, ``Phone: …``)."""
    return [line for line in lines if ":" not in line or not _HEADER.match(line)]


def cut_signature(lines: Sequence[str]) -> list[str]:
    """Return the lines without the signature block.

    The block is everything after the last line that is exactly ``--``, or after a line of rules or only
    symbols that at most ``SIGNATURE_LINES`` lines follow, if these include contact data or no sentence.
    """
    lines = list(lines)
    while True:
        while lines and _RULE.match(lines[-1]):
            lines.pop()
        cut = _signature_start(lines)
        if cut is None:
            return lines
        del lines[cut:]


def _signature_start(lines: Sequence[str]) -> int | None:
    filled = 0
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at].strip()
        if not line:
            continue
        if line == "--" and filled <= SIGNATURE_LINES + 6:
            return at
        if filled > SIGNATURE_LINES:
            return None
        if len(line) >= 2 and _RULE.match(line):
            tail = [x for x in lines[at:] if x.strip()]
            prose = sum(len(_WORD.findall(x)) for x in tail) > 25 and any(
                _SENTENCE_END.search(x) for x in tail
            )
            if not prose or any(_CONTACT.search(x) for x in tail):
                return at
        filled += 1
    return None


def cut_trailing(lines: Sequence[str], marks: Collection[str]) -> list[str]:
    """Return the lines without contact, name and closing lines at the end; ``marks`` are words that name the author.

    A last line is removed if it is contact data, names the author, begins with a dash or dots, is set far to the right,
    consists of a few capitalised words, or has at most five words and no end of a sentence; at most ten lines are removed.
    """
    lines = list(lines)
    for _ in range(10):
        while lines and _RULE.match(lines[-1]):
            lines.pop()
        if not lines or not _closing(lines[-1], marks):
            break
        lines.pop()
    return lines


def _closing(line: str, marks: Collection[str]) -> bool:
    words: list[str] = _WORD.findall(line)
    text = line.strip()
    if len(words) > 9:
        return "@" in text and len(words) <= 12
    return (
        any(w.lower() in marks for w in words)
        or bool(_CONTACT.search(text))
        or text[0] in "-~=*_|/\\<[(\"'"
        or text.startswith("...")
        or len(line) - len(line.lstrip()) >= 12
        or (
            len(words) <= 5
            and (not _SENTENCE_END.search(text) or all(w[0].isupper() for w in words))
        )
    )


def drop_names(lines: Sequence[str], marks: Collection[str]) -> list[str]:
    """Return the lines without short lines that name the author, and without the author's names in the others."""
    text = "\n".join(lines).lower()
    marks = {mark for mark in marks if mark in text}
    if not marks:
        return list(lines)
    clean = []
    for line in lines:
        words = [w.lower() for w in _WORD.findall(line)]
        if any(w in marks for w in words):
            if len(words) <= 6:
                continue
            line = _WORD.sub(lambda m: "" if m.group().lower() in marks else m.group(), line)
        clean.append(line)
    return clean


def mask_addresses(lines: Sequence[str]) -> list[str]:
    """Replace mail and net addresses, host names and telephone numbers by ``@``."""
    return [_ADDRESS.sub("@", line) if _ADDRESS_HINT.search(line) else line for line in lines]


def unwrap(lines: Sequence[str]) -> str:
    """Join each paragraph into one line, because a newsreader, not the author's style, decides the width of lines.

    Rules, frames, masked addresses and a name after a dash at the end are removed; runs of more than two spaces become
    one space, and two spaces (after a full stop) are kept.
    """
    paragraphs: list[list[str]] = [[]]
    for line in lines:
        if _RULE.match(line):
            paragraphs.append([])
        else:
            paragraphs[-1].append(line.strip(" \t|\f\v"))
    text = "\n".join(_SPACES.sub(" ", " ".join(p)).strip() for p in paragraphs if p)
    return _LAST_NAME.sub("", text.replace("<@>", "").replace("@", "").rstrip()).rstrip()


def clip(text: str, limit: int) -> str:
    """Return at most the first ``limit`` characters, ending with a complete word."""
    if len(text) <= limit:
        return text
    start = text[: limit + 1]
    cut = max(start.rfind(" "), start.rfind("\n"))
    return (start[:cut] if cut > 0 else text[:limit]).rstrip()


def word_count(text: str) -> int:
    """Return the number of words made of letters."""
    return len(_WORD.findall(text))


def nonword_share(text: str) -> float:
    """Return the share (0 to 1) of space-separated tokens that are not a word with punctuation around it (1 for an empty
    text)."""
    tokens = len(text.split())
    return 1 - len(_WORD_TOKEN.findall(text)) / tokens if tokens else 1.0


def thread(group: str, subject: str) -> str | None:
    """Return a thread's name: the subject without replies' prefixes and "(was …)", in lower case, within its group."""
    text = re.sub(r"[(\[]\s*was\b.*|\bwas:.*", "", subject, flags=re.I | re.DOTALL)
    text = re.sub(
        r"^\s*+(?:(?:re|fwd?)\s*+(?:(?:\[\d+\]|\^\d+)\s*+)?[:;]\s*+)+|^\s*re\s+",
        "",
        text,
        flags=re.I,
    )
    text = " ".join(re.findall(r"\w+", text.lower()))
    return f"{group}: {text}" if text else None
