"""Any text on a page: escaped, and with signs for characters that a page cannot show."""

from __future__ import annotations

from markupsafe import Markup, escape


def shown(text: str) -> Markup:
    """Text escaped for a page: a carriage return keeps its number, other control characters become their pictures.

    HTML has no way to hold control characters, and direction marks would disorder what stands around them: these
    are shown as U+2400 ff. and as their code points.
    """
    if text.isprintable():
        return escape(text)
    return Markup("").join(_character(c) for c in text)


def _character(c: str) -> Markup:
    if c in "\n\t" or c.isprintable() or c.isspace():
        return Markup("&#13;") if c == "\r" else Markup(escape(c))
    if ord(c) < 0x20:
        return Markup('<span class="ctl">{}</span>').format(chr(0x2400 + ord(c)))
    if c == "\u200d" or c == "\ufeff" or 0xFE00 <= ord(c) <= 0xFE0F:
        # Joiners and variation selectors belong to emoji and some scripts; a byte order mark is invisible.
        return Markup(escape(c))
    return Markup('<span class="ctl" data-c="U+{:04X}"></span>').format(ord(c))
