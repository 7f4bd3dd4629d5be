import json
import sys

import pytest
from typer.testing import CliRunner

from ravenbench import registry
from ravenbench.components import Component
from ravenbench.errors import InputError, remarks_gathered
from ravenbench.ext.corpora.summary import summarise
from ravenbench.reading import catalogue as cat
from ravenbench.reading.load import load_corpus
from ravenbench.reading.tables import read_table


class Toy(Component):
    name = "toy"

    def __init__(self, path: str = "", scale: int = 1) -> None:
        self.path, self.scale = path, scale

    def load(self):
        return read_table(self.path, name=f"toy{self.scale}")


@pytest.fixture
def table(tmp_path):
    rows = [
        {"text": f"text {i} {'w ' * i}", "author": "ab"[i % 2], "topic": "xyz"[i % 3]}
        for i in range(12)
    ]
    path = tmp_path / "my.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    return path


@pytest.fixture
def pairs(tmp_path):
    folder = tmp_path / "pan"
    folder.mkdir()
    with (folder / "pairs.jsonl").open("w") as p, (folder / "truth.jsonl").open("w") as t:
        for i, (a, b) in enumerate([("u", "u"), ("u", "v")]):
            p.write(
                json.dumps(
                    {"id": str(i), "fandoms": ["F", "G"], "pair": ["same first", f"other {i}"]}
                )
                + "\n"
            )
            t.write(json.dumps({"id": str(i), "same": a == b, "authors": [a, b]}) + "\n")
    return folder


def test_a_path_a_name_and_an_outsider(table, monkeypatch):
    assert len(load_corpus(table)) == len(load_corpus(str(table))) == 12
    assert load_corpus(table, name="n", topic=None).name == "n"
    monkeypatch.setattr(registry, "targets", lambda kind: {"toy": f"{__name__}:Toy"})
    monkeypatch.setitem(sys.modules, __name__, sys.modules[Toy.__module__])
    assert load_corpus(f"toy(path={str(table)!r}, scale=2)").name == "toy2"
    assert load_corpus("toy", path=str(table)).name == "toy1"
    assert load_corpus(f"{__name__}:Toy(path={str(table)!r})").name == "toy1"


def test_pairs_are_a_corpus(pairs):
    for path in (pairs, pairs / "pairs.jsonl"):
        corpus = load_corpus(path)
        assert [(d.id, d.author, d.topic) for d in corpus] == [
            ("0:0", "u", "F"),
            ("0:1", "u", "G"),
            ("1:1", "v", "G"),
        ]
        assert corpus.notes["dropped"]["repeated by the same author"] == 1


def test_what_is_not_a_corpus_is_explained(tmp_path, pairs, table):
    with pytest.raises(InputError, match="did you mean 'newsgroups'"):
        load_corpus("newsgroup")
    with pytest.raises(InputError, match="you must obtain"):
        load_corpus("pan20")
    with pytest.raises(InputError, match=r"did you mean '.*my\.jsonl'"):
        load_corpus(tmp_path / "mi.jsonl")
    with pytest.raises(InputError, match="contains truth"):
        load_corpus(pairs / "truth.jsonl")
    with pytest.raises(InputError, match="no option 'txt'"):
        load_corpus(table, txt="x")
    with pytest.raises(InputError, match="no texts by author found here"):
        (tmp_path / "empty").mkdir()
        load_corpus(tmp_path / "empty")
    (pairs / "truth.jsonl").write_text('{"id": "0", "same": true}\n')
    with pytest.raises(InputError, match="names no authors"):
        load_corpus(pairs)
    (pairs / "truth.jsonl").unlink()
    with pytest.raises(InputError, match="have no truth"):
        load_corpus(pairs)


@pytest.mark.data
def test_problem_sets_are_no_corpus(pan14):
    with pytest.raises(InputError, match="--train and --test"):
        load_corpus(pan14 / "du_essays.zip")


def test_a_folder_with_the_name_of_a_known_corpus_is_not_passed_over_in_silence(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for author in ("ann", "bob"):
        for text in ("one", "two"):
            file = tmp_path / "synthetic" / author / f"{text}.txt"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{author} wrote text {text} of these words")
    with remarks_gathered() as said:
        assert len(load_corpus("synthetic(authors=2, documents=8)")) > 4
    told = "Raven reads the known corpus synthetic; ./synthetic names the file or folder here"
    assert told in said
    with remarks_gathered() as said:
        assert len(load_corpus("./synthetic")) == 4
    assert told not in said


def test_the_catalogue_says_what_a_user_needs():
    entries = cat.catalogue()
    assert {"synthetic", "newsgroups", "pan14", "pan20", "ebg"} <= set(entries)
    for e in entries.values():
        assert e.licence and e.citation and e.instructions
        assert not (e.restricted and e.files)
        assert e.source is None or e.source in registry.names("corpus")
    with pytest.raises(InputError, match="did you mean 'pan14'"):
        cat.entry("pan-14")
    with pytest.raises(InputError, match=r"Raven cannot download[\s\S]*pan\.webis\.de"):
        cat.fetch("pan14")
    assert cat.fetch("synthetic") == "built in"
    assert cat.defaults("nothing(x=1)") == {}
    assert cat.defaults("newsgroups(min_words=80)")["levels"] == {
        "subtopic": "extract(within='group', clusters=5)"
    }


def test_a_named_corpus_brings_the_defaults_of_its_entry(table, monkeypatch):
    monkeypatch.setattr(registry, "targets", lambda kind: {"newsgroups": f"{__name__}:Toy"})
    assert load_corpus("newsgroups", path=str(table)).notes["defaults"]["m"] == 25


def test_summary_counts(table):
    s = summarise(load_corpus(table))
    assert (
        s["documents"],
        s["authors"]["total"],
        s["authors"]["across"],
        s["topics"]["total"],
    ) == (12, 2, 2, 3)
    assert s["pairs"] == {"same_author": 30, "same_author_same_topic": 6}
    assert s["words"]["total"] == 2 * 12 + sum(range(12))


def _raven(*arguments):
    from ravenbench.ext.corpora.command import app

    result = CliRunner().invoke(app, list(map(str, arguments)))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def test_names_are_shown_as_they_are(tmp_path):
    path = tmp_path / "odd.jsonl"
    topics = ["[faq] engines", "[/b]", ":smile:"]
    rows = [{"text": f"text {i}", "author": "ab"[i % 2], "topic": topics[i % 3]} for i in range(12)]
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    shown = _raven("info", path)
    assert all(topic in shown for topic in topics)


def test_the_command(table, pairs, tmp_path):
    names = [row["name"] for row in json.loads(_raven("list", "--json"))["corpora"]]
    assert "newsgroups" in names
    for arguments in (["list"], ["info", table], ["info", "pan14"], ["info", pairs]):
        assert max(map(len, _raven(*arguments).splitlines())) <= 110
    assert json.loads(_raven("info", "pan14", "--json"))["corpus"] is None
    assert "same-author pairs" in _raven("info", table)
    out = tmp_path / "deep" / "out"
    assert (
        json.loads(_raven("import", table, "-o", out, "--name", "mine", "--json"))["corpus"]["name"]
        == "mine"
    )
    assert load_corpus(out).name == "mine"
    _raven("import", table, "-o", out)
    (out / "mine.txt").write_text("a note of the user's")
    with pytest.raises(InputError, match="this file is in a folder that Raven wrote"):
        _raven("import", table, "-o", out)
    assert json.loads(_raven("fetch", "synthetic", "--json"))["place"] == "built in"


def test_truth_of_other_pairs_says_so(pairs):
    records = [
        json.loads(line) | {"id": f"other {n}"}
        for n, line in enumerate((pairs / "truth.jsonl").open())
    ]
    (pairs / "truth.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    with pytest.raises(InputError, match="does not contain any of these pairs"):
        load_corpus(pairs)
