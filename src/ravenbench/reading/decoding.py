"""Decodes bytes as UTF-8, or in the encoding that the user names, and refuses any other encoding.

In: bytes, the name of their file, where they start in it (byte offset from 0) and an encoding; text for the checks;
JSON text for ``from_json``.
Out: ``str`` (``decode``), the name of an encoding or None (``detected``), plain values (``from_json``), the text or
name that was checked; or FormatError with the byte's offset (from 0), the line (from 1), the detected encoding and the
command that converts the file. InputError for an unknown encoding. ``Faults`` gathers errors of several files into
one.
"""

from __future__ import annotations

import codecs
import json
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ravenbench.errors import HALF, FormatError, InputError
from ravenbench.reading.account import fault
from ravenbench.text.mail import listed

UTF8 = "utf-8"
"""The encoding of readers without an option ``--encoding``; with the option, None means that the user named none."""

_LIKELY = listed("encodings", "likely")
"""Encodings that texts are in; among all there are, short texts with an apostrophe look like rare ones."""
_EASTERN = listed("encodings", "eastern")
_OF_UTF8 = re.compile(rb"\xe2\x80[\x93-\x9e\xa6]|[\xc3-\xc5][\x80-\xbf](?![\x80-\xbf])")
"""Quotation marks, dashes and Latin letters in UTF-8, which hardly occur in texts in other Western encodings."""
_TIE = 0.85
"""Share of the best confidence from which on the commonest encoding is taken: French and Spanish look like others."""
_ICONV = {"mac_roman": "MACINTOSH"}
_LOOKED_AT = 2**18
_CONTROLS = re.compile("[\x80-\x9f]")
_MIXED = re.compile("[A-Za-z][\u0370-\u03ff\u0400-\u05ff]|[\u0370-\u03ff\u0400-\u05ff][A-Za-z]")
"""Letters of two scripts in one word, as a wrong encoding has them."""
_HALF = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
_SHOWN = 8
_UNUSED = "\x81\x8d\x8f\x90\x9d"
"""Codes that Windows-1252 does not use, and that readers keep unchanged."""
_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decode(
    data: bytes,
    file: str | Path,
    offset: int = 0,
    line: int | None = None,
    *,
    encoding: str | None = UTF8,
    around: Callable[[], bytes] | None = None,
) -> str:
    """Return the text of bytes, without byte order mark.

    FormatError with the offset of the first bad byte, the encoding that it seems to be in, the line in that encoding,
    and the command that converts the file; InputError if the encoding is unknown.

    Parameters
    ----------
    offset : int
        Where ``data`` starts in the file, in bytes; a byte order mark is removed only at 0.
    encoding : str or None
        How to read bytes that are not UTF-8; UTF-8 is always read as UTF-8. With None, the message
        advises ``--encoding``.
    around : callable, optional
        Returns more of the file's bytes, to detect the encoding if ``data`` is only a part of the file.
    """
    other_encoding = None if encoding is None or _is_utf8(encoding) else encoding
    if b"\0" in data or (offset == 0 and data[:2] in _MARKS):
        if other_encoding is None:
            raise _with_nul(data, file, offset, line, encoding)
        return _in(data, other_encoding, file, offset, line)
    if other_encoding is not None and codecs.lookup(other_encoding).name.startswith(
        ("iso2022", "hz", "utf-7")
    ):
        return _in(data, other_encoding, file, offset, line)
    try:
        return data.decode("utf-8-sig" if offset == 0 else "utf-8")
    except UnicodeDecodeError as error:
        start = error.start + (3 if offset == 0 and data.startswith(codecs.BOM_UTF8) else 0)
    if _HALF.match(data, start):
        raise fault(
            "lone-surrogate-bytes",
            file=file,
            line=line,
            found=f"bytes 0x{data[start : start + 3].hex()} at offset {offset + start}",
        )
    whole_data = data if around is None else around()
    mixed = _mostly_utf8(whole_data)
    if other_encoding is not None and not mixed:
        return _in(data, other_encoding, file, offset, line)
    bad_byte = f"byte 0x{data[start]:02x} at offset {offset + start}"
    if mixed:
        raise fault(
            "not-utf-8-throughout",
            file=file,
            line=line,
            found=f"{bad_byte}: {_shown(data, start, 'utf-8')}",
        )
    likely = detected(whole_data)
    if likely not in _EASTERN and len(_OF_UTF8.findall(whole_data)) > 1:
        raise fault(
            "utf-8-in-part",
            file=file,
            line=line,
            found=f"{bad_byte}: {_shown(data, start, 'utf-8')}",
        )
    if likely is None:
        raise fault(
            "text-not-utf-8",
            file=file,
            line=line,
            found=f"{bad_byte}, in no encoding that Raven recognises",
            fix="is this a text? If so, find out its encoding"
            + (", and give it as --encoding" if encoding is None else ", and convert it to UTF-8"),
        )
    raise fault(
        "text-not-utf-8",
        file=file,
        line=line,
        found=f"{bad_byte}; in {likely} the line reads: {_shown(data, start, likely)}",
        fix=_advice(file, likely, encoding is None),
    )


def detected(data: bytes) -> str | None:
    """Return Python's name of the encoding that bytes other than UTF-8 seem to be in; None if none fits.

    UTF-16 and UTF-32 are recognised only by their mark or their NUL bytes (Chinese text may have neither).
    """
    import chardet

    from ravenbench.text.damage import is_macintosh

    looked_at = data[:_LOOKED_AT]
    if (wide := _wide(looked_at)) is not None:
        return wide
    if b"\0" in looked_at:
        return None
    guesses = chardet.detect_all(
        looked_at,
        ignore_threshold=True,
        prefer_superset=False,
        compat_names=False,
        max_bytes=_LOOKED_AT,
        include_encodings=_LIKELY,
        no_match_encoding=UTF8,
    )
    likely = {
        guess["encoding"]: guess["confidence"]
        for guess in guesses
        if guess["encoding"] and not _is_utf8(guess["encoding"])
    }
    heads = {name: text for name in likely if (text := _head(looked_at, name)) is not None}
    # An encoding in which control characters stand would be advised here, and refused when it is followed.
    plausible = {
        name: text
        for name, text in heads.items()
        if not _mixed(text) and not _CONTROLS.search(text)
    }
    if not plausible:
        return None
    best = next(iter(plausible))
    common = _head(looked_at, "cp1252")
    # The sign of any currency stands where ISO-8859-15 has that of the euro.
    tie = (
        "cp1252" in plausible
        and likely["cp1252"] >= _TIE * likely[best]
        and "¤" not in plausible["cp1252"]
    )
    if plausible[best] == common or (tie and best != "mac-roman"):
        return "mac_roman" if common and is_macintosh(common) else "cp1252"
    return best.replace("-", "_").lower()


def _mixed(text: str) -> bool:
    """Whether letters of two scripts stand side by side more than now and then."""
    return 20 * len(_MIXED.findall(text)) > sum(character > "\x7f" for character in text)


def _wide(data: bytes, offset: int = 0) -> str | None:
    """UTF-16 or UTF-32, by Python's name, where bytes have their mark, or NULs in every second place only."""
    head = data[:4096]
    marked = offset == 0 and data[:2] in _MARKS
    even = head[0::2]
    odd = head[1::2]
    if not marked and max(even.count(0), odd.count(0)) * 4 <= len(head):
        # Other scripts than Latin have NULs in spaces and marks alone, and few leading bytes.
        high, low = (even, odd) if even.count(0) else (odd, even)
        if len(data) % 2 or low.count(0) or high.count(0) < 3 or len(set(high)) > 8:
            return None
    if data[:4] in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE):
        return "utf-32"
    return "utf-16" if marked else "utf-16le" if odd.count(0) > even.count(0) else "utf-16be"


def _head(data: bytes, encoding: str) -> str | None:
    """Bytes in an encoding, whose last character may be cut; None where they are not in it."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(data, final=False)
    except (LookupError, UnicodeDecodeError):
        return None


def check_controls(
    text: str, file: str | Path, line: int | None = None, encoding: str | None = UTF8
) -> None:
    """Raise an error for a text with C1 control characters: it was read in the wrong encoding before it was saved.

    With ``line``, the text is in this line of a table.

    Bytes 0x80 to 0x9F are quotation marks, dashes and letters in Windows-1252, and control characters in ISO-8859-1.
    FormatError with the intended line, if it can be recovered, and the command that corrects the file.
    """
    control = _CONTROLS.search(text)
    if control is None:
        return
    table = line is not None
    line = text.count("\n", 0, control.start()) + 1 if line is None else line
    sentence = (
        f"{len(_CONTROLS.findall(text)):,} of U+0080 to U+009F; the first is"
        f" U+{ord(control[0]):04X}"
    )
    problem = "the text contains control characters in place of quotation marks, dashes or letters"
    try:
        meant_text = text.encode("latin-1").decode("cp1252")
    except UnicodeError:
        meant_line = _as_meant(text)
        sentence += (
            ""
            if meant_line is None
            else f"; UTF-8 was read as Windows-1252; the intended text is: {_line_at(*meant_line)}"
        )
        raise FormatError(
            problem,
            file=file,
            line=line,
            found=sentence,
            expected="text",
            fix="convert the file again from its source"
            + (
                " (mostly Windows-1252 that was read as ISO-8859-1)"
                if meant_line is None
                else ", as UTF-8"
            )
            + ", or replace these characters in an editor",
        ) from None
    sentence += f"; the intended text is: {_line_at(meant_text, control.start())}"
    if encoding is not None and not _is_utf8(encoding):
        fix = "--encoding cp1252"
    elif table:
        fix = (
            "make the table again from its source, read as Windows-1252; or in Python"
            " rewrite it with "
        )
        fix += 'text.encode("latin-1").decode("cp1252") for each of these texts'
    elif _inside(file):
        fix = "unpack the zip and convert the file again, from Windows-1252 to UTF-8"
    elif Path(file).read_bytes().startswith(codecs.BOM_UTF8):
        fix = "replace these characters in an editor with the intended ones"
    else:
        new, aside = _aside(file, "UTF-8", "ISO-8859-1")
        last = f"iconv -f WINDOWS-1252 -t UTF-8 {new} > {shlex.quote(str(file))} && rm {new}"
        fix = f"{aside} && {last}"
    raise fault(
        "control-characters-windows-1252",
        file=file,
        line=line,
        found=sentence,
        fix=fix,
        value=problem,
    )


def _as_meant(text: str) -> tuple[str, int] | None:
    """UTF-8 that was read as Windows-1252, as it was meant, and where its first character beyond ASCII is."""
    try:
        meant_text = b"".join(
            character.encode("latin-1" if character in _UNUSED else "cp1252") for character in text
        ).decode()
    except UnicodeError:
        return None
    return meant_text, next((i for i, character in enumerate(meant_text) if character > "\x7f"), 0)


_FROM = re.compile(r"(?:iconv -f|the file from) (\S+) (?:-t|to) UTF-8")
_WITHOUT = re.compile(r"^--encoding \S+?, or ")


class Faults:
    """Gathers errors of several files into one error: at most ``most`` lines, each with what was found if ``values``,
    under ``heading``, which names what is counted."""

    def __init__(
        self, heading: str = "unusable files", most: int = _SHOWN, *, values: bool = False
    ) -> None:
        self._met: list[InputError] = []
        self._what = heading
        self._most = most
        self._values = values

    def __len__(self) -> int:
        return len(self._met)

    def since(self, faults_before: int) -> tuple[InputError, ...]:
        """Return the errors met since their count was ``faults_before``."""
        return tuple(self._met[faults_before:])

    @contextmanager
    def gathered(self) -> Iterator[None]:
        """Catch an ``InputError`` that is raised within."""
        try:
            yield
        except InputError as error:
            self._met.append(error)

    def check(self, more_help: str = "") -> None:
        """Raise what was met: one error as it is, several as one FormatError. ``more_help`` is added to the
        fix."""
        met = list({str(error): error for error in self._met}.values())
        if len(met) == 1:
            if more_help:
                fault = met[0]
                fix = f"{met[0].fix or ''}{more_help}".removeprefix(", or ")
                location: dict[str, Any] = {
                    "file": fault.file,
                    "line": fault.line,
                    "found": fault.found,
                }
                raise FormatError(fault.problem, **location, expected=fault.expected, fix=fix)
            raise met[0]
        if met:
            # Values are wrong in many ways: each is told its own cure, unless all have one.
            # Where not all are shown, a fix for each kind is; else one with each.
            fix_on_each_line = (
                self._values and len({error.fix for error in met}) > 1 and len(met) <= self._most
            )
            cure = "" if fix_on_each_line else self._fix(met) or ""
            lines = [
                self._line(error)
                + (f"; fix: {error.fix}" if fix_on_each_line and error.fix else "")
                for error in met
            ]
            shown = lines[: self._most]
            further = len(lines) - self._most
            head = f"{len(lines):,} {self._what}" + (
                f", the first {self._most}:" if further > 0 else ":"
            )
            first_fault = met[0]
            raise FormatError(
                "\n    ".join([head, *shown, *([f"and {further:,} more"] if further > 0 else [])]),
                found=(
                    None
                    if self._values or first_fault.found is None
                    else f"in the first: {first_fault.found}"
                ),
                expected=first_fault.expected,
                fix=f"{cure}{more_help}".removeprefix(", or ") or None,
            )

    def _line(self, error: InputError) -> str:
        location = (
            ""
            if error.file is None
            else f"{error.file}:{error.line}: "
            if error.line
            else f"{error.file}: "
        )
        shown = (
            f" (found: {str(error.found)[:60]})" if self._values and error.found is not None else ""
        )
        return f"{location}{error.problem}{shown}"

    def _fix(self, met: list[InputError]) -> str | None:
        """What mends them: of several kinds of fault, each with what mends it."""
        kinds: dict[str, list[InputError]] = {}
        for error in met:
            kind = re.sub(r"\d[\d,.]*", "#", error.problem)
            kinds.setdefault(kind + "".join(_FROM.findall(error.fix or "")), []).append(error)
        fixes = list(dict.fromkeys(error.fix for error in met if error.fix))
        heads = list(dict.fromkeys(fix.partition(", or ")[0] for fix in fixes))
        if len(heads) == 1 and heads[0].startswith("--encoding"):
            return heads[0]
        if len(fixes) < 2:
            return fixes[0] if fixes else None
        if len(kinds) > 1:
            causes = [
                (
                    len(similar),
                    similar[0].problem,
                    next((error.fix for error in similar if error.fix), None),
                )
                for similar in kinds.values()
            ]
            if len(heads) > 1:  # one --encoding would read those in another one as something else
                causes = [
                    (number, problem, _WITHOUT.sub("", fix or ""))
                    for number, problem, fix in causes
                ]
            return "\n    ".join(
                f"{number:,} × {problem}: {fix}" for number, problem, fix in causes[:_SHOWN] if fix
            )
        return f"{_WITHOUT.sub('', fixes[0])} (this is for the first; treat the others in the same way)"


class _StandsTwice(Exception):
    """A key of a JSON object with several values."""


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        key = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        values = [
            json.dumps(value, ensure_ascii=False)[:60] for name, value in pairs if name == key
        ]
        raise _StandsTwice(f"{key!r} is {' and '.join(values)}")
    return record


_JSON = json.JSONDecoder(object_pairs_hook=_each_once)


def from_json(
    text: str,
    file: str | Path,
    line: int | None = None,
    *,
    problem: str = "not valid JSON",
    **more: Any,
) -> Any:
    """Return the plain values of JSON from outside. FormatError (with ``problem`` and ``more``) if it is not valid, or if
    an object has a duplicate key (other readers take the first or the last)."""
    try:
        return _JSON.decode(text)
    except _StandsTwice as error:
        raise fault("json-key-twice", file=file, line=line, found=str(error)) from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, json.JSONDecodeError) and line is None:
            line = error.lineno
        raise FormatError(f"{problem} ({error})", file=file, line=line, **more) from None


def old_mac(file: str | Path, line: int) -> FormatError:
    """Return the error for lines that end with only a carriage return."""
    return fault(
        "line-ends-of-old-macs", file=file, line=line, found="\\r", value=shlex.quote(str(file))
    )


def known_encoding(name: str) -> str:
    """Return the name of a text encoding that Python knows. InputError if it is unknown."""
    try:
        "a".encode(name).decode(name)
    except (LookupError, ValueError, TypeError):
        raise fault("no-such-encoding", found=name) from None
    return name


def _is_utf8(name: str) -> bool:
    return codecs.lookup(known_encoding(name)).name in ("utf-8", "utf-8-sig", "ascii")


def _in(data: bytes, encoding: str, file: str | Path, offset: int, line: int | None) -> str:
    wide = codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))
    if wide and len(data) > 3 and b"\0" not in data and data[:2] not in _MARKS:
        # Any eight-bit text of even length would be read as Chinese characters.
        raise fault(
            "not-in-named-encoding",
            file=file,
            line=line,
            found="neither NUL byte nor byte order mark",
            encoding=encoding,
        )
    try:
        text = data.decode(encoding).removeprefix("\ufeff" if offset == 0 else "")
        if "\0" in text:
            raise _with_nul(data, file, offset, line, encoding)
        return text
    except UnicodeDecodeError as error:
        raise fault(
            "not-in-other-named-encoding",
            file=file,
            line=line,
            found=f"byte 0x{data[error.start]:02x} at offset {offset + error.start}",
            encoding=encoding,
        ) from None


def _mostly_utf8(data: bytes) -> bool:
    """Whether more characters beyond ASCII are whole in UTF-8 than bytes are not."""
    text = data.decode("utf-8", "surrogateescape")
    bad = sum("\udc80" <= character <= "\udcff" for character in text)
    return sum(character > "\x7f" for character in text) > 2 * bad


def _advice(file: str | Path, encoding: str, option: bool) -> str:
    name = _ICONV.get(encoding, encoding.upper().replace("_", "-"))
    if _inside(file):
        convert = f"unpack the zip and convert the file from {name} to UTF-8"
    else:
        new, aside = _aside(file, name, "UTF-8")
        convert = f"{aside} && mv {new} {shlex.quote(str(file))}"
    return f"--encoding {encoding}, or {convert}" if option else convert


def _aside(file: str | Path, encoding: str, wanted: str) -> tuple[str, str]:
    """The name of a file converted from an encoding to the wanted one, and the command that makes it and, once that
    went well, puts the original aside, never over another."""
    original, new, name = (shlex.quote(f"{file}{end}") for end in (".orig", ".new", ""))
    convert = f"iconv -f {encoding} -t {wanted} {name} > {new}"
    return new, f"test ! -e {original} && {convert} && mv {name} {original}"


def _inside(file: str | Path) -> bool:
    """Whether this is the label of a file in a zip."""
    return "!" in str(file) and not Path(file).is_file()


def _shown(data: bytes, place: int, encoding: str) -> str:
    """The line around a byte, in an encoding."""
    start = max(data.rfind(b"\n", 0, place) + 1, place - 40)
    return data[start : place + 40].partition(b"\n")[0].decode(encoding, "replace").strip() or "…"


def _line_at(text: str, place: int) -> str:
    start = max(text.rfind("\n", 0, place) + 1, place - 40)
    return text[start : place + 40].partition("\n")[0].strip()


def _with_nul(
    data: bytes, file: str | Path, offset: int, line: int | None, encoding: str | None
) -> FormatError:
    """The error for bytes with a NUL: mostly UTF-16 or UTF-32, with or without its mark."""
    place = data.find(b"\0")
    if (wide := _wide(data, offset)) is not None:
        marked = offset == 0 and data[:2] in _MARKS
        mark = (
            f"byte order mark {data[:2]!r}"
            if marked
            else f"no byte order mark, NUL at offset {offset + place}"
        )
        return FormatError(
            f"the text is in {wide[:6].upper()}",
            file=file,
            line=line,
            found=mark,
            expected="UTF-8",
            fix=_advice(file, wide, encoding is None),
        )
    return fault("nul-byte", file=file, line=line, found=f"NUL at offset {offset + place}")


NAME_LIMIT = 500
"""Maximum number of characters of an id, an author, a topic or a language."""


def checked_name(
    name: str,
    what: str,
    file: str | Path | None = None,
    line: int | None = None,
    *,
    limit: int = NAME_LIMIT,
) -> str:
    """Return a name that Raven can store, compare and show.

    FormatError if it is longer than ``limit``, or contains a NUL or half a character (a lone surrogate).
    """
    if len(name) > limit:
        raise fault(
            "name-too-long",
            file=file,
            line=line,
            found=f"{len(name):,} characters: {name[:40]}…",
            what=what,
            limit=limit,
        )
    if "\0" in name:
        raise fault("name-holds-nul", file=file, line=line, found=name, what=what)
    return check_whole(name, what, file, line)


def check_whole(
    text: str, what: str, file: str | Path | None = None, line: int | None = None
) -> str:
    """Return the text. FormatError if it contains half a character (a lone surrogate); ``what`` is its role or column."""
    if (half := HALF.search(text)) is None:
        return text
    raise fault(
        "lone-surrogate",
        file=file,
        line=line,
        found=text[max(0, half.start() - 20) : half.end() + 20],
        what=what,
    )
