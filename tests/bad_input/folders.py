"""Malformed corpora: folders of texts, and archives."""

from __future__ import annotations

from bad_input.cases import TEXT, Case, collection, zipped

FOLDERS = [
    Case(
        "folders that are parts of a data set",
        "corpus",
        "c: these folders are parts of a data set, not authors",
        {"c/train/ann/1.txt": "One.", "c/train/bob/2.txt": "Two.", "c/test/ann/3.txt": "Three."},
        "c",
    ),
    Case(
        "attribution problems for a corpus",
        "corpus",
        "these are attribution problems in the format of PAN 2018",
        collection(),
        "",
    ),
    Case(
        "attribution problems for verification",
        "problems",
        "these are attribution problems in the format of PAN 2018",
        collection(),
        "",
    ),
    Case(
        "a zip alone in a folder",
        "corpus",
        "fix: give the zip inside it: ",
        {"c/a.zip": zipped({"a/1.txt": TEXT})},
        "c",
    ),
    Case(
        "a text beside the folders of authors",
        "corpus",
        "found: 1 of 3 texts next to folders: loose.txt",
        {"ann/1.txt": f"{TEXT} One.", "bob/2.txt": f"{TEXT} Two.", "loose.txt": TEXT},
    ),
    Case(
        "a text deeper than topics are",
        "corpus",
        "found: 1 of 3 texts too deep: bob/a/b/2.txt",
        {"ann/1.txt": f"{TEXT} One.", "bob/a/b/2.txt": f"{TEXT} Two.", "bob/a/3.txt": TEXT},
    ),
    Case(
        "an empty folder",
        "corpus",
        "notes: no texts by author found here",
        {"notes/.hidden": ""},
        "notes",
    ),
    Case(
        "a folder of pictures",
        "corpus",
        "notes: no texts by author found here",
        {"notes/a.png": b"\x89PNG"},
        "notes",
    ),
    Case(
        "texts of one author",
        "corpus",
        "c: all documents have the same author, so there is no different-author pair",
        {"c/ann/1.txt": "One.", "c/ann/2.txt": "Two."},
        "c",
    ),
    Case(
        "texts by author, one in no known encoding",
        "corpus",
        "c/ann/2.txt: the text is not UTF-8",
        {"c/ann/1.txt": "One.", "c/ann/2.txt": b"F\x81\xff", "c/bob/1.txt": "Three."},
        "c",
    ),
    Case(
        "texts by author, one empty",
        "corpus",
        "c/ann/2.txt: the text is empty",
        {"c/ann/1.txt": "One.", "c/ann/2.txt": "", "c/bob/1.txt": "T."},
        "c",
    ),
    Case(
        "verification problems as a corpus",
        "corpus",
        "c: these are verification problems, not a corpus: their authors are unknown",
        {"c/EN001/known01.txt": TEXT, "c/EN001/unknown.txt": "More."},
        "c",
    ),
    Case(
        "a file of truth as a corpus",
        "corpus",
        "truth.jsonl: this file contains truth, not a corpus",
        {"truth.jsonl": '{"id": "1", "same": true}\n'},
    ),
    Case("a zip that is none", "corpus", "c.zip: this is not a zip file", {"c.zip": b"PK no more"}),
    Case(
        "a zip cut short",
        "corpus",
        "c.zip: this is not a zip file",
        {"c.zip": lambda: zipped({"a/1.txt": "One."})()[:-10]},
    ),
    Case(
        "a zip with a name that leads out of it",
        "corpus",
        "c.zip: a name in this zip points outside it",
        {"c.zip": zipped({"../../a.txt": "x"})},
    ),
    Case(
        "a zip with an absolute name",
        "corpus",
        "c.zip: a name in this zip points outside it",
        {"c.zip": zipped({"/etc/passwd": "x"})},
    ),
    Case(
        "a zip bomb",
        "corpus",
        "c.zip: a file in this zip unpacks to far more than text can",
        {"c.zip": zipped({"a/1.txt": "a" * (4 * 2**20)})},
    ),
    Case(
        "an encrypted zip",
        "corpus",
        "c.zip: this zip is encrypted",
        {"c.zip": zipped({"a/1.txt": "One."}, flags=1)},
    ),
]
