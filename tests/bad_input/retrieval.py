"""Malformed queries and candidates."""

from __future__ import annotations

import json

from bad_input.cases import LONE, Case


def lines(*rows: object) -> str:
    """Rows as JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows)


QUERIES = lines({"query_id": "q1", "content": "who wrote this one"})
CANDIDATES = lines(
    *(
        {"candidate_id": f"c{i}", "author_id": f"a{i}", "content": f"text {i} of a pool"}
        for i in (1, 2)
    )
)
TRUTH = lines({"query_id": "q1", "positive_ids": ["c1"], "author_id": "a1"})


def files(**changed: str) -> dict[str, str | bytes]:
    """Good files, some of them changed."""
    return {
        f"{name}.jsonl": text
        for name, text in (
            {"queries": QUERIES, "candidates": CANDIDATES, "ground_truth": TRUTH} | changed
        ).items()
        if text
    }


RETRIEVAL = [
    Case("no candidates", "retrieval", "candidates.jsonl not found", files(candidates=""), ""),
    Case(
        "a line that is no JSON",
        "retrieval",
        "queries.jsonl:1: this line is not JSON",
        files(queries="{"),
        "",
    ),
    Case(
        "a query without a text",
        "retrieval",
        "queries.jsonl:1: this line has no text",
        files(queries=lines({"query_id": "q1", "content": " "})),
        "",
    ),
    Case(
        "a text that is a number",
        "retrieval",
        "candidates.jsonl:1: this line has no text",
        files(candidates=lines({"candidate_id": "c1", "content": 7})),
        "",
    ),
    Case(
        "an id that stands twice",
        "retrieval",
        "candidates.jsonl:2: duplicate id",
        files(candidates=lines(*({"candidate_id": "c1", "content": "a text"} for _ in range(2)))),
        "",
    ),
    Case(
        "an id with half a character",
        "retrieval",
        "a name is not valid Unicode",
        files(queries=lines({"query_id": LONE, "content": "a text"})),
        "",
    ),
    Case(
        "a text with a NUL",
        "retrieval",
        "candidates.jsonl:1: the text contains a NUL character",
        files(candidates=lines({"candidate_id": "c1", "content": "a\0text"})),
        "",
    ),
    Case(
        "an author that is an object",
        "retrieval",
        "a name must be a text or a number",
        files(
            candidates=lines(
                {"candidate_id": "c1", "content": "a text", "author_id": {"name": "x"}}
            )
        ),
        "",
    ),
    Case(
        "truth that names no candidates",
        "retrieval",
        "this line does not say which candidates are true",
        files(ground_truth=lines({"query_id": "q1"})),
        "",
    ),
    Case(
        "truth of other candidates alone",
        "retrieval",
        "nothing to search for",
        files(ground_truth=lines({"query_id": "q1", "positive_ids": ["c7"]})),
        "",
    ),
    Case(
        "a text with half a character",
        "retrieval",
        "queries.jsonl:1: the text is not valid Unicode",
        files(queries=lines({"query_id": "q1", "content": f"a text {LONE}"})),
        "",
    ),
]
