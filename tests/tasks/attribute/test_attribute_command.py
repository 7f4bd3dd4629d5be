"""``raven attribute`` from the outside."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from ravenbench.cli.main import build
from toy_topics import simulate

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "toy.jsonl"
    with path.open("w") as file:
        for d in simulate(authors=3, topics=3, docs=4, words=60):
            file.write(
                json.dumps({"id": d.id, "text": d.text, "author": d.author, "topic": d.topic})
                + "\n"
            )
    return path


def raven(*arguments):
    return CliRunner().invoke(build(arguments[0]), [*map(str, arguments)])


def test_table_and_json(table, tmp_path):
    arguments = (
        "attribute",
        table,
        "--methods",
        "nb,svm",
        "--workers",
        "1",
        "--out",
        tmp_path / "run",
    )
    planned = json.loads(raven(*arguments, "--plan", "--json").output)
    assert (planned["cells"], planned["done"], planned["problems"]) == (6, 0, {"novel-topic": 36})
    assert not (tmp_path / "run").exists()
    shown = raven(*arguments)
    assert shown.exit_code == 0, shown.output
    assert "Novel-topic cross-validation" in shown.output and "topics for 0.05" in shown.output
    page = tmp_path / "run" / "report" / "index.html"
    first = page.read_bytes()
    page.unlink()
    assert "6 of them done" in raven(*arguments, "--plan").output
    again = raven("report", tmp_path / "run")
    assert again.exit_code == 0 and page.read_bytes() == first
    both = ("--protocol", "both", "--out", tmp_path / "both", "--json")
    found = json.loads(
        raven("attribute", table, "--methods", "nb,svm", "--workers", "1", *both).output
    )
    assert found["protocol"] == "novel-topic" and len(found["pairs"]) == 1 and found["reliance"]
    assert found["corpus"]["documents"] == 36


@pytest.mark.data
def test_pan18(pan18, tmp_path):
    (archive,) = pan18.glob("*.zip")
    found = json.loads(
        raven("attribute", archive, "--methods", "cosine-delta", "--out", tmp_path, "--json").output
    )
    assert found["methods"][0]["mean"] > 0.3
    answers = json.loads((tmp_path / "answers-problem00002.json").read_text())
    assert len(answers) == 21 and set(answers[0]) == {"unknown-text", "predicted-author"}
    assert (
        "3 problems"
        not in (
            planned := raven("attribute", archive, "--methods", "cosine-delta", "--plan")
        ).output
    )
    assert planned.exit_code == 0 and "0 of them done" in planned.output
    rejected = json.loads(
        raven("attribute", archive, "--methods", "cosine-delta", "--reject", "0.9", "--json").output
    )
    assert rejected["methods"][0]["mean"] < found["methods"][0]["mean"]


def test_a_sampler_that_takes_too_few_topics_is_named(table):
    failed = raven(
        "attribute",
        table,
        "--sampler",
        "random",
        "--topics",
        "2",
        "--min-docs",
        "30",
        "--workers",
        "1",
    )
    assert failed.exit_code != 0
    assert "on the 2 topics that the sampler took" in str(failed.exception)
    assert "give more than 2 attribute.topics (a key" in str(failed.exception)


def test_a_corpus_without_topics_is_attributed_in_folds(table, tmp_path):
    rows = [json.loads(line) for line in table.read_text().splitlines()]
    bare = tmp_path / "bare.jsonl"
    bare.write_text(
        "".join(json.dumps({"text": r["text"], "author": r["author"]}) + "\n" for r in rows)
    )
    common = ("--methods", "nb", "--workers", "1", "--topic", "none", "--out", tmp_path / "bare")
    refused = raven("attribute", bare, *common)
    assert "needs topics" in str(refused.exception) and "--protocol k-fold" in str(
        refused.exception
    )
    shown = raven("attribute", bare, *common, "--protocol", "k-fold", "--folds", "3")
    assert shown.exit_code == 0, shown.output
    assert (tmp_path / "bare" / "report" / "index.html").is_file()
    folders = tmp_path / "authors"
    for number, row in enumerate(rows):
        (folders / row["author"]).mkdir(parents=True, exist_ok=True)
        (folders / row["author"] / f"{number}.txt").write_text(row["text"])
    mail = "From: a@example.org\nSubject: news\n\n> what is new?\n\n" + rows[0]["text"]
    (folders / rows[0]["author"] / "0.txt").rename(folders / rows[0]["author"] / "0.eml")
    (folders / rows[0]["author"] / "0.eml").write_text(mail)
    asked = (
        "attribute",
        folders,
        "--methods",
        "nb",
        "--workers",
        "1",
        "--protocol",
        "k-fold",
        "--folds",
        "3",
    )
    failed = raven(*asked, "--out", tmp_path / "none")
    assert "no document" in str(failed.exception) and "--topic none" in str(failed.exception)
    found = json.loads(
        raven(*asked, "--topic", "none", "--out", tmp_path / "none", "--json").output
    )
    assert found["corpus"]["documents"] == 36 and found["methods"][0]["accuracy"] > 0.35
    assert any(
        "0.eml" in sentence and "headers" in sentence for sentence in found["corpus"]["advice"]
    )
