"""Malformed truth, and attributes that divide problems."""

from __future__ import annotations

import json

from bad_input.cases import DEEP, LONE, Case

TRUTH = [
    Case(
        "a JSON list of nothing as truth",
        "truth",
        "t.json: this table has no rows",
        {"t.json": "[]"},
    ),
    Case(
        "an empty object as truth",
        "truth",
        "truth.jsonl: this table has no rows",
        {"truth.jsonl": "{}\n"},
    ),
    Case(
        "a pair by two people",
        "truth",
        "truth.jsonl:1: is_human must have one true and one false",
        {"truth.jsonl": '{"id": "p1", "is_human": [true, true]}\n'},
    ),
    Case(
        "several faults of truth",
        "truth",
        "3 unusable lines of truth:",
        {
            "truth.jsonl": '{"id": "p1", "same": 1}\n{"id": "p2", "same": true}\n{"id": "p2"}\n{"same": true}\n'
        },
    ),
    Case(
        "several faults of truth.txt",
        "truth",
        "2 unusable lines of truth:",
        {"truth.txt": "p1 Y\np2 maybe\np1 N\n"},
    ),
    Case("no truth in a folder", "truth", "c: no truth found here", {"c/readme.txt": "x"}, "c"),
    Case(
        "answers in place of truth",
        "truth",
        "answers.jsonl:1: this is an answer, not truth",
        {"answers.jsonl": '{"id": "p1", "value": 0.5}\n'},
    ),
    Case(
        "answers in a folder asked for truth",
        "truth",
        "c: these are answers, not truth",
        {"c/answers.jsonl": '{"id": "p1", "value": 1}\n'},
        "c",
    ),
    Case(
        "same as a word",
        "truth",
        "truth.jsonl:1: truth has no value true or false for same",
        {"truth.jsonl": '{"id": "p1", "same": "yes"}\n'},
    ),
    Case(
        "same as a number",
        "truth",
        "truth.jsonl:1: truth has no value true or false for same",
        {"truth.jsonl": '{"id": "p1", "same": 1}\n'},
    ),
    Case(
        "no same at all",
        "truth",
        "truth.jsonl:1: truth has no value true or false for same",
        {"truth.jsonl": '{"id": "p1"}\n'},
    ),
    Case(
        "an id twice",
        "truth",
        "truth.jsonl:2: duplicate id",
        {"truth.jsonl": '{"id": "p1", "same": true}\n' * 2},
    ),
    Case("an empty file", "truth", "truth.jsonl: the truth file is empty", {"truth.jsonl": ""}),
    Case(
        "a line of three words",
        "truth",
        "truth.txt:1: not a line of truth",
        {"truth.txt": "EN001 Y Y\n"},
    ),
    Case(
        "an id of 501 characters",
        "truth",
        "truth.txt:1: an id is too long for a name",
        {"truth.txt": "E" * 501 + " Y\n"},
    ),
    Case(
        "an id with a NUL",
        "truth",
        "truth.txt:1: the text contains a NUL byte",
        {"truth.txt": "E\0 Y\n"},
    ),
    Case(
        "half a character in an id",
        "truth",
        "truth.jsonl:1: an id is not valid Unicode: it contains a lone surrogate",
        {"truth.jsonl": json.dumps({"id": LONE, "same": True}) + "\n"},
    ),
    Case(
        "line ends of old Macs",
        "truth",
        "truth.txt:1: lines end as on old Macs, or a line contains a carriage return",
        {"truth.txt": "EN001 Y\rEN002 N\r"},
    ),
    Case(
        "Latin-1",
        "truth",
        "truth.txt:1: the text is not UTF-8",
        {"truth.txt": "EÜ001 Y\n".encode("latin-1")},
    ),
    Case(
        "a JSON array",
        "truth",
        "truth.jsonl:1: not a JSON object",
        {"truth.jsonl": '[{"id": "p1", "same": true}]\n'},
    ),
    Case(
        "JSON nested too deep",
        "truth",
        "truth.jsonl:1: this line is not JSON",
        {"truth.jsonl": DEEP + "\n"},
    ),
]


ATTRIBUTES = [
    Case(
        "a file without a column",
        "attribute",
        "Raven breaks results down only by the problems' groups or by a file's column",
        {"a.csv": "id,length\np1,3\n"},
        "a.csv",
    ),
    Case(
        "a column that is not there",
        "attribute",
        "a.csv:2: column 'lenght' not found here",
        {"a.csv": "id,length\np1,3\n"},
        "a.csv:lenght",
    ),
    Case(
        "no column of ids",
        "attribute",
        "a.csv:2: no id in this line",
        {"a.csv": "name,length\np1,3\n"},
        "a.csv:length",
    ),
    Case(
        "a row that is too short",
        "attribute",
        "a.csv:2: this row does not have as many fields as the header",
        {"a.csv": "id,length\np1\n"},
        "a.csv:length",
    ),
    Case(
        "an id twice",
        "attribute",
        "a.csv:3: duplicate id",
        {"a.csv": "id,length\np1,3\np1,4\n"},
        "a.csv:length",
    ),
    Case(
        "a number that is not finite",
        "attribute",
        "a.csv:2: an attribute must be finite",
        {"a.csv": "id,length\np1,inf\n"},
        "a.csv:length",
    ),
    Case(
        "no problem of truth",
        "attribute",
        "a.csv: this file has no value for any problem in truth",
        {"a.csv": "id,length\nq9,3\n"},
        "a.csv:length",
    ),
    Case(
        "a list as value",
        "attribute",
        "a.jsonl:1: an attribute must be a number or a text",
        {"a.jsonl": '{"id": "p1", "length": [1]}\n'},
        "a.jsonl:length",
    ),
    Case(
        "one part",
        "attribute",
        "Raven breaks results down only by the problems' groups or by a file's column",
        {"a.csv": "id,length\np1,3\n"},
        "a.csv:length:1",
    ),
    Case(
        "a quote that never ends",
        "attribute",
        "a.csv:2: not a CSV file",
        {"a.csv": 'id,length\n"p1,3\n'},
        "a.csv:length",
    ),
    Case(
        "a NUL byte",
        "attribute",
        "a.csv:2: the text contains a NUL byte",
        {"a.csv": "id,length\np\x001,3\n"},
        "a.csv:length",
    ),
]
