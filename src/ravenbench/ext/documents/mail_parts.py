"""What of an e-mail its sender did not write in it, or wrote in every mail alike, taken out.

Headers, quotations and signatures tell who wrote it, whatever the style (``text.mail`` notices them).
"""

from __future__ import annotations

import re

from ravenbench.text.mail import INTRODUCED, QUOTED, any_of, introductions

_BLOCK = re.compile(
    rf"^[ \t*]*+(?:{any_of('mail_from')})[ \t*]*[:：].*\n(?:[ \t]*\n)?"
    r"(?:[ \t*]*+[\w\- ]{1,20}[ \t*]*[:：].*\n){1,5}",
    re.IGNORECASE | re.MULTILINE,
)
_FORWARDED = re.compile(
    rf"^[ \t]*(?:-{{2,}}[ \t]*)?(?:{any_of('mail_forwarded')})(?:[ \t]*-{{2,}}|:)", re.IGNORECASE | re.MULTILINE
)
_PHONE = re.compile(rf"^[ \t]*(?:{any_of('mail_phone')}).{{0,60}}$", re.IGNORECASE | re.MULTILINE)
_CLOSING = re.compile(rf"^[ \t]*(?:{any_of('mail_closing')})[ \t]*+(?:[,.!][ \t]*+)?$", re.IGNORECASE | re.MULTILINE)
_NOTICE = re.compile(any_of("mail_notice"), re.IGNORECASE)
_OF_A_FORUM = re.compile(
    r"\[quote\b[^\]\n]{0,200}\](?:(?!\[/?quote\b).)*+\[/quote\][ \t]*\n?", re.IGNORECASE | re.DOTALL
)
_AFTER = re.compile(r"\s*+(>?)")
_NAME_LINES = 8
"""Most lines after the closing formula that are a name and an address; a longer rest is text."""


def split_mail(body: str) -> tuple[str, list[tuple[str, str]]]:
    """A mail's body as its sender's own words, and the passages that are not, each with its kind.

    Lines that begin with ``>`` and what introduces them are quotations, wherever they stand, and ``[QUOTE]…[/QUOTE]``
    of a forum. All that follows the head of another mail is forwarded or quoted. A signature is what follows ``--``, or
    the few short lines after a closing formula, which itself stays: it is a habit. A notice of confidentiality at the
    end is left out.
    """
    rest: list[tuple[str, str]] = []
    while (forum := _OF_A_FORUM.search(body)) is not None:  # the innermost first
        rest.append(("quotations", forum[0]))
        body = body[: forum.start()] + body[forum.end() :]
    starts = [
        (match.start(), kind)
        for pattern, kind in ((_FORWARDED, "forwarded mail"), (_BLOCK, "quoted mail"), (INTRODUCED, "quoted mail"))
        if (match := pattern.search(body)) is not None
    ]
    for start, end in introductions(body):
        after = _AFTER.match(body, end)
        if after is not None and after.end() < len(body) and not after[1]:
            starts.append((start, "quoted mail"))
            break
    if starts:
        start, kind = min(starts)
        rest.append((kind, body[start:]))
        body = body[:start].rstrip()
        if not body[body.rfind("\n") + 1 :].strip("_- \t"):  # the line above the head of the other mail
            body = body[: body.rfind("\n") + 1]
    pieces, done = list[str](), 0
    for start, end in introductions(body):  # they go with what they introduce
        pieces += [body[done:start], "> ", body[start:end].replace("\n", "\n> "), "\n"]
        done = end
    written: list[str] = []
    quoted: list[str] = []
    for line in "".join([*pieces, body[done:]]).split("\n"):
        if QUOTED.match(line):
            quoted.append(line)
            continue
        if quoted and line.strip():
            rest.append(("quotations", "\n".join(quoted)))
            quoted = []
        written.append(line)
    if quoted:
        rest.append(("quotations", "\n".join(quoted)))
    text, ends = _without_end("\n".join(written).rstrip())
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n") + "\n", rest + ends


def _without_end(text: str) -> tuple[str, list[tuple[str, str]]]:
    ends: list[tuple[str, str]] = []
    if (match := re.search(r"^--[ \t]?$\n", text + "\n", re.MULTILINE)) is not None:
        ends.append(("signatures", text[match.end() :]))
        text = text[: match.start()].rstrip()
    ends += [("signatures", match[0]) for match in reversed(list(_PHONE.finditer(text)))]
    text = _PHONE.sub("", text).rstrip()
    blocks = text.split("\n\n")
    while len(blocks) > 1 and len(blocks[-1].split()) > 12 and _NOTICE.search(blocks[-1]) and len(blocks[-1]) > 120:
        ends.append(("notices of confidentiality", blocks.pop().strip()))
    text = "\n\n".join(blocks).rstrip()
    closings = list(_CLOSING.finditer(text))
    if closings:
        after = text[closings[-1].end() :]
        lines = [line for line in after.split("\n") if line.strip()]
        if 0 < len(lines) <= _NAME_LINES and all(len(line.split()) <= 8 for line in lines):
            ends.append(("signatures", after))
            text = text[: closings[-1].end()]
    return text, ends
