"""Commands that stand within the documentation's sentences: they exist with their options, and the ways to give a
corpus that the tables name are taken."""

from __future__ import annotations

import re
import shlex

import pytest
from pages import PAGES, ROOT, command_of, is_here
from typer.testing import CliRunner

import extensions
from ravenbench.cli.main import build, commands
from ravenbench.reading.load import load_corpus

SPANS = sorted(
    {
        (str(page.relative_to(ROOT)), span)
        for page in PAGES
        for span in re.findall(
            r"`(raven [^`]+)`", re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
        )
        if is_here(span)
    }
)


@pytest.mark.parametrize(("page", "span"), SPANS, ids=lambda value: value)
def test_a_command_in_a_sentence_exists(page, span):
    words = shlex.split(span.replace("…", " "))[1:]
    if not words or words[0] in (
        "COMMAND",
        "--help",
        "lengths",
    ):  # the last is a task that a page has readers write
        return
    assert words[0] in commands(), f"{page}: there is no raven {words[0]}"
    command = command_of(words[0])
    if len(words) > 1 and words[1] in getattr(command, "commands", {}):
        command = command.commands[words[1]]
    options = {option for parameter in command.params for option in parameter.opts} | {"--help"}
    assert {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)} <= options, (
        f"{page}: {span}"
    )


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    """A folder of authors, stylo's names, a table and a kept corpus, none of them with topics, and one table with."""
    place = tmp_path_factory.mktemp("prose")
    documents = list(load_corpus("synthetic(authors=12, topics=4, documents=72, words=60)"))
    for name in ("letters", "texts"):
        (place / name).mkdir()
    rows = {"posts": ["author,topic,text"], "untold": ["author,text"]}
    for i, one in enumerate(documents):
        (place / "letters" / one.author).mkdir(exist_ok=True)
        (place / "letters" / one.author / f"letter{i}.txt").write_text(one.text, "utf-8")
        (place / "texts" / f"{one.author.replace('_', '')}_Title{i}.txt").write_text(
            one.text, "utf-8"
        )
        quoted = '"' + one.text.replace('"', '""') + '"'
        rows["posts"].append(f"{one.author},{one.topic},{quoted}")
        rows["untold"].append(f"{one.author},{quoted}")
    for name, lines in rows.items():
        (place / f"{name}.csv").write_text("\n".join(lines) + "\n", "utf-8")
    return place


def raven(place, monkeypatch, line):
    monkeypatch.chdir(place)
    words = shlex.split(line)[1:]
    return CliRunner().invoke(build(words[0]), words)


@pytest.mark.parametrize(
    "line",
    [
        "raven run letters/",
        "raven run texts/",
        "raven run letters/ --topic none",
        "raven run texts/ --topic none",
        "raven run untold.csv --topic none",
        "raven run posts.csv",
        "raven run posts.csv --topic none",
        *sorted(extensions.names("WAYS_TO_GIVE_A_CORPUS")),
    ],
)
def test_a_way_to_give_a_corpus_is_taken(corpora, monkeypatch, line):
    done = raven(corpora, monkeypatch, f"{line} --plan --verifiers length --probe transplant")
    assert done.exit_code == 0, done.output
    if "none" in line or line.endswith("/"):
        assert "Random" in done.output and "HITS  " not in done.output


def test_a_run_without_topics_tests_authors_that_it_did_not_learn_from(corpora, monkeypatch):
    done = raven(corpora, monkeypatch, "raven run texts/ --verifiers length --out run")
    assert done.exit_code == 0, done.output
    assert "Raven divides the authors into 6 groups" in " ".join(done.output.split())
    from ravenbench.store.store import Store

    plan = Store.open(corpora / "run").plan
    assert all(record.authors.both == 0 for record in plan.folds.values() if record.authors)
    page = (corpora / "run" / "report" / "index.html").read_text("utf-8")
    assert "Raven divides the authors into" in page and "in 6 groups of authors" in page
    assert "6 topics" not in page and "6 topics" not in done.output
    planned = raven(corpora, monkeypatch, "raven run texts/ --verifiers length --plan").output
    assert "in 6 groups of authors" in " ".join(planned.split()) and "6 topics" not in planned


def test_a_kept_corpus_without_topics(corpora, monkeypatch):
    done = raven(corpora, monkeypatch, "raven corpus import posts.csv --out kept --topic none")
    assert done.exit_code == 0, done.output
    assert raven(corpora, monkeypatch, "raven run kept --verifiers length --plan").exit_code == 0
