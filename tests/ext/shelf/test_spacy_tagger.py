"""Further replacements of content words in a whole run, and what they decide."""

import sys

import pytest

from ravenbench.errors import MissingPart, SpecError
from ravenbench.ext.shelf.spacy_tagger import SpacyTagger
from ravenbench.reports.content import content_json, content_sentence, replacements_table
from ravenbench.reports.report import analyse
from ravenbench.reports.view import value_of
from ravenbench.tasks.api import run
from ravenbench.verifiers.baselines import TopicOnly

pytestmark = pytest.mark.usefixtures("undrawn")


def test_names_never_decide_and_natural_words_decide_what_a_reader_of_grammar_loses(
    monkeypatch, tmp_path
):
    told = []

    def tags(self, texts, language):
        told.append(language)
        for text in texts:
            yield [(0, "word")] if text else []

    monkeypatch.setattr(SpacyTagger, "tags", tags)
    monkeypatch.setattr(SpacyTagger, "require", lambda self: None)
    monkeypatch.setattr(TopicOnly, "reads_grammar", True)
    done = run(
        "synthetic(authors=60, topics=12, documents=480, words=60)",
        topics=8,
        folds=2,
        pools=1,
        samplers="random",
        probe="transplant",
        replace="both",
        verifiers="topic-only, style-only",
        out=tmp_path / "run",
        workers=1,
    ).store
    assert told and done.run.spec["replace"] == "both"
    assert [bool(v.reads_grammar) for v in done.plan.verifiers] == [True, False]
    probe = analyse(done).content
    for row in probe.rows:
        by = {one.replacement: one for one in row.by_replacement}
        assert list(by) == ["fitted", "free", "names-only", "natural"]
        assert row.replacement in ("fitted", "free")
    topic, style = probe.row("topic-only"), probe.row("style-only")
    natural = next(one for one in topic.by_replacement if one.replacement == "natural")
    assert topic.decided == f"{topic.replacement}; drop by natural"
    assert topic.figures.drop == natural.figures.drop and topic.figures.swing is not None
    own = next(one for one in topic.by_replacement if one.replacement == topic.replacement)
    assert topic.figures.swing == own.figures.swing != natural.figures.swing
    assert "It reads grammar" in content_sentence(topic)
    assert style.decided == style.replacement and not style.natural
    assert "It reads grammar" not in content_sentence(style)
    assert {entry["decided_by"] for entry in content_json(probe)} == {topic.decided, style.decided}
    note = replacements_table(probe).note
    assert all(said in note for said in ("Fitted:", "Free:", "Names only:", "Natural:"))
    names = next(one for one in topic.by_replacement if one.replacement == "names-only")
    assert value_of(names.figures.drop) < value_of(natural.figures.drop)


def test_without_spacy_one_error_says_what_brings_it_before_any_work(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingPart, match=r"need spaCy(?s:.*)ravenbench\[masks\]"):
        run("synthetic", probe="transplant", replace="natural", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
    with pytest.raises(SpecError, match="replace"):
        run("synthetic", replace="nouns", out=tmp_path / "run")


def test_a_run_without_them_has_two(tmp_path):
    spec = {"topics": 8, "folds": 2, "pools": 1, "samplers": "random", "probe": "transplant"}
    corpus = "synthetic(authors=60, topics=12, documents=480, words=60)"
    done = run(corpus, verifiers="length", out=tmp_path / "run", workers=1, **spec).store
    (row,) = analyse(done).content.rows
    assert [one.replacement for one in row.by_replacement] == ["fitted", "free"]
    assert "replace" not in done.run.spec
