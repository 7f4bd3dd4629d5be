"""Reads mail (.eml and .mbox by Python's own reader, Outlook's .msg by olefile): what the sender of each mail wrote.

In: a path and optionally an encoding; for ``split_mail`` the body of a mail.
Out: ``read_eml``, ``read_mbox``, ``read_msg``: a list of ``Document`` with text, author, date and what was left out;
``split_mail``: the sender's text and a list of (kind, passage). Unreadable if the file is not a mail, encrypted or
too large, FormatError for an unknown encoding, MissingPart without olefile.

A mail's author is the address in From; if a list sent it on under its own address ("Mia Holm via boats"), the address
that the list names (``_sender``). Attachments are named, never opened. extract-msg is under the GPL;
mail-parser-reply keeps quotations between paragraphs, and mistakes a list or a line that begins with "Thanks," for a
signature (of 400 newsgroup posts, it lost a fifth of the senders' lines, ``split_mail`` one in seventy).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from email import message_from_bytes
from email.errors import CloseBoundaryNotFoundDefect, MessageError, StartBoundaryNotFoundDefect
from email.header import decode_header, make_header
from email.message import Message
from email.policy import compat32
from email.utils import getaddresses, quote
from mmap import ACCESS_READ, mmap
from pathlib import Path

import msgspec

from ravenbench.errors import FormatError, InputError, MissingPart, first_names
from ravenbench.ext.documents.rich_text import decode_html, html_text
from ravenbench.reading.apart import limited
from ravenbench.reading.collector import checked_text
from ravenbench.reading.decoding import decode
from ravenbench.reading.document import EXTRA, Account, Document, Unreadable, guarded
from ravenbench.text.mail import INTRODUCED, QUOTED, any_of, introductions
from ravenbench.text.names import plain_name

LIBRARIES = ("olefile", "selectolax.lexbor")
_MAIL_LIMIT = 256 * 2**20
_HEADERS = ("From", "Date", "Subject", "To", "Received", "Message-ID")


def read_eml(path: Path, encoding: str | None = None) -> list[Document]:
    """Read the one mail of a file. Raises Unreadable if it is not a mail, or encrypted; FormatError if its text is neither in
    the encoding that it names nor in ``encoding``."""
    if path.stat().st_size > _MAIL_LIMIT:
        raise Unreadable(
            "it is too large for one mail", file=path, expected=f"at most {_MAIL_LIMIT:,} bytes"
        )
    return [_read(message_from_bytes(path.read_bytes(), policy=compat32), path, encoding, "")]


def read_mbox(path: Path, encoding: str | None = None) -> list[Document]:
    """Read every mail of a mailbox that contains words of its sender. Raises Unreadable if it is not a mailbox, or no mail
    in it can be read."""
    with path.open("rb") as file:
        if not file.read(5) == b"From ":
            raise Unreadable(
                "it is not a mailbox",
                file=path,
                expected="From at its beginning",
                fix="is it one .eml?",
            )
    documents: list[Document] = []
    faults: list[tuple[str, str]] = []
    empty = 0
    for number, data in enumerate(_mails(path), start=1):
        try:
            with guarded(path, "e-mail"), limited(path, len(data)):
                mail = re.sub(rb"(?m)^>(>*From )", rb"\1", data)  # as mailboxes write such lines
                document = _read(
                    message_from_bytes(mail, policy=compat32), path, encoding, f"mail {number}"
                )
                checked_text(document.text)
        except InputError as error:
            faults.append((f"mail {number}", error.problem))
            continue
        if document.text.strip():
            documents.append(document)
        else:
            empty += 1
    listed = list(map(": ".join, faults))
    if not documents:
        first_faults = "; ".join(listed[:3]) or "no words of a sender"
        raise Unreadable("Raven cannot read any mail in it", file=path, found=first_faults)
    said = [f"Raven leaves out mails of the mailbox: {first_names(listed)}"] * bool(faults)
    said += [f"Raven leaves out mails without words of their sender ({empty:,})"] * bool(empty)
    first = documents[0]
    documents[0] = msgspec.structs.replace(first, notes=(*first.notes, *said), unread=tuple(faults))
    return documents


_BEGINS = re.compile(
    rb"\AFrom [^\n]*(?:\n|\Z)"
    rb"|(?<=\n)From (?:\S++ [^\n]{0,60}?\d\d:\d\d[^\n]{0,30}\d{4}[^\n]{0,10}\n"
    rb"|[^\n]*\n(?=(?:>From [^\n]*\n)?(?:From|Date|Subject|To|Received|[A-Z]\w*+(?:-\w++)++): ))"
)
"""The line before a mail of a mailbox: it has a time and a year, or headers follow. Else *From …* is a mail's own."""


def _mails(path: Path) -> Iterator[bytes]:
    """The mails of a mailbox."""
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        lines = [line.span() for line in _BEGINS.finditer(data)]
        ends = [*(begin for begin, _ in lines[1:]), len(data)]
        for (_, begin), end in zip(lines, ends, strict=True):
            yield data[begin:end]


def _read(message: Message, path: Path, encoding: str | None, part: str) -> Document:
    if not any(message.get(name) for name in _HEADERS):
        raise Unreadable(
            "it is not an e-mail: it has no headers", file=path, expected="From, Date and Subject"
        )
    account = Account()
    account.add("headers", f"Subject: {_header(message, 'Subject')}", len(message.keys()))
    plain = ""
    html = ""
    notes = []
    if (automatic := _header(message, "Auto-Submitted").lower()) not in ("", "no"):
        notes.append(f"a program sent it, not a person (Auto-Submitted: {automatic})")
    for inner in _parts(message, account):
        kind = inner.get_content_type()
        if kind in (
            "application/pkcs7-mime",
            "application/x-pkcs7-mime",
            "application/pgp-encrypted",
        ):
            raise _encrypted(path)
        if any(
            isinstance(d, CloseBoundaryNotFoundDefect | StartBoundaryNotFoundDefect)
            for d in inner.defects
        ):
            notes.append("the mail is cut off: its last part has no end")
        if inner.is_multipart():
            continue
        data = inner.get_payload(decode=True)
        data = data if isinstance(data, bytes) else b""
        if kind == "text/plain":
            words = _decoded(data, inner, path, encoding)
            plain += _unwrapped(words, inner) + "\n"
        elif kind == "text/html":
            if _charset(inner) is None:
                html += decode_html(data, path, encoding)
            else:
                html += _decoded(data, inner, path, encoding)
    if plain.strip():
        account.add("a second form in HTML", "", int(bool(html)))
    body = plain if plain.strip() else html_text(html, account, mail=True) if html else ""
    own, rest = split_mail(body.replace("\r\n", "\n").replace("\r", "\n"))
    for kind, passage in rest:
        account.add(kind, passage)
    if _SENT_ON.match(_header(message, "Subject")):
        notes.append(
            "its subject says that it was forwarded: did the sender write the remaining text?"
        )
    author, name = _sender(message)
    return Document(
        path=path,
        part=part,
        text=own,
        author=author or None,
        date=_header(message, "Date"),
        left_out=account.left_out(),
        notes=tuple(notes),
        sender_name=plain_name(name),
    )


_SENT_ON = re.compile(r"(fwd?|wg|tr|rv|i|πρθ|vs|doorst)\s*:", re.IGNORECASE)


def _encrypted(path: Path) -> Unreadable:
    fix = "export it decrypted from the mail program"
    return Unreadable("it is encrypted", file=path, fix=fix)


def _parts(message: Message, account: Account) -> Iterator[Message]:
    """The parts that may hold the sender's words; attachments and forwarded mails go to the account."""
    for part in message.get_payload() if message.is_multipart() else ():  # type: ignore[union-attr]
        if not isinstance(part, Message):
            continue
        kind = part.get_content_type()
        name = part.get_filename()
        if kind == "message/rfc822":
            account.add("forwarded mail", f"{name or 'a mail'} in the mail")
        elif (
            name
            or part.get_content_disposition() == "attachment"
            or part.get_content_maintype() in _FILES
        ):
            shown = _words(name) if name else kind
            broken = not part.is_multipart() and not part.get_payload()
            account.add("attachments", f"{shown} (empty)" if broken else shown)
        else:
            yield from _parts(part, account)
    yield message


_FILES = ("image", "audio", "video", "font")


_VIA = re.compile(r"['\" ](?:via|über|par|mediante|tramite) (?=\S)")
"""What lists put between the name of a writer whose mail they send on, and their own."""


def _sender(message: Message) -> tuple[str, str]:
    """The address of who wrote a mail, in lower case, or the name where no address is told; and the name. Of a list that
    sent it on the writer is whom it names as the original sender, or a person of the writer's name to reply to."""
    people = [*_people(message, "From"), ("", "")]
    name, address = next((one for one in people if "@" in one[1]), people[0])
    as_given = address or name, name
    own_name = name[: sent_on.start()].strip("'\" ") if (sent_on := _VIA.search(name)) else ""
    if not own_name:
        return as_given
    answered = _people(message, "Reply-To")
    own = [one for one in answered if one[0].strip("'\" ") == own_name]
    original = [*_people(message, "X-Original-From"), *_people(message, "X-Original-Sender")]
    for _, one in original + own:
        if "@" in one and one != address:
            return one, own_name
    is_list = _raw(message, "List-Id") or _raw(message, "List-Post")
    return (own_name, own_name) if is_list or address in [one for _, one in answered] else as_given


def _people(message: Message, name: str) -> list[tuple[str, str]]:
    """Names and addresses, in lower case, in a header; names are decoded after they were parted, for they may hold
    commas."""
    people = getaddresses([_raw(message, name)])
    return [(_words(person), address.lower()) for person, address in people]


def _header(message: Message, name: str) -> str:
    return _words(_raw(message, name))


def _raw(message: Message, name: str) -> str:
    """A header as it is written."""
    raw = next(
        (str(value) for key, value in message.raw_items() if key.lower() == name.lower()), ""
    )
    data = raw.encode(
        "utf-8", "surrogateescape"
    )  # programs write such letters as they are, which no standard allows
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _words(value: object) -> str:
    """What a header says; as it stands there where it is in an encoding that is none."""
    try:
        return " ".join(str(make_header(decode_header(str(value)))).split())
    except (LookupError, ValueError, MessageError):
        return " ".join(str(value).split())


def _charset(part: Message) -> str | None:
    try:
        return part.get_content_charset()
    except (LookupError, ValueError):
        return None


def _decoded(data: bytes, part: Message, path: Path, encoding: str | None) -> str:
    charset = _charset(part)
    if charset not in (None, "us-ascii", "utf-8"):
        with suppress(LookupError, UnicodeDecodeError):
            return data.decode({"iso-8859-1": "cp1252"}.get(charset, charset))
    try:
        return decode(data, path, encoding=encoding)
    except FormatError as error:
        # A mail as a whole is in no one encoding, so that the file cannot be converted.
        fix = (error.fix or "").partition(", or ")[0]
        raise FormatError(error.problem, file=path, found=error.found, fix=fix or None) from None


def _unwrapped(text: str, part: Message) -> str:
    """Text of the kind format=flowed, whose lines go on in the next where they end with a space (RFC 3676)."""
    if str(part.get_param("format", "")).lower() != "flowed":
        return text
    join = "" if str(part.get_param("delsp", "")).lower() == "yes" else " "
    text = re.sub(r"(?m)^ (?=>|From | )", "", text)
    return re.sub(r"(?m)(?<!^--) \r?\n(?!>)", join, text)


def read_msg(path: Path, encoding: str | None = None) -> list[Document]:
    """Read the one mail of an Outlook message. Raises Unreadable if it is not one, is encrypted, or has only compressed Rich
    Text; MissingPart without olefile."""
    try:
        import olefile
    except ImportError:
        raise MissingPart("reading .msg needs olefile", fix=EXTRA) from None
    if not olefile.isOleFile(path):
        raise Unreadable("it is damaged, or not an Outlook message", file=path)
    with olefile.OleFileIO(path) as ole:

        def raw(name: str, folder: str = "") -> bytes:
            place = f"{folder}/__substg1.0_{name}".lstrip("/")
            return bytes(ole.openstream(place).read(_MAIL_LIMIT)) if ole.exists(place) else b""

        def value(name: str, folder: str = "") -> str:
            if wide := raw(f"{name}001F", folder):
                return wide.decode("utf-16-le", "replace").strip("\0")
            narrow = raw(f"{name}001E", folder).strip(b"\0")
            return decode(narrow, path, encoding=encoding or "cp1252")

        kind = value("001A")
        plain = value("1000")
        if not kind and not plain:
            raise Unreadable("it is not an Outlook message", file=path)
        if "smime" in kind.lower() and "multipartsigned" not in kind.lower():
            raise _encrypted(path)
        body = Message()
        if plain.strip():
            body.set_payload(plain, "utf-8")
        elif html := raw("10130102"):
            body["Content-Type"] = "text/html"
            body.set_payload(html.decode("ascii", "surrogateescape"))
        elif raw("10090102"):
            raise Unreadable(
                "its text is only in compressed Rich Text",
                file=path,
                fix="save it as .eml or .txt",
            )
        message = message_from_bytes(value("007D").encode("utf-8", "replace"), policy=compat32)
        message.defects.clear()  # the parts of which its headers speak lie elsewhere
        name = value("0C1A")
        address = value("5D01") or value("0C1F")
        if "From" not in message or ("@" in address and not _VIA.search(name)):
            del message["From"]
            message["From"] = f'"{quote(name)}" <{address * ("@" in address)}>'
        if "Subject" not in message:
            message["Subject"] = value("0037")
        parts: list[Message | str] = [body]
        for folder in sorted({entry[0] for entry in ole.listdir() if "__attach" in entry[0]}):
            called = value("3707", folder) or value("3704", folder) or "without a name"
            attached = Message()
            attached.add_header("Content-Disposition", "attachment", filename=called)
            attached.set_payload("in the file")
            parts.append(attached)
        message.set_payload(parts)
        return [_read(message, path, encoding, "")]


_BLOCK = re.compile(
    rf"^[ \t*]*+(?:{any_of('mail_from')})[ \t*]*[:：].*\n(?:[ \t]*\n)?"
    r"(?:[ \t*]*+[\w\- ]{1,20}[ \t*]*[:：].*\n){1,5}",
    re.IGNORECASE | re.MULTILINE,
)
_NOTES = re.compile(
    r"^[ \t]*\S.{0,60}\n[ \t]*\d{1,2}[./]\d{1,2}[./]\d{2,4} \d{1,2}:\d\d(?: [AP]M)?[ \t]*\n(?:["
    r" \t]*\n){0,3}"
    r"(?:[ \t]*(?:To|cc|bcc|Subject):.*\n){2,5}",
    re.MULTILINE,
)
"""The head of another mail in Lotus Notes, as in Enron's mails: name, date, To, cc, Subject."""
_FORWARDED = re.compile(
    rf"^[ \t]*(?:-{{2,}}[ \t]*)?(?:{any_of('mail_forwarded')})(?:[ \t]*-{{2,}}|:)",
    re.IGNORECASE | re.MULTILINE,
)
_HEADS = (
    (_FORWARDED, "forwarded mail"),
    *((head, "quoted mail") for head in (_BLOCK, _NOTES, INTRODUCED)),
)
_PHONE = re.compile(rf"^[ \t]*(?:{any_of('mail_phone')}).{{0,60}}$", re.IGNORECASE | re.MULTILINE)
_CLOSING = re.compile(
    rf"^[ \t]*(?:{any_of('mail_closing')})[ \t]*+(?:[,.!][ \t]*+)?$", re.IGNORECASE | re.MULTILINE
)
_NOTICE = re.compile(any_of("mail_notice"), re.IGNORECASE)
_OF_A_FORUM = re.compile(
    r"\[quote\b[^\]\n]{0,200}\](?:(?!\[/?quote\b).)*+\[/quote\][ \t]*\n?", re.IGNORECASE | re.DOTALL
)
_SAID = r"[^\n]{1,60} (?:said|wrote):[ \t↑]*\n"
_UNFOLDED = re.compile(
    rf"^{_SAID}(?:(?!{_SAID}|[ \t]*Click to expand\.\.\.)[^\n]*+\n)*+[ \t]*Click to expand\.{{3}}[ \t]*\n?",
    re.MULTILINE,
)
_SIGNED = re.compile(
    r"-----BEGIN PGP SIGNED MESSAGE-----[ \t]*+(?:\n(?:[\w-]++: [^\n]*+\n)*+[ \t]*+\n?+)?+"
    r"((?:(?!-----BEGIN PGP SIG).)*+)"
    r"(-----BEGIN PGP SIGNATURE-----(?:(?!-----(?:END|BEGIN) PGP SIG).)*+(?:-----END PGP SIGNATURE-----)?)",
    re.DOTALL,
)
_PROGRAM = re.compile(rf"[ \t]*(?:{any_of('mail_program')})", re.IGNORECASE)
_BANNER = re.compile(rf"[ \t*]*(?:{any_of('mail_banner')})", re.IGNORECASE)
_RULE = re.compile(r"[ \t]*[-_=~*#]{2,}[ \t]*")
_WARNS = re.compile(any_of("mail_warning"), re.IGNORECASE)
_LINK = re.compile(r"://|@|www\.")
_RULE_ABOVE = re.compile(r"^[-_ \t]*+\Z", re.MULTILINE)
"""The line above the head of another mail."""
_OF_PROGRAMS = "words of lists and programs"
_FOOTER_LINES = 12
"""Lines at the end, at most, among which those of a list's or a program's footer are."""
_GOES_ON = re.compile(r"\s*+[^>]")
_NAME_LINES = 8
"""Most lines after the closing formula that are a name and an address; a longer rest is text."""
SortedOut = list[tuple[str, str]]
"""Kinds and texts of what a mail has besides what its author wrote."""


def split_mail(body: str) -> tuple[str, SortedOut]:
    """Split a mail's body into the words that its sender wrote, and the other passages, each with its kind.

    Lines that begin with ``>`` and their introductions are quotations, anywhere in the mail; so is ``[QUOTE]…[/QUOTE]``
    of a forum. Everything after the head of another mail is forwarded or quoted. A signature is the text after ``--``, or
    the few short lines after a closing formula; the formula itself is kept, because it is a habit. A notice of
    confidentiality at the end is left out, and so are the words of mailing lists, gateways and scanners before or after a
    mail. If a text is signed but not encrypted, only the frame and the signature are removed.
    """
    rest: SortedOut = []

    def unsigned(signed: re.Match[str]) -> str:
        """Lines of such a text that begin with a dash have "- " before them (RFC 4880, 7.1)."""
        rest.append(("signatures", signed[2]))
        return re.sub(r"(?m)^- (?=-|From )", "", signed[1])

    body = _without_banner(_SIGNED.sub(unsigned, body), rest)
    while _OF_A_FORUM.search(body) is not None:  # the innermost first
        body = _without(_OF_A_FORUM, "quotations", body, rest)
    body = _without(_UNFOLDED, "quotations", body, rest)
    starts = [
        (match.start(), kind)
        for pattern, kind in _HEADS
        if (match := pattern.search(body)) is not None
    ]
    for start, end in introductions(body):
        if _GOES_ON.match(body, end):
            starts.append((start, "quoted mail"))
            break
    if starts:
        start, kind = min(starts)
        rest.append((kind, body[start:]))
        body = _RULE_ABOVE.sub("", body[:start].rstrip())
    pieces = list[str]()
    done = 0
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
    text = _without_end("\n".join(written).rstrip(), rest)
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n") + "\n", rest


def _without(pattern: re.Pattern[str], kind: str, text: str, rest: SortedOut) -> str:
    """A text without all that a pattern finds, which goes to the rest."""
    rest += [(kind, match[0]) for match in pattern.finditer(text)]
    return pattern.sub("", text)


def _without_banner(body: str, rest: SortedOut) -> str:
    """A body without the lines that a gateway put before it; a paragraph that begins so only as far as its lines are
    warnings."""
    lines = body.lstrip("\n").split("\n")
    end = 0
    while end < len(lines) and (_WARNS.search if end else _BANNER.match)(lines[end]):
        end += 1
    if not end or not "".join(lines[end:]).strip():
        return body
    rest.append((_OF_PROGRAMS, "\n".join(lines[:end])))
    return "\n".join(lines[end:])


def _without_footer(text: str, rest: SortedOut) -> str:
    """A text without what a list or a program put at its end, after a rule or a blank line."""
    lines = text.rstrip().split("\n")
    first = max(1, len(lines) - _FOOTER_LINES)
    while first < len(lines) and not (
        _PROGRAM.match(lines[first]) and _ends_before(lines[first - 1])
    ):
        first += 1
    for line in lines[first:]:
        words = [word for word in line.split() if not _LINK.search(word)]
        if len(words) > _NAME_LINES and not _PROGRAM.match(line):
            return text
    end = first
    while end and _ends_before(lines[end - 1]):
        end -= 1
    if first == len(lines) or not end:
        return text
    rest.append((_OF_PROGRAMS, "\n".join(lines[end:]).strip()))
    return "\n".join(lines[:end])


def _ends_before(line: str) -> bool:
    """Whether a line is blank or a rule, after which a footer may begin."""
    return not line.strip() or _RULE.fullmatch(line) is not None


def _without_end(text: str, rest: SortedOut) -> str:
    """A text without footers, signatures and notices at its end."""
    text = _without_footer(text, rest)
    if (match := re.search(r"^--[ \t]?$\n", text + "\n", re.MULTILINE)) is not None:
        rest.append(("signatures", text[match.end() :]))
        text = text[: match.start()].rstrip()
    blocks = _without(_PHONE, "signatures", text, rest).rstrip().split("\n\n")
    while len(blocks) > 1 and len(blocks[-1]) > 120 and len(blocks[-1].split()) > 12:
        if not _NOTICE.search(blocks[-1]):
            break
        rest.append(("notices of confidentiality", blocks.pop().strip()))
    text = "\n\n".join(blocks).rstrip()
    for last in list(_CLOSING.finditer(text))[-1:]:
        after = text[last.end() :]
        lines = [line for line in after.split("\n") if line.strip()]
        if 0 < len(lines) <= _NAME_LINES and all(len(line.split()) <= 8 for line in lines):
            rest.append(("signatures", after))
            text = text[: last.end()]
    return text
