import csv
import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ravenbench.errors import FormatError, InputError
from ravenbench.reading.load import open_corpus, save_corpus
from ravenbench.reading.tables import read_table

ROWS = [
    {
        "id": "d1",
        "text": 'een tekst,\n\nmet "regels"',
        "author": "ann",
        "topic": "cats",
        "year": 1999,
    },
    {"id": "d2", "text": "δεύτερο κείμενο", "author": "ann", "topic": "dogs", "year": None},
    {"id": "d3", "text": "third text", "author": "bob", "topic": "cats", "year": 2001},
]


def _write(path, rows):
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    elif path.suffix == ".parquet":
        pl.DataFrame(rows).write_parquet(path)
    else:
        with path.open("w", newline="", encoding="utf-8-sig") as file:
            writer = csv.DictWriter(
                file, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ","
            )
            writer.writeheader()
            writer.writerows(rows)
    return path


@pytest.mark.parametrize("ending", ["jsonl", "parquet", "csv", "tsv"])
def test_every_format_gives_the_same_corpus(tmp_path, ending):
    corpus = read_table(_write(tmp_path / f"c.{ending}", ROWS))
    assert [(d.id, d.text, d.author, d.topic) for d in corpus] == [
        (r["id"], r["text"], r["author"], r["topic"]) for r in ROWS
    ]
    assert list(corpus.columns["year"]) == ["1999", None, "2001"]
    assert corpus.at("year").topic.names == ("1999", "2001")


def _rows(**change):
    return [ROWS[0], ROWS[1] | change, ROWS[2]]


@pytest.mark.parametrize(
    "rows, message",
    [
        (_rows(text="  "), "c.jsonl:2: the text is empty"),
        (_rows(text=None), "c.jsonl:2: text is empty"),
        (_rows(text=3), "the text is not a string"),
        (_rows(author=None), "c.jsonl:2: author is empty"),
        (_rows(author=["x"]), "author is not a name"),
        (_rows(id="d1"), r"c.jsonl:2: duplicate id \(first used in line 1\)"),
        (_rows(text="bad \ud800"), "c.jsonl:2: the text is not valid Unicode"),
        (_rows(topic="CATS"), r"two topics differ only in letter case[\s\S]*--fold-case"),
        (_rows(author="eve"), "no author has two documents"),
        (ROWS[:2], "all documents have the same author"),
        (
            [{"text": "x", "autor": "a", "topic": "t"}],
            r"column 'author' not found[\s\S]*found: text \(1\), autor",
        ),
        (
            [{"text": "x", "Jahr": "1", "topic": "t"}],
            r"column 'author' not found[\s\S]*Jahr \(1\)[\s\S]*name it with --author COLUMN",
        ),
    ],
)
def test_a_bad_row_is_named(tmp_path, rows, message):
    with pytest.raises(InputError, match=message):
        read_table(_write(tmp_path / "c.jsonl", rows))


def test_files_that_are_not_what_they_say(tmp_path):
    real = _write(tmp_path / "c.parquet", ROWS)
    (tmp_path / "false.jsonl").write_bytes(real.read_bytes())
    (tmp_path / "false.parquet").write_text("text,author,topic\n")
    (tmp_path / "array.jsonl").write_text(json.dumps(ROWS))
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "cut.parquet").write_bytes(real.read_bytes()[:200])
    (tmp_path / "latin.csv").write_bytes("text,author,topic\nété,a,b\n".encode("latin-1"))
    (tmp_path / "ragged.csv").write_text("text,author,topic\na,b\n")
    (tmp_path / "quote.csv").write_text('text,author,topic\n"open,a,b\n')
    (tmp_path / "note.docx").write_text("x")
    for name, message in (
        ("false.jsonl", "not have the format of its name"),
        ("false.parquet", "not have the format of its name"),
        ("array.jsonl", "not a JSON object"),
        ("empty.csv", "the file is empty"),
        ("cut.parquet", "cannot read this Parquet file"),
        ("latin.csv", r"latin.csv:2: the text is not UTF-8[\s\S]*offset 18"),
        ("ragged.csv", r"ragged.csv:2: this row"),
        ("quote.csv", "not a CSV"),
        ("note.docx", "not a table"),
    ):
        with pytest.raises(FormatError, match=message):
            read_table(tmp_path / name)
    with pytest.raises(InputError, match="this is a folder, not a table"):
        read_table(tmp_path)
    with pytest.raises(InputError, match=r"did you mean '.*c\.parquet'"):
        read_table(tmp_path / "c.parqet")


def test_repeated_texts_are_dropped_and_counted(tmp_path):
    rows = [
        *ROWS,
        {"id": "r1", "text": " third  text ", "author": "bob", "topic": "dogs"},
        {"id": "s1", "text": "shared", "author": "ann", "topic": "cats"},
        {"id": "s2", "text": "shared", "author": "bob", "topic": "cats"},
        {"id": "s3", "text": "shared", "author": "ann", "topic": "cats"},
    ]
    corpus = read_table(_write(tmp_path / "c.jsonl", rows))
    assert corpus.ids == ("d1", "d2", "d3") and len(corpus.texts) == 3
    dropped = corpus.notes["dropped"]
    assert dropped["repeated by the same author"] + dropped["given for several authors"] == 4
    assert dropped["given for several authors"] >= 2


def test_topics_joined_columns_renamed_topics_absent(tmp_path):
    path = _write(
        tmp_path / "c.jsonl", [*_rows(topic="Cats "), ROWS[0] | {"id": "d9", "text": "more"}]
    )
    assert read_table(path, fold_case=True).topic.names == ("cats",)
    renamed = [{"body": r["text"], "who": i // 2, "topic": "t"} for i, r in enumerate(ROWS)]
    corpus = read_table(
        _write(tmp_path / "r.jsonl", renamed), text="body", author="who", topic=None, name="mine"
    )
    assert (
        corpus.name == "mine"
        and corpus.author.names == ("0", "1")
        and list(corpus.topic) == [None] * 3
    )
    assert corpus.ids == ("000000", "000001", "000002")


@settings(deadline=None, max_examples=20)
@given(
    st.lists(
        st.tuples(
            st.text("abc é\n", min_size=1).filter(str.strip),
            st.sampled_from("pqr"),
            st.sampled_from("xyz"),
        ),
        max_size=12,
    )
)
def test_an_imported_corpus_reads_back(tmp_path_factory, rows):
    place = tmp_path_factory.mktemp("i")
    sure = [("one", "p", "x"), ("two", "p", "y"), ("three", "q", "x")]
    table = [
        {"text": t + str(i), "author": a, "topic": s, "lang": s}
        for i, (t, a, s) in enumerate([*sure, *rows])
    ]
    corpus = read_table(_write(place / "c.jsonl", table), language="lang")
    saved = save_corpus(corpus, place / "out")
    again = open_corpus(place / "out")
    assert corpus.digest() == saved.digest() == again.digest()
    assert (
        again.texts.path is not None
        and list(again) == list(corpus)
        and dict(again.notes) == dict(corpus.notes)
    )


def test_an_altered_import_is_refused(tmp_path):
    save_corpus(read_table(_write(tmp_path / "c.jsonl", ROWS)), tmp_path / "out")
    save_corpus(read_table(tmp_path / "c.jsonl"), tmp_path / "out")
    (tmp_path / "out" / "documents.parquet").write_bytes(b"x")
    with pytest.raises(FormatError, match="altered"):
        open_corpus(tmp_path / "out")
    (tmp_path / "out" / "corpus.json").write_text("{}")
    with pytest.raises(FormatError, match=r"corpus.json"):
        open_corpus(tmp_path / "out")


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": 5},
        {"notes": "x"},
        {"notes": [1]},
        {"notes": {"dropped": [1]}},
        {"notes": {"left alone": {"a": {}}}},
        {"notes": {"whole collection": {"a": {"found": 1}}}},
        {"notes": {"what was left out": 5}},
        {"digest": None},
        {"notes": {"defaults": None}},
        {"notes": {"columns": True}},
    ],
)
def test_a_strangers_import_of_another_form_is_refused(tmp_path, wrong):
    save_corpus(read_table(_write(tmp_path / "c.jsonl", ROWS)), tmp_path / "out")
    about = tmp_path / "out" / "corpus.json"
    about.write_text(json.dumps({**json.loads(about.read_text()), **wrong}))
    with pytest.raises(FormatError, match="out"):
        open_corpus(tmp_path / "out")
