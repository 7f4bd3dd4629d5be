"""What of an e-mail its sender did not write in it, or wrote in every mail alike: headers, quotations, signatures.

They tell who wrote it, whatever the style. ``signs_of_mail`` notices them.
"""

from __future__ import annotations

import re

_HEADER = re.compile(
    r"^(from|to|cc|bcc|date|sent|subject|reply-to|message-id|received|return-path|mime-version|content-type|x-[a-z-]+"
    r"|von|an|gesendet|datum|betreff|de|à|envoyé|objet|para|enviado|asunto|van|aan|verzonden|onderwerp"
    r"|από|προς|θέμα|ημερομηνία)[ \t]*:[ \t]*\S",
    re.IGNORECASE | re.MULTILINE,
)
QUOTED = re.compile(r"^[ \t]*>", re.MULTILINE)
INTRODUCED = re.compile(
    r"^[ \t]*(-{2,}[ \t]*(original message|forwarded message|ursprüngliche nachricht|mensaje original|message d'origine"
    r"|oorspronkelijk bericht)[ \t]*-{2,}"
    r"|(on|am|le|el|op)\b.{6,120}\b(wrote|schrieb|a écrit|escribió|schreef)[ \t]?:[ \t]*$)",
    re.IGNORECASE | re.MULTILINE,
)
_SIGNATURE = re.compile(r"^-- ?$(?=\n[^\n]*\S)", re.MULTILINE)
_ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]++(\.[\w-]++)+")


def signs_of_mail(text: str) -> tuple[str, ...]:
    """What of an e-mail a text holds beside what its author wrote: "headers", "quotations", "a signature", "an address"
    (in this order).

    Headers are two lines or more such as ``Subject: …`` among the first thirty (also in German, French, Spanish, Dutch
    and Greek), quotations two lines that begin with ``>`` or the line that introduces them, a signature what follows
    ``--``.
    """
    lines = map(_HEADER.match, text.split("\n", 30)[:30])
    signs = []
    if len({match[1].lower() for match in lines if match is not None}) >= 2:
        signs.append("headers")
    if (">" in text and len(QUOTED.findall(text)) >= 2) or INTRODUCED.search(text):
        signs.append("quotations")
    if "--" in text and _SIGNATURE.search(text):
        signs.append("a signature")
    if "@" in text and _ADDRESS.search(text):
        signs.append("an address")
    return tuple(signs)
