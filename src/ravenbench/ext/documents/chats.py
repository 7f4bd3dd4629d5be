"""Reads chats (WhatsApp, Signal, Telegram, Discord, Slack, Messenger, LINE, IRC): what each sender wrote, without text by
others or by a program.

In: the text of an export or a log and its path.
Out: ``read_chat``: a list with one ``Document`` for each sender (the author), with what was left out; ``is_exported``:
True if a text is an exported chat.

WhatsApp writes a line for each message, ``[DATE, TIME] SENDER: …`` on iPhones and ``DATE, TIME - SENDER: …`` on
Android, with dates in the phone's language; a line without a date continues the message.
signal-export writes the first form, or a JSON object in each line. Telegram, Discord, Slack and Messenger export a JSON
file, LINE a time, a tab and the sender; logs of IRC have the sender in ``<…>``. A line of the last two kinds, or with a
date and no mark between it and the sender, counts as a message only if at least half of a text's first lines have this
form, and somebody writes twice. whatstk is under the GPL and needs pandas and plotly.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

from ravenbench.errors import FormatError
from ravenbench.reading.collector import checked_text
from ravenbench.reading.decoding import checked_name, from_json
from ravenbench.reading.document import Account, Document

MARKS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Marks of the direction of writing, which WhatsApp writes around names and numbers."""
_DATE = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
_TIME = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?"
_CLOCK = rf"{_TIME}(?:\s?[APap]\.?[Mm]\.?)?"
_ISO = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
_LOOSE = re.compile(
    rf"(?:{_DATE},?\s{_CLOCK}:\s|\[?{_ISO}\]?[,:]?\s+|\[?{_CLOCK}\]?(?:\t|\s+(?=<|\*|-!-))"
    r"|(?=<[^<>\s]{1,40}>\s|\*{1,3} |-!- |--- ))"
)
"""How a message begins in a log, or in an export with fewer marks; also lines of the program, and of what people do."""
_NOBODY = re.compile(r"\*{1,3}\s|-!-|--|<--|-->")
"""How a line of a log continues after its time if it is not a message."""
_START = re.compile(
    rf"(?:\[{_DATE}[^\d\n\]]{{1,15}}{_TIME}[^\d\n\]]{{0,12}}\]\s?|{_DATE}[^\d\n]{{1,15}}{_TIME}[^\d\n\-–]{{0,12}}[-–]\s)"
)
_ABOVE = re.compile(
    r"^(?:\[\d{1,2}[-/]\w{2,3}[-/]\d{2,4} \d{1,2}:\d\d(?: [AP]M)?\] (?P<after>[^\s:][^\n:]{0,60})"
    rf"|(?P<before>\S[^\n]{{0,80}}?), \[{_DATE}[ ,]{{1,2}}{_CLOCK}\]:?)$",
    re.MULTILINE,
)
"""What DiscordChatExporter, and Telegram where messages are copied, write above each message."""
_SENDER = re.compile(r"<[@+%&~ ]?([^<>\s]{1,40})>\s+|([^:\t\n]{1,60})(?::(?:\s|$)|\t)")
_HEAD = re.compile(
    r"\[LINE\].*|[^\n:]{2,30}[:：] ?\d{4}/\d\d/\d\d \d\d:\d\d|\d{4}[./]\d\d[./]\d\d ?\(\w+\)"
)
"""Lines of LINE that are no messages."""
_MEDIA = re.compile(
    r"<[^<>\n]{3,80}>|\S.{0,120}\.\w{2,5} \([^()]+\)|!?\[[^\]\n]*\]\([^)\n]+\)|\(\( .{1,20} \)\)"
    r"|null|(?:POLL|UMFRAGE|SONDAGE|ENCUESTA):.*",
    re.DOTALL,
)
_DELETED = re.compile(
    r"\(?(this message was deleted|you deleted this message|diese nachricht wurde gelöscht"
    r"|du hast diese nachricht gelöscht|ce message a été supprimé"
    r"|(se eliminó|eliminaste) este mensaje|(questo messaggio è stato|hai) eliminato.{0,30}"
    r"|dit bericht is verwijderd|αυτό το μήνυμα διαγράφηκε|διαγράψατε αυτό το μήνυμα)\.?\)?",
    re.IGNORECASE,
)
_EDITED = re.compile(
    r"\u200e<[^<>\n]{5,80}>$|<(?:This message was edited|Diese Nachricht wurde bearbeitet)>$"
)
_REACTIONS = re.compile(r"^\(- .* -\)$")
_LOOKED_AT = 40


def _form(text: str) -> re.Pattern[str] | None:
    """How messages of a chat begin; None where a text is no chat."""
    lines = [MARKS.sub("", line) for line in text[:20_000].split("\n") if line.strip()]
    lines = [line for line in lines if not _HEAD.fullmatch(line.strip())][:_LOOKED_AT]
    senders = _senders(lines, _START)
    if len(senders) >= 2 and _START.match(lines[0]):
        return _START
    lines = [
        line
        for line in lines
        if (match := _LOOSE.match(line)) is None or not _NOBODY.match(line, match.end())
    ]
    senders = _senders(lines, _LOOSE)
    often = len(senders) >= max(3, len(lines) / 2) and 1 < len({*senders}) < len(senders)
    closed = any("</" in line for line in lines)
    return _LOOSE if often and not closed and _LOOSE.match(lines[0]) else None


def _senders(lines: list[str], form: re.Pattern[str]) -> list[str]:
    """The senders of messages that begin on these lines."""
    return [sender for sender, _ in _of_lines("\n".join(lines), form) if sender]


def is_exported(text: str) -> bool:
    """Return whether a plain text is an exported chat, with at least two messages."""
    return _messages(text, []) is not None


_SENDER_IN_JSON = re.compile(r'"(?:from|sender_name|author)":')


def _is_json_chat(text: str) -> bool:
    """Whether a text is the JSON that Telegram, Discord, Slack or Messenger export."""
    head = "".join(text[:20_000].split())
    messages = head.partition('"messages":[')[2]
    of_slack = '"user":' in head.partition('"type":"message"')[2]
    return head[:1] in ("{", "[") and (of_slack or bool(_SENDER_IN_JSON.search(messages)))


def read_chat(text: str, path: Path) -> list[Document]:
    """Return a document for each sender, in the order in which they first wrote; each message has one or more lines."""
    accounts = defaultdict[str, Account](Account)
    messages = defaultdict[str, list[str]](list)
    system = 0
    damaged: list[int] = []
    for sender, body in _messages(text, damaged) or _of_lines(text, _START):
        if sender is None:
            system += 1
            continue
        if own := _own(body, accounts[sender]):
            messages[sender].append(own)
    broken = (
        f"Raven leaves out lines that are not messages ({len(damaged):,}, the first is line"
        f" {min(damaged, default=0)})"
    )
    several = f"Raven leaves out lines of the program, which nobody wrote ({system:,})"
    return [
        Document(
            path=path,
            part=sender,
            author=sender,
            text="\n".join(bodies) + "\n",
            left_out=accounts[sender].left_out(),
            notes=(*[several] * bool(system), *[broken] * bool(damaged)) if i == 0 else (),
        )
        for i, (sender, bodies) in enumerate(messages.items())
    ]


def _messages(text: str, damaged: list[int]) -> Iterator[tuple[str | None, str]] | None:
    """Sender and body of each message, the sender None for what the program says; None where a text is no chat."""
    head = text.lstrip()[:20_000].partition("\n")[0]
    if head.startswith("{") and '"sender"' in head and '"body"' in head:  # signal-export
        return _of_json(text.strip().split("\n"), damaged)
    if _is_json_chat(text):
        whole = from_json(text, "a chat")
        chats = whole if isinstance(whole, dict) else {"messages": whole}
        several = chats.get("chats")
        listed = several.get("list", []) if isinstance(several, dict) else [chats]
        return _of_json([one for chat in listed for one in chat.get("messages") or []], damaged)
    if len(_ABOVE.findall(text[:20_000])) >= 2:
        return _of_heads(text)
    form = _form(text)
    return None if form is None else _of_lines(text, form)


def _of_lines(text: str, form: re.Pattern[str]) -> Iterator[tuple[str | None, str]]:
    """The same of lines that begin in this form."""
    sender = None
    body = ""
    begun = False
    for raw in text.split("\n"):
        line = raw.lstrip("\u200e\u200f\u202a\u202b\u202c\ufeff")
        match = form.match(line)
        if match is None:
            body += "" if form is _LOOSE and _HEAD.fullmatch(line.strip()) else f"\n{raw}"
            continue
        if begun:
            yield sender, body
        begun = True
        rest = line[match.end() :]
        named = None if form is _LOOSE and _NOBODY.match(rest) else _SENDER.match(rest)
        name = "" if named is None else " ".join(MARKS.sub("", named[1] or named[2]).split())
        sender = name.removeprefix("~ ").strip() or None
        body = rest if named is None else rest[named.end() :]
    if begun:
        yield sender, body


def _of_heads(text: str) -> Iterator[tuple[str | None, str]]:
    """The same where date and sender stand on a line above each message."""
    before, *rest = _ABOVE.split(text)
    if before.strip():
        yield None, before
    for after, above, body in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        yield (after or above).strip(), body.strip()


def _of_json(messages: list[Any], damaged: list[int]) -> Iterator[tuple[str | None, str]]:
    """The same of messages in JSON, or lines of it; those of bots and of the program are nobody's. Of several senders of
    one name each is called by the name and the number that the program gave them."""
    read = list[tuple[str | None, str, str]]()
    for place, message in enumerate(messages, start=1):
        try:
            read.append(_exported(from_json(message, "") if isinstance(message, str) else message))
        except (TypeError, AttributeError, LookupError, FormatError):
            damaged.append(place)
    called = dict[str, str]()
    for name, number, _ in read:
        if name and called.get(number, number) == number:
            called[number] = name
    times = Counter(called.values())
    for name, number, body in read:
        if name and number:
            name = called[number]
            name = f"{name} ({number})" if times[name] > 1 else name
        yield name, body


_OWN = {None, "thread_broadcast", "file_share", "me_message"}
"""Kinds of Slack's messages that people write."""


def _exported(message: dict[str, Any]) -> tuple[str | None, str, str]:
    """The name of the sender of a message, None where nobody wrote it, the sender's number ("" where there is none), and
    the words."""
    author, profile = (
        inner if isinstance(inner, dict) else {}
        for inner in map(message.get, ("author", "user_profile"))
    )
    kind = message.get("type")
    body = next(filter(None, map(message.get, ("content", "text", "body"))), "")
    if not isinstance(body, str):  # Telegram
        body = "".join(one if isinstance(one, str) else one["text"] for one in body)
    number = str(message.get("from_id") or author.get("id") or message.get("user") or "")
    names = (
        *map(message.get, ("sender_name", "sender", "from")),
        *map(author.get, ("nickname", "name")),
        profile.get("real_name"),
        number,
    )
    name = str(next(filter(None, names), ""))
    if author:  # Discord
        foreign = author.get("isBot") or kind not in (None, "Default", "Reply")
    elif "user" in message:  # Slack
        foreign = message.get("subtype") not in _OWN
        body = unescape(body)
    elif "sender" in message:  # Signal
        foreign = message.get("call")
        body = (message.get("quote") or "") + body
    elif "sender_name" in message:  # Messenger
        foreign = not message["sender_name"]
        name = _again_utf8(name)
        body = _again_utf8(body)
    else:
        foreign = kind != "message" or message.get("forwarded_from")
    known = checked_name(name, "a sender", "") if name and not foreign else None
    return known, number, checked_text(body)


def _again_utf8(words: str) -> str:
    """Words of Messenger, which takes UTF-8 for Latin-1."""
    try:
        return words.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return words


def _own(body: str, account: Account) -> str:
    """What the sender wrote of a message; "" where it is none of it."""
    plain = MARKS.sub("", body).strip()
    if body.startswith("\u200e") or _MEDIA.fullmatch(plain):
        account.add("media and lines of the program", plain)
        return ""
    if _DELETED.fullmatch(plain):
        account.add("deleted messages", body)
        return ""
    body, edited = _EDITED.subn("", body.rstrip())
    account.add("marks of edited messages", "", edited)
    lines: list[str] = []
    for line in re.sub(r"!?\[[^\]\n]{0,300}\]\(\./?media/[^)\n]{0,300}\)", "", body).split("\n"):
        if line.startswith("> "):
            account.add("quotations", line)
        elif _REACTIONS.match(line):
            account.add("reactions", line)
        else:
            lines.append(line.lstrip("\u200e\u200f").rstrip())
    return "\n".join(lines).strip("\n")
