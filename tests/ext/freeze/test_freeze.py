"""Frozen problems: rebuilt from another copy, cited by one digest, and what differs is named document by document."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner

import ravenbench
from ravenbench.cli.main import build
from ravenbench.errors import CorpusError, FormatError, InputError, RavenError, remarks_gathered
from ravenbench.ext.freeze.copies import match
from ravenbench.ext.freeze.frozen import Source, SourcePart, read_manifest, text_key
from ravenbench.ext.freeze.manifests import freeze, manifest_of, thaw, write_manifest
from ravenbench.problems.sources import given
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.reading.problems import read_problem_sets
from ravenbench.tasks.attribute.task import Attribute
from ravenbench.testing import toy_problems
from ravenbench.texts import TextTable
from ravenbench.types import Labels, Problems
from small_run import SMALL

pytestmark = pytest.mark.usefixtures("undrawn")

KINDS = ("missing", "changed", "extra", "other order", "other author")
SPEC = {**SMALL, "verifiers": "length"}
CORPUS = SPEC["corpus"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("frozen")


@pytest.fixture(scope="module")
def run(folder):
    return ravenbench.run(**SPEC, out=folder / "run", workers=1).store


@pytest.fixture(scope="module")
def manifest(folder, run):
    return freeze(run, folder / "split.json", corpus=CORPUS)


@pytest.fixture(scope="module")
def corpus():
    return ravenbench.load_corpus(CORPUS)


def with_texts(corpus, texts, **more):
    return replace(corpus, texts=TextTable.collect(texts)[0], **more)


def raven(*arguments):
    return CliRunner().invoke(build(arguments[0]), [str(a) for a in arguments])


def told(thawed, *kinds):
    return [tuple(one) for one in thawed.differences if one.kind in kinds]


def test_the_very_folds_come_back(manifest, corpus, run):
    thawed = thaw(manifest, corpus)
    assert thawed.exact and not thawed.lacking and not thawed.differences
    assert len(thawed.folds) == len(run.plan.folds) > 0
    for fold in thawed.folds:
        own = run.fold(fold.name)
        assert fold.train_digest() == own.train_digest() and fold.test.digest() == own.test.digest()
        assert np.array_equal(fold.test_same, own.test_same)


def test_one_digest_for_the_same_problems(manifest, run, folder):
    hidden = freeze(run, names="hashed")
    assert (
        hidden.digest
        == manifest.digest
        == freeze([run.fold(name) for name in run.plan.folds]).digest
    )
    text = json.dumps(hidden.columns["author"].names + hidden.columns["topic"].names + hidden.ids)
    assert not [name for name in (*run.labels["author"].names, *run.ids) if f'"{name}"' in text]
    assert freeze(run, truth=False).digest != manifest.digest, (
        "a manifest that tells no truth is another one"
    )
    assert manifest.digest in manifest.cited() and read_manifest(folder / "split.json") == manifest
    assert all(
        text[:40] not in (folder / "split.json").read_text() for text in run.texts.rows(range(5))
    )


@pytest.mark.parametrize("names", ["clear", "hashed"])
def test_what_differs_is_named_document_by_document(manifest, run, corpus, names, folder):
    frozen = manifest if names == "clear" else freeze(run, names=names, corpus=CORPUS)
    used = np.unique(np.concatenate([run.fold(name).train.documents for name in run.plan.folds]))
    gone, edited, renamed, blank = used[[3, 40, 80, 120]].tolist()
    texts = list(corpus.texts)
    for row in (edited, renamed):
        texts[row] = texts[row].replace(texts[row].split()[9], "otherwise", 1)
    texts[blank] += "  \n"
    keep = [row for row in range(len(texts)) if row != gone]
    ids = [f"{id} (copy)" if row == renamed else id for row, id in enumerate(corpus.ids)]
    keep[0], keep[1] = keep[1], keep[0]
    copy = with_texts(
        corpus,
        [*(texts[row] for row in keep), "A text that nobody froze, of a few words."],
        ids=(*(ids[row] for row in keep), "new"),
        author=ravenbench.Labels.of([*(corpus.author[r] for r in keep), "x"]),
        topic=ravenbench.Labels.of([*(corpus.topic[row] for row in keep), "x"]),
    )
    thawed = thaw(frozen, copy)
    clear = names == "clear"
    lost, moved = told(thawed, "missing"), told(thawed, "other order")
    gone_or_renamed = [corpus.ids[gone], corpus.ids[renamed]]
    assert [name for _, name, _ in lost] == gone_or_renamed if clear else len(lost) == 2
    changed = [detail for _, _, detail in told(thawed, "changed")]
    assert changed == ["" if clear else corpus.ids[edited]]
    assert {name for _, name, _ in told(thawed, "extra")} == {
        "new",
        f"{corpus.ids[renamed]} (copy)",
    }
    assert len(moved) <= 1
    assert keep.index(blank) in thawed.rows, (
        "in white space at its end alone it is the same document"
    )
    assert (
        thawed.lacking == sum(len(one) - len(kept.problems) for one, kept in pairs(run, thawed)) > 0
    )


def pairs(run, thawed):
    for name, kept in thawed.sets.items():
        fold, side = name.rsplit("/", 1)
        yield getattr(run.fold(fold), side), kept


def test_the_next_document_is_not_taken_for_one_that_is_missing(corpus):
    """Of the document that now stands in the place of the missing one, the manifest knows nothing."""
    problems, same = Problems.pairs(corpus.texts, [3, 3], [4, 6]), np.array([True, False])
    frozen = freeze(given(problems, same, problems, same, "one"))
    copy = Source(TextTable.collect(text for row, text in enumerate(corpus.texts) if row != 4)[0])
    (one,) = match(frozen, copy).differences
    assert one.kind == "missing"


def test_another_author_in_the_copy_is_told(manifest, corpus):
    used = manifest.ids[0]
    authors = [
        "somebody else" if id == used else corpus.author[row] for row, id in enumerate(corpus.ids)
    ]
    ((kind, name, detail),) = thaw(
        manifest, replace(corpus, author=ravenbench.Labels.of(authors))
    ).differences
    assert (kind, name) == ("other author", used) and detail.endswith("in the copy somebody else")


def test_texts_are_the_same_up_to_line_ends_and_blanks_there():
    assert text_key("One.\r\nTwo. \n\n") == text_key("\ufeffOne.\nTwo.") != text_key("One. Two.")
    assert text_key("caf\u00e9") == text_key("cafe\u0301")


def test_commands_write_refuse_and_write_in_part(folder, manifest, tmp_path):
    done = raven("thaw", folder / "split.json", CORPUS, "-o", tmp_path / "whole")
    assert done.exit_code == 0 and manifest.digest in done.output
    (found,) = read_problem_sets(tmp_path / "whole" / manifest.sets[0].name)
    assert len(found) == manifest.sets[0].problems and found.problems.author is not None
    fewer = CORPUS.replace("documents=240", "documents=230")
    done = raven("thaw", folder / "split.json", fewer, "-o", tmp_path / "part")
    assert "Raven writes nothing" in str(done.exception) and "missing: d00239" in done.output
    assert (
        not (tmp_path / "part").exists()
        and raven("thaw", folder / "split.json", fewer).exit_code == 2
    )
    with pytest.raises(InputError, match="Raven writes nothing"):
        thaw(manifest, fewer, tmp_path / "part")
    done = raven(
        "thaw", folder / "split.json", fewer, "-o", tmp_path / "part", "--partial", "--json"
    )
    assert done.exit_code == 0 and json.loads(done.stdout)["lacking"] > 0
    assert (tmp_path / "part" / manifest.sets[0].name / "pairs.jsonl").is_file()
    written = (folder / "split.json").read_bytes()
    done = raven("freeze", folder / "run", "-o", folder / "split.json", "--corpus", CORPUS)
    assert done.exit_code == 0 and (folder / "split.json").read_bytes() == written, "a repeat"
    done = raven("freeze", folder / "run", "-o", folder / "split.json", "--names", "hashed")
    assert done.exit_code != 0 and "exists" in str(done.exception), "a manifest may have been cited"
    done = raven("freeze", folder / "run", "-o", tmp_path / "again.json.gz")
    assert done.exit_code == 0 and freeze(folder / "run").digest in done.output
    assert read_manifest(tmp_path / "again.json.gz").digest == manifest.digest


def test_problems_are_frozen_as_they_are_and_thawed_from_any_copy(tmp_path):
    for split, seed in (("train", 1), ("test", 2)):
        write_pan_problems(tmp_path / "toy" / split, *toy_problems(8, known=2, seed=seed))
    frozen = freeze(tmp_path / "toy", truth=False)
    assert [one.name for one in frozen.sets] == ["toy/test", "toy/train"] and frozen.sets[
        0
    ].same is None
    thawed = thaw(frozen, tmp_path / "toy", tmp_path / "again")
    ids = toy_problems(8, known=2, seed=2)[0].ids.tolist()
    assert not thawed.lacking and thawed.sets["toy/test"].problems.ids.tolist() == sorted(ids)
    assert not (tmp_path / "again" / "toy" / "test" / "truth.txt").exists()
    (tmp_path / "toy" / "test" / ids[0] / "unknown.txt").write_text("quite another text")
    thawed = thaw(frozen, tmp_path / "toy")
    assert (
        thawed.lacking == 1
        and thawed.differences[0].document == f"toy/test: questioned document of {ids[0]}"
    )


def test_the_sides_of_a_search_are_thawed_from_its_files(tmp_path):
    texts = {
        "candidates": [f"text {i} by the author asked for" for i in range(3)],
        "queries": ["who wrote this"],
    }
    (tmp_path / "pool").mkdir()
    for side, own in texts.items():
        rows = [
            {"id": f"{side}{i}", "content": text, "author_id": "a"} for i, text in enumerate(own)
        ]
        (tmp_path / "pool" / f"{side}.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows)
        )
    run = ravenbench.retrieve(
        str(tmp_path / "pool"), methods="delta", content=0, out=tmp_path / "run", workers=1
    )
    # There is no other candidate that the true ones could be told from: AUC has no value, and the report is whole.
    assert ravenbench.write_report(run.store).is_file()
    frozen = freeze(run.store)
    thawed = thaw(frozen, tmp_path / "pool")
    assert (
        not thawed.lacking
        and list(thawed.splits["role"]).count("candidate") == 3
        and not thawed.differences
    )
    assert freeze(tmp_path / "pool", corpus=tmp_path / "pool").digest == frozen.digest
    place = tmp_path / "pool" / "candidates.jsonl"
    place.write_text("".join(place.read_text().splitlines(keepends=True)[:0:-1]))
    assert told(thaw(frozen, tmp_path / "pool"), *KINDS) == [("missing", "candidates0", "")]


def test_the_truth_of_a_search_is_checked_and_given_back(tmp_path):
    def pool(name, rotated):
        (tmp_path / name).mkdir()
        rows = {
            "queries": [
                {"query_id": f"q{i}", "content": f"query {i}", "lang": "en"} for i in range(3)
            ],
            "candidates": [
                {"candidate_id": f"c{i}", "content": f"candidate {i}"} for i in range(4)
            ],
            "ground_truth": [
                {"query_id": f"q{i}", "positive_ids": [f"c{(i + rotated) % 3}"]} for i in range(3)
            ],
        }
        for side, own in rows.items():
            (tmp_path / name / f"{side}.jsonl").write_text(
                "".join(json.dumps(row) + "\n" for row in own)
            )
        return tmp_path / name

    right, wrong, place = pool("right", 0), pool("wrong", 1), tmp_path / "m.json"
    frozen = freeze(right, place)
    planned = [
        raven("retrieve", where, "--methods", "words", "--frozen", place, "--plan")
        for where in (right, wrong)
    ]
    assert planned[0].exit_code == 0 and "other truth: q" in str(planned[1].exception)
    assert [raven("thaw", place, where).exit_code for where in (right, wrong)] == [0, 2]
    assert sorted(name for _, name, _ in thaw(frozen, wrong).differences) == ["q0", "q1", "q2"]
    thaw(frozen, wrong, tmp_path / "again")
    assert freeze(tmp_path / "again").digest == frozen.digest != freeze(wrong).digest
    assert '"language": "en"' in (tmp_path / "again" / "queries.jsonl").read_text()
    assert not freeze(right, truth=False).sets


def test_a_corpus_without_topics_names_what_freeze_takes(tmp_path):
    for number in range(4):
        (tmp_path / f"{'ab'[number % 2]}_{number}.txt").write_text(f"a text of its own {number}")
    with pytest.raises(CorpusError, match=r"Raven cannot draw a split here[\s\S]*--column"):
        freeze(tmp_path)


def test_texts_repeated_across_parts_and_parts_in_two_spellings_are_said(tmp_path, corpus):
    lines = [
        {
            "id": d.id,
            "text": d.text,
            "author": d.author,
            "part": ("train", "training", "test")[i % 3],
        }
        for i, d in enumerate(corpus)
    ]
    lines.append({**lines[0], "id": "again", "text": lines[0]["text"].upper(), "part": "test"})
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with remarks_gathered() as said:
        freeze(tmp_path / "c.jsonl", column="part")
    sentences = [str(one) for one in said]
    assert any("two parts repeat each other" in one and "again (test)" in one for one in sentences)
    assert any("parts that may be the same: train / training" in one for one in sentences), (
        sentences
    )


def test_a_column_is_a_split_and_so_are_the_protocols_of_an_attribution(tmp_path, corpus):
    table = tmp_path / "c.jsonl"
    lines = [
        {"id": d.id, "text": d.text, "author": d.author, "role": "query" if i % 5 else "candidate"}
        for i, d in enumerate(corpus)
    ]
    table.write_text("".join(json.dumps(line) + "\n" for line in lines))
    frozen = freeze(table, column="role")
    assert not thaw(frozen, table, tmp_path / "out").lacking
    again = [
        json.loads(line) for line in (tmp_path / "out" / "documents.jsonl").read_text().splitlines()
    ]
    assert [(one["id"], one["role"]) for one in again] == [
        (one["id"], one["role"]) for one in lines
    ]
    given = {
        "corpus": str(table),
        "topic": "none",
        "protocol": "k-fold",
        "methods": "topic-words",
        "folds": 2,
    }
    Attribute({**given, "out": str(tmp_path / "run")}).prepare()
    held = thaw(freeze(tmp_path / "run"), table).splits["k-fold"]
    assert len(set(held) - {None}) == 2


def test_a_run_checks_before_it_computes(folder, manifest, tmp_path):
    place = folder / "split.json"
    ravenbench.run(**SPEC, out=folder / "run", frozen=place, workers=1)
    fewer = {"corpus": CORPUS.replace("documents=240", "documents=230")}
    for other, said in (({"seed": 3}, "seed 3, frozen with"), (fewer, "raven thaw MANIFEST")):
        with pytest.raises(
            InputError, match=rf"these problems differ from the frozen problems[\s\S]*{said}"
        ):
            ravenbench.run(**{**SPEC, **other}, out=tmp_path / "run", frozen=place, workers=1)
        assert not (tmp_path / "run").exists()
    planned = raven(
        "verify", "length", "--frozen", place, "--train", folder, "--test", folder, "--plan"
    )
    assert isinstance(planned.exception, RavenError)


def test_given_problems_are_checked_by_other_tasks_too(tmp_path):
    for split, seed in (("train", 1), ("test", 2)):
        write_pan_problems(tmp_path / "toy" / split, *toy_problems(8, known=2, seed=seed))
    freeze(tmp_path / "toy", tmp_path / "toy.json")
    given = (
        "--train",
        tmp_path / "toy",
        "--test",
        tmp_path / "toy",
        "--frozen",
        tmp_path / "toy.json",
        "--plan",
    )
    given += ("--probe", "none")
    assert raven("verify", "length", *given).exit_code == 0
    (tmp_path / "toy" / "test" / "truth.txt").write_text(
        (tmp_path / "toy" / "test" / "truth.txt").read_text().replace(" Y", " N", 1)
    )
    assert "different: toy/test" in str(raven("verify", "length", *given).exception)


def test_a_damaged_manifest_and_a_folder_are_refused(folder, tmp_path):
    """Hostile ones stand in ``tests/ext/freeze/manifests.py``."""
    (tmp_path / "m.json").write_text(
        (folder / "split.json").read_text().replace('"seed": 0', '"seed": 1')
    )
    with pytest.raises(FormatError, match="not a complete manifest"):
        read_manifest(tmp_path / "m.json")
    with pytest.raises(InputError, match="file or folder not found"):
        read_manifest(tmp_path / "nothing.json")
    with pytest.raises(
        InputError, match=r"this is a folder, not a manifest[\s\S]*raven thaw MANIFEST CORPUS"
    ):
        read_manifest(tmp_path)


SHIPPED = Path(ravenbench.__file__).parents[2] / "docs" / "data"


def test_a_manifest_with_sketches_of_its_texts_is_still_read():
    manifest = read_manifest(SHIPPED / "pan14-du_essays.json.gz")
    assert (
        isinstance(manifest.sketches, str)
        and freeze(given(*2 * toy_problems(4), "new")).sketches is msgspec.UNSET
    )


def test_a_shipped_manifest_finds_the_one_document_that_was_changed(pan14, tmp_path):
    with zipfile.ZipFile(pan14 / "du_essays.zip") as archive:
        archive.extractall(tmp_path)
    thawed = thaw(SHIPPED / "pan14-du_essays.json.gz", tmp_path / "du_essays")
    assert (
        not thawed.lacking
        and thawed.exact
        and sum(len(one.problems) for one in thawed.sets.values()) == 192
    )
    place = min((tmp_path / "du_essays" / "test").glob("*/unknown.txt"))
    place.write_text(place.read_text("utf-8-sig").replace("e", "3", 4), encoding="utf-8")
    done = raven("thaw", SHIPPED / "pan14-du_essays.json.gz", tmp_path / "du_essays")
    assert done.exit_code == 2 and "missing: du_essays/test: questioned document of" in done.output


@pytest.mark.parametrize("place", sorted(SHIPPED.glob("*.json.gz")), ids=lambda place: place.name)
def test_shipped_manifests_are_whole_and_hold_no_text(place):
    manifest = read_manifest(place)
    assert manifest.counts["documents"] > 100 and manifest.digest in manifest.cited()


@pytest.mark.parametrize("split", ["author", "../x", "a b"])
def test_sets_with_a_split_that_is_no_role_are_refused(tmp_path, split):
    problems, same = toy_problems(4, known=1, words=40, seed=1)
    labels = Labels.of(["a"] * len(problems.texts))
    source = Source(
        problems.texts, None, {}, [SourcePart("essays", problems, same)], {split: labels}, "essays"
    )
    write_manifest(manifest_of(source, "clear", None), tmp_path / "m.json")
    with pytest.raises(FormatError, match="one split called role"):
        read_manifest(tmp_path / "m.json")
