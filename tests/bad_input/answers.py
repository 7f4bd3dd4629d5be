"""Malformed answers."""

from __future__ import annotations

import json

from bad_input.cases import LONE, Case, zipped

ANSWERS = [
    Case("a JSON list of nothing", "answers", "a.json: this table has no rows", {"a.json": "[]"}),
    Case(
        "an empty list in JSON lines",
        "answers",
        "a.jsonl: this table has no rows",
        {"a.jsonl": "[]\n"},
    ),
    Case(
        "no answers in a folder",
        "answers",
        "c: not exactly one file of answers",
        {"c/readme.md": "x"},
        "c",
    ),
    Case(
        "two files of answers",
        "answers",
        "c: not exactly one file of answers",
        {"c/a/answers.txt": "E 1\n", "c/b/answers.txt": "E 1\n"},
        "c",
    ),
    Case(
        "truth in place of answers",
        "answers",
        "truth.jsonl:1: this file contains truth, not answers",
        {"truth.jsonl": '{"id": "p1", "same": true}\n'},
    ),
    Case(
        "PAN13 truth in place of answers",
        "answers",
        "truth.txt: this file contains truth, not answers",
        {"truth.txt": "EN001 Y\n"},
    ),
    Case(
        "an empty file",
        "answers",
        "answers.jsonl: the file of answers is empty",
        {"answers.jsonl": ""},
    ),
    Case(
        "no value",
        "answers",
        "answers.jsonl:1: this line has no value",
        {"answers.jsonl": '{"id": "p1"}\n'},
    ),
    Case(
        "no id",
        "answers",
        "answers.jsonl:1: no id in this line",
        {"answers.jsonl": '{"value": 1}\n'},
    ),
    Case(
        "a value in quotes",
        "answers",
        "answers.jsonl:1: the value is a string",
        {"answers.jsonl": '{"id": "p1", "value": "0.5"}\n'},
    ),
    Case(
        "a value that is null",
        "answers",
        "answers.jsonl:1: the value is null",
        {"answers.jsonl": '{"id": "p1", "value": null}\n'},
    ),
    Case(
        "a value that is true",
        "answers",
        "answers.jsonl:1: the value is true or false",
        {"answers.jsonl": '{"id": "p1", "value": true}\n'},
    ),
    Case(
        "a value that is an object",
        "answers",
        "answers.jsonl:1: the value is dict",
        {"answers.jsonl": '{"id": "p1", "value": {}}\n'},
    ),
    Case(
        "a value in a list",
        "answers",
        "answers.jsonl:1: the value is a list",
        {"answers.jsonl": '{"id": "p1", "value": [0.5]}\n'},
    ),
    Case(
        "two values in a list",
        "answers",
        "answers.jsonl:1: the value is a list",
        {"answers.jsonl": '{"id": "p1", "value": [0.5, 0.5]}\n'},
    ),
    Case(
        "NaN",
        "answers",
        "answers.jsonl:1: the value is NaN",
        {"answers.jsonl": '{"id": "p1", "value": NaN}\n'},
    ),
    Case(
        "infinity",
        "answers",
        "answers.jsonl:1: the value is infinite",
        {"answers.jsonl": '{"id": "p1", "value": Infinity}\n'},
    ),
    Case(
        "a value above 1",
        "answers",
        "answers.jsonl:1: the value is outside [0, 1]",
        {"answers.jsonl": '{"id": "p1", "value": 1.01}\n'},
    ),
    Case(
        "a value below 0",
        "answers",
        "answers.jsonl:1: the value is outside [0, 1]",
        {"answers.jsonl": '{"id": "p1", "value": -0.1}\n'},
    ),
    Case(
        "a huge integer",
        "answers",
        "answers.jsonl:1: the value is outside [0, 1]",
        {"answers.jsonl": '{"id": "p1", "value": ' + "9" * 400 + "}\n"},
    ),
    Case(
        "an integer of too many digits",
        "answers",
        "answers.jsonl:1: this line is not JSON",
        {"answers.jsonl": '{"id": "p1", "value": ' + "9" * 5000 + "}\n"},
    ),
    Case(
        "an id twice",
        "answers",
        "answers.jsonl:2: duplicate id in the answers",
        {"answers.jsonl": '{"id": "p1", "value": 1}\n' * 2},
    ),
    Case(
        "an id of 60,000 characters",
        "answers",
        "answers.jsonl:1: an id is too long for a name",
        {"answers.jsonl": json.dumps({"id": "p" * 60_000, "value": 1})},
    ),
    Case(
        "an id with a NUL at its end",
        "answers",
        "answers.jsonl:1: an id contains a NUL character",
        {"answers.jsonl": json.dumps({"id": "p1\0", "value": 1})},
    ),
    Case(
        "half a character in an id",
        "answers",
        "answers.jsonl:1: an id is not valid Unicode: it contains a lone surrogate",
        {"answers.jsonl": json.dumps({"id": LONE, "value": 1})},
    ),
    Case(
        "a line cut short",
        "answers",
        "answers.jsonl:1: this line is not JSON",
        {"answers.jsonl": '{"id": "p1", "val'},
    ),
    Case(
        "a word as score",
        "answers",
        "answers.txt:1: the score is not a number",
        {"answers.txt": "EN001 same\n"},
    ),
    Case(
        "a score with a comma",
        "answers",
        "answers.txt:1: the score is not a number",
        {"answers.txt": "EN001 0,5\n"},
    ),
    Case(
        "four fields",
        "answers",
        "answers.txt:1: not an answer",
        {"answers.txt": "EN001 Y 0.5 sure\n"},
    ),
    Case("an id alone", "answers", "answers.txt:1: not an answer", {"answers.txt": "EN001\n"}),
    Case(
        "a score above 1",
        "answers",
        "answers.txt:1: the value is outside [0, 1]",
        {"answers.txt": "EN001 7\n"},
    ),
    Case(
        "a score that is not a number",
        "answers",
        "answers.txt:1: the value is NaN",
        {"answers.txt": "EN001 nan\n"},
    ),
    Case(
        "line ends of old Macs",
        "answers",
        "answers.txt:1: lines end as on old Macs, or a line contains a carriage return",
        {"answers.txt": "EN001 0.5\rEN002 0.7\r"},
    ),
    Case(
        "UTF-16 without its mark",
        "answers",
        "answers.txt:1: the text is in UTF-16",
        {"answers.txt": "EN001 0.5\n".encode("utf-16-le")},
    ),
    Case(
        "answers in a zip bomb",
        "answers",
        "a.zip: a file in this zip unpacks to far more than text can",
        {"a.zip": zipped({"answers.txt": "0" * (4 * 2**20)})},
    ),
]
