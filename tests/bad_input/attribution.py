"""Malformed attribution collections and rewritings."""

from __future__ import annotations

import json

from bad_input.cases import DEEP, LONE, TEXT, Case, collection, part, parts, without

ATTRIBUTION = [
    Case(
        "a folder without problems",
        "attribution",
        "c: no attribution problems found here",
        {"c/readme.md": "x"},
        "c",
    ),
    Case(
        "several faults of truth",
        "attribution",
        "2 unusable entries of truth:",
        collection(
            p1__ground_to_truth_dot_json=json.dumps(
                [{"unknown-text": "x", "true-author": "candidate00001"}]
            )
        ),
    ),
    Case(
        "information that is no JSON",
        "attribution",
        "p1/problem-info.json:1: not valid JSON",
        collection(p1__problem_to_info_dot_json="{"),
    ),
    Case(
        "information nested too deep",
        "attribution",
        "p1/problem-info.json: not valid JSON",
        collection(p1__problem_to_info_dot_json=DEEP),
    ),
    Case(
        "no candidates",
        "attribution",
        "p1/problem-info.json: this problem names no candidates",
        collection(p1__problem_to_info_dot_json="{}"),
    ),
    Case(
        "one candidate",
        "attribution",
        "p1/problem-info.json: a problem needs two candidates",
        collection(
            p1__problem_to_info_dot_json=json.dumps(
                {"candidate-authors": [{"author-name": "candidate00001"}]}
            )
        ),
    ),
    Case(
        "a candidate without a name",
        "attribution",
        "p1/problem-info.json: a candidate has no name",
        collection(p1__problem_to_info_dot_json=json.dumps({"candidate-authors": [{}]})),
    ),
    Case(
        "half a character in a candidate",
        "attribution",
        "p1/problem-info.json: a candidate is not valid Unicode: it contains a lone surrogate",
        collection(
            p1__problem_to_info_dot_json=json.dumps({"candidate-authors": [{"author-name": LONE}]})
        ),
    ),
    Case(
        "a candidate of 501 characters",
        "attribution",
        "p1/problem-info.json: a candidate is too long for a name",
        collection(
            p1__problem_to_info_dot_json=json.dumps(
                {"candidate-authors": [{"author-name": "a" * 501}]}
            )
        ),
    ),
    Case(
        "candidates that are no list of objects",
        "attribution",
        "p1/problem-info.json: not a list of objects",
        collection(
            p1__problem_to_info_dot_json=json.dumps({"candidate-authors": ["candidate00001"]})
        ),
    ),
    Case(
        "a candidate without texts",
        "attribution",
        "p1/problem-info.json: a candidate has no known texts",
        without(collection(), "p1/candidate00002/known00001.txt"),
    ),
    Case(
        "no unknown texts",
        "attribution",
        "p1/problem-info.json: no unknown texts found",
        without(collection(), "p1/unknown/unknown00001.txt"),
    ),
    Case(
        "a text in Latin-1",
        "attribution",
        "p1/unknown/unknown00001.txt: the text is not UTF-8",
        collection(p1__unknown__unknown00001_dot_txt="Füße".encode("latin-1")),
    ),
    Case(
        "truth that names a stranger",
        "attribution",
        "p1/ground-truth.json: truth names an author who is not a candidate",
        collection(
            p1__ground_to_truth_dot_json=json.dumps(
                [{"unknown-text": "unknown00001.txt", "true-author": "candidate00009"}]
            )
        ),
    ),
    Case(
        "truth that lacks a text",
        "attribution",
        "p1/ground-truth.json: truth has no entry for a text",
        collection(p1__ground_to_truth_dot_json="[]"),
    ),
    Case(
        "truth of a text that is not there",
        "attribution",
        "p1/ground-truth.json: truth names a text that does not exist",
        collection(
            p1__ground_to_truth_dot_json=json.dumps(
                [{"unknown-text": "unknown00009.txt", "true-author": "candidate00001"}]
            )
        ),
    ),
    Case(
        "truth without an author",
        "attribution",
        "p1/ground-truth.json: a line of truth is incomplete",
        collection(p1__ground_to_truth_dot_json=json.dumps([{"unknown-text": "unknown00001.txt"}])),
    ),
]


def made(**values: object) -> dict[str, str]:
    """A table of one rewriting made elsewhere, some of its fields other than usual."""
    return {"r.jsonl": json.dumps({"id": "essay", "text": "Some other words."} | values) + "\n"}


REWRITINGS = [
    Case("parts that are no JSON", "parts", "p.json:1: not JSON", {"p.json": "["}),
    Case("parts nested too deep", "parts", "p.json: not JSON", {"p.json": DEEP}),
    Case("parts that are an object", "parts", "p.json: not a list of parts", {"p.json": "{}"}),
    Case("a part that is a text", "parts", "p.json: not a part", {"p.json": '["a"]'}),
    Case("a part without a number", "parts", "p.json: not a part", {"p.json": parts(part("one"))}),
    Case(
        "a part without an original",
        "parts",
        "p.json: not a part",
        {"p.json": parts(part(original=None))},
    ),
    Case(
        "a number twice",
        "parts",
        "p.json: duplicate obfuscation-id 1",
        {"p.json": parts(part(), part())},
    ),
    Case(
        "parts in UTF-16",
        "parts",
        "p.json: the text is in UTF-16",
        {"p.json": parts(part()).encode("utf-16")},
    ),
    Case(
        "a part that is not in the original",
        "parts",
        "p.json: part 1 does not follow in the original",
        {"p.json": parts(part(original="Else."))},
    ),
    Case(
        "parts that end too early",
        "parts",
        "p.json: the parts end before the original ends",
        {"p.json": parts(part(original=TEXT[:20]))},
    ),
    Case(
        "half a character in a rewriting",
        "parts",
        "p.json: part 1 is not valid Unicode: it contains a lone surrogate",
        {"p.json": parts(part(obfuscation=LONE))},
    ),
    Case("no file at all", "parts", "p.json: cannot be read", {}, "p.json"),
    Case("another text's rewriting", "rewritten", "rewrites another text", made(original="Else.")),
    Case("another text's hash", "rewritten", "hash differs", made(original_sha256="00")),
    Case("a rewriting without words", "rewritten", "no words", made(text=" ")),
    Case(
        "a rewriting ten times as long",
        "rewritten",
        "words, but the original has",
        made(text="word " * 5000),
    ),
    Case(
        "a rewriting in another language",
        "rewritten",
        "another language",
        made(text="der Hund und die Katze sind nicht in dem Haus mit dem Garten aber bei uns " * 6),
    ),
    Case(
        "a rewriting of a stranger",
        "rewritten",
        "no rewriting for 1 of 1 text",
        made(id="nobody"),
    ),
    Case(
        "two rewritings of one text",
        "rewritten",
        "duplicate id",
        {"r.jsonl": 2 * made()["r.jsonl"]},
    ),
    Case(
        "rewritings in UTF-16",
        "rewritten",
        "UTF-8",
        {"r.csv": "id,text\nessay,a\n".encode("utf-16")},
    ),
    Case("a folder without rewritings", "rewritten", "no rewritings", {"readme.md": "None."}, ""),
    Case("a review cut short", "reviews", "a.json", {"a.json": '{"review": 1, "id'}, ""),
    Case(
        "reviews in a folder of other files", "reviews", "no review found here", {"a.txt": TEXT}, ""
    ),
]
