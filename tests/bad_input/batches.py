"""Malformed batches of comparisons: tables of cases, and the texts they name."""

from __future__ import annotations

import json

from bad_input.cases import LONE, TEXT, Case, Content

HEAD = "case,questioned,known\n"
_TEXTS: dict[str, Content] = {
    "q.txt": TEXT,
    "known.txt": f"{TEXT} More.",
    "other.txt": f"{TEXT} Another's.",
}


def _csv(name: str, says: str, content: Content, **texts: Content) -> Case:
    files = _TEXTS | {key.replace("_dot_", "."): value for key, value in texts.items()}
    return Case(name, "batch", says, files | {"b.csv": content}, "b.csv")


def _line(name: str, says: str, **values: object) -> Case:
    record = {"case": "a", "questioned": "q.txt", "known": "known.txt"} | values
    return Case(name, "batch", says, _TEXTS | {"b.jsonl": json.dumps(record)}, "b.jsonl")


BATCHES = [
    _csv("no columns of a batch", "b.csv:2: column 'questioned' not found", "a,b\nc,d\n"),
    _csv(
        "a further column of known texts",
        "b.csv:2: Raven would not read a column of texts",
        "case,questioned,known,known2\n1,q.txt,k.txt,l.txt\n",
    ),
    _csv("a batch without cases", "b.csv: the batch has no case", HEAD),
    _csv(
        "an empty path at the end of known",
        "b.csv:2: known contains an empty path",
        HEAD + "c,q.txt,known.txt;\n",
    ),
    _csv(
        "an empty path between two",
        "b.csv:2: known contains an empty path",
        HEAD + "c,q.txt,known.txt; ;other.txt\n",
    ),
    _csv("no known text at all", "b.csv:2: known contains an empty path", HEAD + "c,q.txt,\n"),
    _csv(
        "no questioned text at all",
        "b.csv:2: questioned contains an empty path",
        HEAD + "c,,known.txt\n",
    ),
    _csv(
        "too many fields",
        "b.csv:2: this row does not have as many fields",
        HEAD + "c,q.txt,known.txt,other.txt\n",
    ),
    _csv("too few fields", "b.csv:2: this row does not have as many fields", HEAD + "c,q.txt\n"),
    _csv(
        "a quote that never ends",
        "b.csv:2: not a CSV file",
        HEAD + 'c,q.txt,"known.txt\nd,q.txt,known.txt\n',
    ),
    _csv(
        "known twice in the header",
        "b.csv:1: duplicate column",
        "questioned,known,known\nq.txt,q.txt,known.txt\n",
    ),
    _csv(
        "line ends of old Macs",
        "b.csv:1: lines end as on old Macs",
        "case,questioned,known\rc,q.txt,known.txt\r",
    ),
    _csv(
        "half a character as bytes",
        "b.csv:2: the text contains half a character",
        HEAD + f"{LONE},q.txt,known.txt\n",
    ),
    _csv(
        "a case of 60,000 characters",
        "b.csv:2: the case is too long for a name",
        HEAD + "c" * 60_000 + ",q.txt,known.txt\n",
    ),
    _csv(
        "a text of 140,000 characters for a path",
        "b.csv:2: a path of known is too long",
        HEAD + "c,q.txt," + "x" * 140_000 + "\n",
    ),
    _csv(
        "two cases of one name",
        "two cases have the same name",
        HEAD + "c,q.txt,known.txt\nc,q.txt,other.txt\n",
    ),
    Case(
        "another kind of file",
        "batch",
        "b.xlsx: Raven cannot read this workbook",
        {**_TEXTS, "b.xlsx": b"PK"},
        "b.xlsx",
    ),
    _csv(
        "a text that is not there",
        "b.csv:2: questioned: file or folder not found: q2.txt",
        HEAD + "c,q2.txt,known.txt\n",
    ),
    _csv(
        "a known text that is not there, of several",
        "b.csv:2: known: file or folder not found: k2.txt",
        HEAD + "c,q.txt,known.txt;k2.txt\n",
    ),
    _csv(
        "a damaged Word file among the known texts",
        "k.docx: it is damaged or cut off, or not Word",
        HEAD + "c,q.txt,k.docx\n",
        k_dot_docx=b"PK",
    ),
    _csv(
        "a text in Windows-1252",
        "fix: --encoding cp1252",
        HEAD + "c,w.txt,known.txt\n",
        w_dot_txt="It’s his, and I don’t know what he’d say.".encode("cp1252"),
    ),
    _csv(
        "a text of two encodings",
        "w.txt: not all of the text is UTF-8",
        HEAD + "c,w.txt,known.txt\n",
        w_dot_txt="It’s her café".encode() + b" \x92",
    ),
    _csv(
        "a text in Windows-1252 that was read as Latin-1",
        "iconv -f UTF-8 -t ISO-8859-1",
        HEAD + "c,w.txt,known.txt\n",
        w_dot_txt="It\x92s \x93his\x94.",
    ),
    _csv(
        "control characters in a text",
        "w.txt:1: the text contains control characters",
        HEAD + "c,w.txt,known.txt\n",
        w_dot_txt="It\x92s “his”.",
    ),
    _line("a NUL in a case", "b.jsonl:1: the case contains a NUL character", case="a\0"),
    _line("half a character in a case", "b.jsonl:1: the case is not valid Unicode", case=LONE),
    _line(
        "half a character in a path",
        "b.jsonl:1: a path of questioned is not valid Unicode",
        questioned=f"q{LONE}.txt",
    ),
    _line("a case that is a list", "b.jsonl:1: case is not text", case=["a"]),
    _line(
        "an empty path in a list",
        "b.jsonl:1: known contains an empty path",
        known=["known.txt", ""],
    ),
    _line("a list of numbers for known", "b.jsonl:1: known is not a path", known=[5]),
    _line(
        "a candidate of 501 characters",
        "b.jsonl:1: the candidate is too long for a name",
        candidate="c" * 501,
    ),
]
