"""Readers for large collections, on small files of the form that each is published in."""

from __future__ import annotations

import gzip
import html
import json

import pytest

from ravenbench.corpora.load import load_corpus
from ravenbench.errors import FormatError, MissingPart
from ravenbench.testing import check_corpus


def lines(*records):
    return "".join(json.dumps(one) + "\n" for one in records)


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def read(name, path, **parameters):
    more = "".join(f", {key}={value!r}" for key, value in parameters.items())
    corpus = load_corpus(f"{name}(path={str(path)!r}{more})")
    check_corpus(corpus)
    return corpus


def test_authbench_is_a_corpus_whose_queries_have_the_authors_of_the_truth(tmp_path):
    def one(kind, number, author, lang, text):
        named = {} if author is None else {"author_id": author}
        return {f"{kind}_id": number, **named, "lang": lang, "genre": "blog", "content": text, "source": "exorde"}

    place = write(
        tmp_path / "ab",
        {
            "test/candidates.jsonl": lines(
                one("candidate", "c1", "a1", "en", "one text"),
                one("candidate", "c2", "a2", "de", "ein Text"),
                one("candidate", "c3", "a1", "en", "one more"),
            ),
            "test/queries.jsonl": lines(
                one("query", "q1", None, "en", "a query"), one("query", "q2", None, "en", "no truth")
            ),
            "test/ground_truth.jsonl": lines({"query_id": "q1", "positive_ids": ["c1", "c3"], "author_id": "a1"}),
            "README.md": "x",
        },
    )
    corpus = read("authbench", place)
    assert corpus.ids == ("test/c1/candidate", "test/c2/candidate", "test/c3/candidate", "test/q1/query")
    assert [*corpus.author] == ["a1", "a2", "a1", "a1"] and [*corpus.language] == ["en", "de", "en", "en"]
    assert [*corpus.columns["role"]][2:] == ["candidate", "query"] and corpus.columns["source"][0] == "exorde"
    assert corpus.notes["left alone"] == {"other files": 1, "queries without truth": 1}
    assert corpus.notes["whole collection"]["documents"] == {"expected": 428_150, "found": 4}
    write(place, {"test/candidates.jsonl": lines({"candidate_id": "c1", "text": "?"})})
    with pytest.raises(
        FormatError, match=r"candidates.jsonl:1: this record is none of authbench[\s\S]*a field content"
    ):
        read("authbench", place)


def test_amazon_reviews_of_three_publications(tmp_path):
    old = {
        "reviewerID": "A1",
        "asin": "B1",
        "reviewText": "Good &amp; cheap",
        "overall": 5.0,
        "unixReviewTime": 1390000000,
    }
    new = {
        "user_id": "A2",
        "parent_asin": "B2",
        "text": "Broke",
        "title": "?",
        "rating": 1.0,
        "timestamp": 1588687728923,
    }
    endless = f"Again &#{'9' * 5000};"  # a number that Python does not read
    reviews = lines(old, {**old, "reviewText": ""}, {**old, "reviewText": endless})
    place = write(
        tmp_path,
        {
            "reviews_Video_Games_5.json.gz": gzip.compress(reviews.encode()),
            "Books.jsonl": lines(new),
            "meta_Books.jsonl": "{}",
        },
    )
    corpus = read("amazon-reviews", place)
    assert [*corpus.topic] == ["Books", "Video_Games", "Video_Games"] and corpus.texts[1] == "Good & cheap"
    assert corpus.texts[2] == endless
    assert [*corpus.columns["date"]] == ["2020-05-05", "2014-01-17", "2014-01-17"]
    assert corpus.notes["left alone"] == {"of fewer than 1 words": 1, "other files": 1}
    whole = (place / "reviews_Video_Games_5.json.gz").read_bytes()
    for damaged in (whole[:60], gzip.compress(b"{'reviewerID': 'A1'}\n")):
        (place / "reviews_Video_Games_5.json.gz").write_bytes(damaged)
        with pytest.raises(FormatError, match=r"Games_5.json.gz:1: (cannot be read|this line is not JSON)"):
            read("amazon-reviews", place)


def comment(number, author, body, forum="books"):
    return {"id": number, "author": author, "subreddit": forum, "body": body, "created_utc": "1420070400"}


def test_reddit(tmp_path):
    dump = lines(
        comment("1", "u", "I read it &gt; twice"),
        comment("2", "[deleted]", "gone now here"),
        comment("3", "u", "again and again"),
        comment("4", "v", "seen at last", "Movies"),
        comment("5", "v", "short"),
        comment("6", "w", "half a \ud800 character"),
        comment("7", "x", "of no concern", "pics"),
    )
    post = {
        "id": "1",
        "author": "v",
        "subreddit": "books",
        "selftext": "my own question",
        "title": "t",
        "created_utc": 1,
    }
    place = write(tmp_path, {"RC_2015-01.jsonl": dump, "RS_2015-01.json": lines(post)})
    corpus = read("reddit", place, subreddits="Books, movies", least=3)
    assert corpus.ids == ("comment/1", "comment/3", "comment/4", "submission/1")
    assert corpus.texts[0] == "I read it > twice" and [*corpus.topic] == ["books", "books", "Movies", "books"]
    assert [*corpus.columns["date"]][:3] == ["2015-01-01"] * 3
    assert corpus.notes["left alone"] == {
        "deleted, or by AutoModerator": 1,
        "in other subreddits": 1,
        "not valid Unicode": 1,
        "of fewer than 3 words": 1,
    }


def test_files_packed_by_zstandard(tmp_path, need_extra):
    zstandard = need_extra("zstandard")
    dump = lines(*(comment(str(i), f"u{i % 2}", f"comment number {i} of them") for i in range(2000))).encode()
    half = zstandard.compress(dump[: len(dump) // 2]) + zstandard.compress(dump[len(dump) // 2 :])
    place = write(tmp_path, {"RC_2015-01.zst": half}) / "RC_2015-01.zst"
    assert len(read("reddit", place, least=1)) == 2000
    place.write_bytes(half[:-9])
    with pytest.raises(FormatError, match=r"RC_2015-01.zst:\d+: (cannot be read|this line is not JSON)"):
        read("reddit", place)
    place.write_bytes(b"no such thing")
    with pytest.raises(FormatError, match="cannot be read"):
        read("reddit", place)


def test_without_the_extra_a_packed_file_names_the_command(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    with pytest.raises(MissingPart, match="collections"):
        read("reddit", write(tmp_path, {"RC_2015-01.zst": b"x"}))


POST = '  <row Id="{}" PostTypeId="{}" OwnerUserId="{}" CreationDate="2010-01-02T03:04:05.6" Body="{}" {}/>\n'
HEAD = '\ufeff<?xml version="1.0" encoding="utf-8"?>\n<posts>\n'


def test_stack_exchange(tmp_path):
    body = html.escape("<p>Why is <b>this</b> so?</p><pre><code>x = 1</code></pre>\n<p>A &amp; B</p>").replace(
        "\n", "&#xA;"
    )
    rows = POST.format(1, 1, 7, body, 'Tags="&lt;cats&gt;&lt;dogs&gt;" ') + POST.format(
        2, 2, 8, "Because it is", 'ParentId="1" '
    )
    rows += POST.format(3, 2, 7, "It is not", 'ParentId="1" ') + '  <row Id="4" PostTypeId="2" Body="of nobody" />\n'
    rows += POST.format(5, 5, 7, "a tag wiki", "")
    place = write(tmp_path / "dump", {"pets/Posts.xml": f"{HEAD}{rows}</posts>\n", "pets/Users.xml": "<users/>"})
    corpus = read("stack-exchange", place, least=1)
    assert corpus.ids == ("pets/1", "pets/2", "pets/3") and [*corpus.author] == ["pets/7", "pets/8", "pets/7"]
    assert corpus.texts[0] == "Why is this so?\n\nA & B" and [*corpus.topic] == ["cats"] * 3
    assert [*corpus.columns["kind"]] == ["question", "answer", "answer"] and corpus.columns["date"][0] == "2010-01-02"
    assert corpus.notes["left alone"] == {"neither question nor answer": 1, "of deleted accounts": 1, "other files": 1}
    for damage in ('<!DOCTYPE x [<!ENTITY a "aaaa">]>\n', '  <row Id="9" Body="&a;" />\n', '  <row Body="cut'):
        write(place, {"pets/Posts.xml": f"{HEAD}{rows}{damage}"})
        with pytest.raises(FormatError, match=r"Posts.xml:8: this (line is no post|row is not XML)"):
            read("stack-exchange", place)
