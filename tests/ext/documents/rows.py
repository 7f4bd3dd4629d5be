"""Rows of this extension in the bench's tables (``tests/extensions.py``)."""

ESCAPES = {"texts": [("$data/inbox", "-o", "$out")]}
OUTPUTS = {("texts", "out"): (("$data/others",), ("others", "known"), True)}
GOLDEN = {
    "texts": (
        ("texts", "inbox", "--out", "page"),
        ("texts", "inbox", "--out", "by-folder", "--by", "folder", "--json"),
    ),
}
