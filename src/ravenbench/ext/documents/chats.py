"""Reads exports of chats (WhatsApp, Signal, Discord): what each sender wrote, without what others or a program put in.

In: the text of an export and its path.
Out: ``read_chat``: a list with one ``Document`` a sender, who is its author, with what was left out; ``is_chat``,
``is_exported`` and ``is_signal_json``: True where a text is such an export.

WhatsApp writes a line for each message, ``[DATE, TIME] SENDER: …`` on iPhones and ``DATE, TIME - SENDER: …`` on
Android, with dates as the phone's language has them; what follows without a date is the message's next line.
signal-export writes the first form, or a JSON object a line. whatstk is under the GPL and brings pandas and plotly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ravenbench.errors import FormatError
from ravenbench.reading.collector import checked_text
from ravenbench.reading.decoding import checked_name, from_json
from ravenbench.reading.document import Account, Document

MARKS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Marks of the direction of writing, which WhatsApp puts around names and numbers."""
_DATE = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
_TIME = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?"
_START = re.compile(
    rf"(?:\[{_DATE}[^\d\n\]]{{1,15}}{_TIME}[^\d\n\]]{{0,12}}\]\s?|{_DATE}[^\d\n]{{1,15}}{_TIME}[^\d\n\-–]{{0,12}}[-–]\s)"
)
_DISCORD = re.compile(
    r"^\[\d{1,2}[-/]\w{2,3}[-/]\d{2,4} \d{1,2}:\d\d(?: [AP]M)?\] ([^\s:][^\n:]{0,60})$",
    re.MULTILINE,
)
"""What DiscordChatExporter writes above each message."""
_SENDER = re.compile(r"([^:\n]{1,60}):(?:\s|$)")
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


def is_chat(text: str) -> bool:
    """Whether a text's first lines are those of an exported chat, with two messages at least."""
    lines = [MARKS.sub("", line) for line in text[:20_000].split("\n") if line.strip()][:_LOOKED_AT]
    starts = [
        line
        for line in lines
        if (match := _START.match(line)) and _SENDER.match(line[match.end() :])
    ]
    return len(starts) >= 2 and _START.match(lines[0]) is not None


def is_exported(text: str) -> bool:
    """Whether a plain text is an exported chat."""
    return is_chat(text) or is_signal_json(text) or len(_DISCORD.findall(text[:20_000])) >= 2


def is_signal_json(text: str) -> bool:
    """Whether a text is the messages of a Signal chat as signal-export writes them."""
    head = text.lstrip()[:20_000].partition("\n")[0]
    return head.startswith("{") and '"sender"' in head and '"body"' in head


def read_chat(text: str, path: Path) -> list[Document]:
    """A document for each sender, in the order in which they first wrote; messages stand a line each, or more."""
    accounts: dict[str, Account] = {}
    messages: dict[str, list[str]] = {}
    system = 0
    damaged: list[int] = []
    discord = len(_DISCORD.findall(text[:20_000])) >= 2
    lines = _of_discord(text) if discord else _of_lines(text)
    for sender, body in _of_json(text, damaged) if is_signal_json(text) else lines:
        if sender is None:
            system += 1
            continue
        account = accounts.setdefault(sender, Account())
        own = _own(body, account)
        if own:
            messages.setdefault(sender, []).append(own)
    broken = (
        f"lines that are no messages were left out ({len(damaged):,}, the first is line"
        f" {min(damaged, default=0)})"
    )
    several = f"lines of the program that are nobody's were left out ({system:,})"
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


def _of_lines(text: str) -> Iterator[tuple[str | None, str]]:
    """Sender and body of each message; None for what the program says."""
    sender = None
    body = ""
    begun = False
    for raw in text.split("\n"):
        line = raw.lstrip("\u200e\u200f\u202a\u202b\u202c\ufeff")
        match = _START.match(line)
        if match is None:
            body += f"\n{raw}"
            continue
        if begun:
            yield sender, body
        begun = True
        named = _SENDER.match(rest := line[match.end() :])
        sender = (
            None
            if named is None
            else " ".join(MARKS.sub("", named[1]).split()).removeprefix("~ ").strip() or None
        )
        body = rest if named is None else rest[named.end() :]
    if begun:
        yield sender, body


def _of_discord(text: str) -> Iterator[tuple[str | None, str]]:
    """The same of Discord: date and sender stand on a line above each message."""
    before, *parts = _DISCORD.split(text)
    if before.strip():
        yield None, before
    yield from (
        (sender.strip(), body.strip()) for sender, body in zip(parts[::2], parts[1::2], strict=True)
    )


def _of_json(text: str, damaged: list[int]) -> Iterator[tuple[str | None, str]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            message = from_json(line, "", number)
            sender, body, quote = (message.get(key) or "" for key in ("sender", "body", "quote"))
            words = checked_text(quote + body)
            named = (
                checked_name(sender, "a sender", "") if sender and not message.get("call") else None
            )
        except (TypeError, AttributeError, FormatError):
            damaged.append(number)
            continue
        yield named, words


def _own(body: str, account: Account) -> str:
    """What the sender wrote of a message; "" where it is none of it."""
    if body.startswith("\u200e") or (
        body.strip() and _MEDIA.fullmatch(MARKS.sub("", body).strip())
    ):
        account.add("media and lines of the program", MARKS.sub("", body))
        return ""
    if _DELETED.fullmatch(MARKS.sub("", body).strip()):
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
