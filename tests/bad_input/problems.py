"""Malformed verification problems."""

from __future__ import annotations

import json

from bad_input.cases import DEEP, LONE, TEXT, Case, pair, problem, without

PROBLEMS = [
    Case(
        "a folder without problems",
        "problems",
        "c: no verification problems found here",
        {"c/readme.md": "x"},
        "c",
    ),
    Case(
        "no questioned text",
        "problems",
        "found: EN001: unknown.txt not found",
        without(problem(), "EN001/unknown.txt"),
    ),
    Case(
        "no known text",
        "problems",
        "found: EN001: no known document",
        without(problem(), "EN001/known01.txt"),
    ),
    Case(
        "an empty questioned text",
        "problems",
        "found: EN001: the questioned document is empty",
        problem(EN001__unknown_dot_txt=""),
    ),
    Case(
        "an empty known text",
        "problems",
        "found: EN001: every known document is empty",
        problem(EN001__known01_dot_txt=" \n"),
    ),
    Case(
        "a text in Latin-1",
        "problems",
        "found: EN001: EN001/unknown.txt: the text is not UTF-8",
        problem(EN001__unknown_dot_txt="Füße".encode("latin-1")),
    ),
    Case(
        "a text in UTF-16",
        "problems",
        "found: EN001: EN001/unknown.txt: the text is in UTF-16",
        problem(EN001__unknown_dot_txt=TEXT.encode("utf-16")),
    ),
    Case(
        "a text in UTF-16 without its mark",
        "problems",
        "found: EN001: EN001/unknown.txt: the text is in UTF-16",
        problem(EN001__unknown_dot_txt=TEXT.encode("utf-16-le")),
    ),
    Case(
        "a text with a NUL byte",
        "problems",
        "found: EN001: EN001/unknown.txt: the text contains a NUL byte",
        problem(EN001__unknown_dot_txt=b"A\0b c d e f g"),
    ),
    Case(
        "truth with a word",
        "problems",
        "truth.txt:1: not a line of truth",
        problem(truth_dot_txt="EN001 yes\n"),
    ),
    Case(
        "truth with answers in it",
        "problems",
        "truth.txt:1: this is an answer, not truth",
        problem(truth_dot_txt="EN001 0.7\n"),
    ),
    Case(
        "truth that names a problem twice",
        "problems",
        "truth.txt:2: duplicate id",
        problem(truth_dot_txt="EN001 Y\nEN001 N\n"),
    ),
    Case(
        "empty truth", "problems", "truth.txt: the truth file is empty", problem(truth_dot_txt="\n")
    ),
    Case(
        "truth that ends lines as on old Macs",
        "problems",
        "truth.txt:1: lines end as on old Macs, or a line contains a carriage return",
        problem(truth_dot_txt="EN001 Y\rEN002 N\r"),
    ),
    Case(
        "truth in UTF-16",
        "problems",
        "truth.txt:1: the text is in UTF-16",
        problem(truth_dot_txt="EN001 Y\n".encode("utf-16")),
    ),
    Case(
        "truth without this problem",
        "problems",
        "found: EN001: truth.txt does not contain it, so Raven does not answer or score it",
        problem(truth_dot_txt="EN002 Y\n"),
    ),
    Case(
        "an id that is a path",
        "problems",
        "found: ../../x: its id is a path, not a name",
        without(problem(truth_dot_txt="../../x Y\n"), "EN001/unknown.txt"),
    ),
    Case(
        "contents that are no JSON",
        "problems",
        "contents.json:1: not JSON",
        problem(contents_dot_json="{"),
    ),
    Case(
        "contents that are a list",
        "problems",
        "contents.json: not a JSON object",
        problem(contents_dot_json="[]"),
    ),
    Case(
        "contents nested too deep",
        "problems",
        "contents.json: not JSON",
        problem(contents_dot_json=DEEP),
    ),
    Case(
        "half a character in a language",
        "problems",
        "contents.json: the language is not valid Unicode: it contains a lone surrogate",
        problem(contents_dot_json=json.dumps({"language": LONE})),
    ),
    Case(
        "half a character in an id",
        "problems",
        "contents.json: an id is not valid Unicode: it contains a lone surrogate",
        problem(contents_dot_json=json.dumps({"problems": [LONE]})),
    ),
    Case(
        "pairs without an id",
        "problems",
        "pairs.jsonl:1: no id in this line",
        {"pairs.jsonl": pair(id=None)},
    ),
    Case(
        "an id that is a list",
        "problems",
        "pairs.jsonl:1: an id must be a string",
        {"pairs.jsonl": pair(id=["p1"])},
    ),
    Case(
        "an empty id",
        "problems",
        "pairs.jsonl:1: an id must be a string",
        {"pairs.jsonl": pair(id="")},
    ),
    Case(
        "an id of 501 characters",
        "problems",
        "pairs.jsonl:1: an id is too long for a name",
        {"pairs.jsonl": pair(id="p" * 501)},
    ),
    Case(
        "an id with a NUL at its end",
        "problems",
        "pairs.jsonl:1: an id contains a NUL character",
        {"pairs.jsonl": pair(id="p1\0")},
    ),
    Case(
        "half a character in the id of a pair",
        "problems",
        "pairs.jsonl:1: an id is not valid Unicode: it contains a lone surrogate",
        {"pairs.jsonl": pair(id=LONE)},
    ),
    Case(
        "half a character in a fandom",
        "problems",
        "pairs.jsonl:1: a topic is not valid Unicode: it contains a lone surrogate",
        {"pairs.jsonl": pair(fandoms=[LONE, "b"])},
    ),
    Case(
        "half a character in the text of the only pair",
        "problems",
        "found: p1: the text is not valid Unicode: it contains a lone surrogate",
        {"pairs.jsonl": pair(pair=[LONE, TEXT])},
    ),
    Case(
        "an id twice",
        "problems",
        "pairs.jsonl:2: duplicate id",
        {"pairs.jsonl": pair() + pair()},
    ),
    Case(
        "a pair of one text",
        "problems",
        "found: p1: line 1 does not have a pair of two texts",
        {"pairs.jsonl": pair(pair=[TEXT])},
    ),
    Case(
        "a pair of three texts",
        "problems",
        "pairs.jsonl:1: a pair must have two texts",
        {"pairs.jsonl": pair(pair=[TEXT] * 3)},
    ),
    Case(
        "a pair of numbers",
        "problems",
        "found: p1: line 1 does not have a pair of two texts",
        {"pairs.jsonl": pair(pair=[1, 2])},
    ),
    Case(
        "a pair with an empty text",
        "problems",
        "found: p1: every known document is empty",
        {"pairs.jsonl": pair(pair=["", TEXT])},
    ),
    Case(
        "a second line that is not JSON",
        "problems",
        "pairs.jsonl:2: this line is not JSON",
        {"pairs.jsonl": pair() + "pair\n"},
    ),
    Case(
        "pairs without any in truth",
        "problems",
        "found: p1: the truth file does not contain it, so Raven does not answer or score it",
        {"pairs.jsonl": pair(), "truth.jsonl": '{"id": "p2", "same": true}\n'},
        "pairs.jsonl",
    ),
    Case(
        "truth whose same contradicts its authors",
        "problems",
        "truth.jsonl:1: same contradicts the two authors",
        {
            "pairs.jsonl": pair(),
            "truth.jsonl": '{"id": "p1", "same": true, "authors": ["a", "b"]}\n',
        },
        "pairs.jsonl",
    ),
    Case(
        "half a character in an author of truth",
        "problems",
        "truth.jsonl:1: an author is not valid Unicode: it contains a lone surrogate",
        {
            "pairs.jsonl": pair(),
            "truth.jsonl": json.dumps({"id": "p1", "same": True, "authors": [LONE, LONE]}) + "\n",
        },
        "pairs.jsonl",
    ),
    Case(
        "an author of 501 characters in truth",
        "problems",
        "truth.jsonl:1: an author is too long for a name",
        {
            "pairs.jsonl": pair(),
            "truth.jsonl": json.dumps({"id": "p1", "same": True, "authors": ["a" * 501] * 2})
            + "\n",
        },
        "pairs.jsonl",
    ),
    Case(
        "the truth file in place of the pairs",
        "problems",
        "truth.jsonl: no PAN20–23 pairs found here",
        {"truth.jsonl": '{"id": "p1", "same": true}\n'},
    ),
]
