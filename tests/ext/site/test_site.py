"""``raven site``: leaderboards, systems and folds of several runs; a stranger's answers are checked first."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import ravenbench
from job_fixtures import drawing
from ravenbench import errors
from ravenbench.cli.main import build
from ravenbench.errors import RavenError
from ravenbench.ext.site.pages import MOST, site
from ravenbench.reading.answers import SystemAnswers, Truth
from ravenbench.reports.page import slugs
from ravenbench.statistics.axes import Content
from ravenbench.tasks.evaluate.api import with_late
from ravenbench.tasks.evaluate.report import write_evaluation


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("site")
    ravenbench.run(
        "synthetic(documents=300, authors=40, topics=8, words=60)",
        verifiers="char-ngram, style-only, length",
        topics=4,
        folds=2,
        pools=1,
        samplers="random",
        probe="transplant",
        out=place / "forum",
        workers=1,
    )
    return place


@pytest.fixture(scope="module")
def exported(folder):
    CliRunner().invoke(
        build("export"), ["export", str(folder / "forum"), "--out", str(folder / "folds")]
    )
    return folder / "folds"


def answer(exported: Path, out: Path, value: float) -> Path:
    for fold in json.loads((exported / "folds.json").read_text()):
        name = fold if isinstance(fold, str) else fold["fold"]
        pairs = next((exported / name).rglob("test/**/pairs.jsonl"), None) or next(
            p for p in (exported / name).rglob("pairs.jsonl") if "train" not in p.parts
        )
        (out / name).mkdir(parents=True)
        ids = [json.loads(line)["id"] for line in pairs.read_text().splitlines()]
        (out / name / "answers.jsonl").write_text(
            "".join(json.dumps({"id": i, "value": value}) + "\n" for i in ids)
        )
    return out


def test_pages_link_to_each_other_and_are_small(folder, tmp_path):
    truth = tmp_path / "truth.txt"
    truth.write_text("".join(f"EN{i:03d} {'YN'[i % 2]}\n" for i in range(40)))
    for name, step in (("good", 0.3), ("bad", 0.01)):
        lines = "".join(
            f"EN{i:03d} {0.5 + (step if i % 2 == 0 else -step) * (i % 5 != 0):.3f}\n"
            for i in range(40)
        )
        (tmp_path / f"{name}.txt").write_text(lines)
    done = CliRunner().invoke(
        build("evaluate"),
        [
            "evaluate",
            str(truth),
            str(tmp_path / "good.txt"),
            str(tmp_path / "bad.txt"),
            "--out",
            str(tmp_path / "task"),
        ],
    )
    assert done.exit_code == 0, done.output
    page = site([folder / "forum", tmp_path / "task"], tmp_path / "site", title="Mine")
    pages = {p.relative_to(page.parent).as_posix(): p for p in page.parent.rglob("*.html")}
    assert {
        "index.html",
        "boards/forum.html",
        "boards/task.html",
        "systems/char-ngram.html",
    } <= pages.keys()
    assert sum("boards/forum/" in name for name in pages) == 2
    for name, path in pages.items():
        text = path.read_text()
        assert (
            len(text.encode()) <= MOST
            and "Content-Security-Policy" in text
            and "://" not in text.split("</style>")[1]
        )
        for target in re.findall(r'href="([^"#]+)"', text):
            assert (path.parent / target).exists(), f"{name}: {target}"
    board = pages["boards/forum.html"].read_text()
    assert "Mine" in page.read_text() and any(outcome.value in board for outcome in Content)
    explained = {
        name: "Style left: AUC" in pages[f"boards/{name}.html"].read_text()
        for name in ("forum", "task")
    }
    assert explained == {"forum": True, "task": False}, (
        "a legend explains the columns of its own table"
    )
    first = {name: path.read_bytes() for name, path in pages.items()}
    site([folder / "forum", tmp_path / "task"], tmp_path / "site", title="Mine")
    assert first == {name: path.read_bytes() for name, path in pages.items()}


def test_a_strangers_answers_stand_beside_the_others(folder, exported, tmp_path):
    answers = answer(exported, tmp_path / "theirs", 0.7)
    page = site([folder / "forum"], tmp_path / "site", submitted={"<theirs>": answers})
    board = (page.parent / "boards" / "forum.html").read_text()
    assert "&lt;theirs&gt;" in board and "(submitted)" in board and "<theirs>" not in board


def test_wrong_answers_leave_the_site_as_it_was(folder, exported, tmp_path):
    page = site([folder / "forum"], tmp_path / "site")
    before = page.read_bytes()
    answers = answer(exported, tmp_path / "theirs", 0.7)
    fold = next(p for p in answers.iterdir() if "random" in p.name)
    (fold / "answers.jsonl").write_text('{"id": "nobody", "value": 0.4}\n')
    with pytest.raises(RavenError, match="nobody"):
        site([folder / "forum"], tmp_path / "site", submitted={"theirs": answers})
    shutil.rmtree(fold)
    with pytest.raises(RavenError, match=rf"theirs has no answers to 1 fold[\s\S]*{fold.name}"):
        site([folder / "forum"], tmp_path / "site", submitted={"theirs": answers})
    assert page.read_bytes() == before


def test_all_faults_of_a_submission_are_told_at_once_each_with_its_cure(folder, exported, tmp_path):
    answers = answer(exported, tmp_path / "theirs", 0.7)
    first, second, third, *_ = sorted(place for place in answers.iterdir() if place.is_dir())
    first.rename(answers / "folded")
    (second / "answers.jsonl").write_text('{"id": "nobody", "value": 0.4}\n')
    (third / "answers.jsonl").write_text('{"id": "x", "value": NaN}\n{"id": "y", "value": "0.4"}\n')
    with pytest.raises(RavenError, match="4 faults in the answers") as refusal:
        site([folder / "forum"], tmp_path / "site", submitted={"theirs": answers})
    told = str(refusal.value)
    for said in (
        "are not for any fold",
        "that truth does not contain",
        "the value is",
        "write the number without quotes",
    ):
        assert said in told, told
    assert told.count("fix: ") >= 3


def test_answers_that_would_stand_on_no_board_are_refused(folder, exported, tmp_path):
    """With several runs a folder is taken by its run's name; the board of an evaluation takes none."""
    answers = answer(exported, tmp_path / "theirs", 0.7)
    shutil.copytree(folder / "forum", tmp_path / "later")
    with pytest.raises(
        RavenError, match=r"late do not belong to any run of this site[\s\S]*theirs/forum/FOLD"
    ):
        site([folder / "forum", tmp_path / "later"], tmp_path / "site", submitted={"late": answers})
    evaluation = tmp_path / "evaluation"
    ids = ["a", "b", "c", "d"]
    truth = Truth(np.array(ids), np.array([True, False, True, False]))
    write_evaluation(
        ravenbench.evaluate(truth, {"x": [0.9, 0.1, 0.8, 0.3]}, replicates=10, trials=10),
        evaluation,
    )
    with pytest.raises(RavenError, match=r"did not keep its answers[\s\S]*--keep"):
        site([evaluation], tmp_path / "site", submitted={"late": answers})
    assert not (tmp_path / "site").exists()


def test_late_answers_to_an_evaluation_are_ranked_among_the_others(tmp_path, monkeypatch):
    rng, same = np.random.default_rng(0), np.arange(120) % 2 == 0
    truth = Truth(np.array([f"p{i}" for i in range(120)]), same)
    known = {
        name: np.clip(np.where(same, 0.6, 0.4) + rng.normal(0, 0.3, 120), 0, 1)
        for name in ("a", "b")
    }
    write_evaluation(
        ravenbench.evaluate(truth, known, replicates=50, trials=50),
        tmp_path / "task",
        keep_answers=True,
    )
    lines = [
        json.dumps({"id": f"p{i}", "value": 0.9 if same[i] else 0.1}) + "\n" for i in range(120)
    ]
    (tmp_path / "late.jsonl").write_text("".join(lines))
    late = {"<late>": tmp_path / "late.jsonl"}
    heard = list[str]()
    monkeypatch.setattr(errors, "LISTENERS", [heard.append])
    monkeypatch.setattr(errors, "REMARKED", set())
    (tmp_path / "few.jsonl").write_text("".join(lines[:90]))
    site([tmp_path / "task"], tmp_path / "few", submitted={"few": tmp_path / "few.jsonl"})
    assert any("few has no answer to 30 of the 120 problems" in one for one in heard), heard
    page = site([tmp_path / "task"], tmp_path / "site", submitted=late)
    rows = json.loads((page.parent / "downloads" / "task" / "leaderboard.json").read_text())
    assert (
        [row["system"] for row in rows[:1]] == ["<late>"]
        and rows[0]["rank"][0] == "1"
        and len(rows) > 3
    )
    truth = replace(truth, about="machines")
    apart = SystemAnswers(truth.ids, known["a"], "apart", same.astype(float))
    first = ravenbench.evaluate(truth, [apart], replicates=10, trials=10)
    write_evaluation(first, tmp_path / "other", keep_answers=True)
    again = with_late(tmp_path / "other", late)
    assert again.truth.words.yes == "machine", "what truth is about is kept"
    assert again.systems[0].scores["c@1"] == 1.0, "decisions that were given apart are kept"
    made = r"data [0-9a-f]{12}, Raven [\d.]+, answers [0-9a-f]{12}"
    assert all(re.fullmatch(made, row["made_with"]) and row["c@1_interval"] for row in rows[:3]), (
        rows
    )
    board = (page.parent / "boards" / "task.html").read_text()
    assert "(submitted)" in board
    assert re.search(
        r"changed because of later submissions \(&lt;late&gt;\): .*meta-mean \.\d+ before, \.\d+ now",
        board,
    )
    assert re.search(
        r'<th scope="row"><a href="systems/late.html">&lt;late&gt;</a>', page.read_text()
    )
    unchanged = site([tmp_path / "task"], tmp_path / "unchanged")
    assert (
        "because of later submissions"
        not in (unchanged.parent / "boards" / "task.html").read_text()
    )
    before = page.read_bytes()
    for text, said in (
        ('{"id": "nobody", "value": 1}\n', "nobody"),
        ("".join(lines[:-1]) + "{", "is not JSON"),
    ):
        (tmp_path / "late.jsonl").write_text(text)
        with pytest.raises(RavenError, match=said):
            site([tmp_path / "task"], tmp_path / "site", submitted=late)
    with pytest.raises(RavenError, match="has the same name"):
        site([tmp_path / "task"], tmp_path / "site", submitted={"a": tmp_path / "late.jsonl"})
    assert page.read_bytes() == before


OF_BOARDS = {
    "one system, two spellings": ("spelt", "systems whose names differ only in spelling: A / a"),
    "one evaluation twice": ("again", "the same results are on several leaderboards: again / task"),
    "submissions that were left out": (
        "faulty",
        "Raven leaves out broken: line 1: the value is a string",
    ),
    "one file under two names": (
        "twins",
        "These names have identical answers, and each counts as a system: a / b",
    ),
    "answers turned round": ("turned", "AUC is below .5: t"),
    "files that vanish": ("spare", "Raven did not read 1 file as answers: c.jsonl.bak"),
}
"""What evaluations have that a site shows: the folder of one, and what is said, on the terminal or on its board."""


@pytest.fixture(scope="module")
def evaluations(tmp_path_factory):
    place, same = tmp_path_factory.mktemp("boards"), np.arange(60) % 2 == 0
    truth = "".join(json.dumps({"id": f"p{i}", "same": bool(s)}) + "\n" for i, s in enumerate(same))
    (place / "truth.jsonl").write_text(truth)

    def lines(seed: int, turned: bool = False) -> str:
        values = np.random.default_rng(seed).uniform(0, 0.6, 60) + np.where(same != turned, 0.4, 0)
        return "".join(
            json.dumps({"id": f"p{i}", "value": v}) + "\n" for i, v in enumerate(values.tolist())
        )

    good = {"a.jsonl": lines(1), "b.jsonl": lines(2)}
    folders = {
        "task": good,
        "again": good,
        "spelt": {"A.jsonl": lines(3)},
        "twins": {"a.jsonl": lines(1), "b.jsonl": lines(1)},
        "faulty": {**good, "broken.jsonl": '{"id": "p0", "value": "high"}\n'},
        "turned": {"t.jsonl": lines(4, True)},
        "spare": {**good, "c.jsonl.bak": lines(5)},
    }
    for name, files in folders.items():
        (place / "answers" / name).mkdir(parents=True)
        for file, text in files.items():
            (place / "answers" / name / file).write_text(text)
        how = {"replicates": 50, "trials": 50, "skip_faulty": name == "faulty"}
        evaluation = ravenbench.evaluate(place / "truth.jsonl", place / "answers" / name, **how)
        with drawing():  # a site draws its own
            write_evaluation(evaluation, place / name, keep_answers=True)
    return place


@pytest.mark.parametrize("kind", OF_BOARDS)
def test_a_site_says_what_its_boards_have(evaluations, tmp_path, monkeypatch, kind):
    name, expected = OF_BOARDS[kind]
    heard = list[str]()
    monkeypatch.setattr(errors, "LISTENERS", [heard.append])
    monkeypatch.setattr(errors, "REMARKED", set())
    page = site([evaluations / "task", evaluations / name], tmp_path / "site")
    heard.append((page.parent / "boards" / f"{name}.html").read_text())
    assert any(expected in one for one in heard), heard
    plain = site([evaluations / "task"], tmp_path / "plain")
    assert not any(expected in text.read_text() for text in plain.parent.rglob("*.html"))


def test_what_is_no_run_is_refused(folder, tmp_path):
    with pytest.raises(RavenError, match="folder not found"):
        site([tmp_path / "nothing"], tmp_path / "site")
    shutil.copytree(folder / "forum", tmp_path / "forum")
    with pytest.raises(RavenError, match=r"the same name[\s\S]*forum, [\s\S]*rename one folder"):
        site([folder / "forum", tmp_path / "forum"], tmp_path / "site")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "report.json").write_text('{"kind": "simulate"}')
    with pytest.raises(RavenError, match=r"raven evaluate did not write this report"):
        site([tmp_path / "other"], tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_addresses_are_different_and_safe():
    assert list(slugs(["a b", "A.B", "../x", "ü"]).values()) == ["a-b", "a-b-2", "x", "x-2"]


def test_runs_of_other_verifiers_over_the_same_folds_share_a_board(folder, tmp_path):
    ravenbench.run(
        "synthetic(documents=300, authors=40, topics=8, words=60)",
        verifiers="ppm, function-words",
        topics=4,
        folds=2,
        pools=1,
        samplers="random",
        probe="transplant",
        out=tmp_path / "later",
        workers=1,
    )
    page = site([folder / "forum", tmp_path / "later"], tmp_path / "site")
    assert [p.name for p in (page.parent / "boards").glob("*.html")] == ["forum.html"]
    board = (page.parent / "boards" / "forum.html").read_text()
    assert all(
        f">{name}</a>" in board
        for name in ("char-ngram", "style-only", "length", "ppm", "function-words")
    )
    profile = (page.parent / "systems" / "ppm.html").read_text()
    assert "c@1 by words of the questioned text" in profile and profile.count("Style left") == 1


def test_seeds_of_a_method_are_one_entry_and_boards_of_one_corpus_have_own_titles(folder, tmp_path):
    rng = np.random.default_rng(0)
    truth = Truth(np.array([f"p{i}" for i in range(200)], dtype=object), np.arange(200) % 2 == 0)
    good = np.clip(np.where(truth.same, 0.8, 0.2) + rng.normal(0, 0.1, 200), 0, 1)
    systems = {f"net(seed={i})": np.clip(good + i / 50, 0, 1) for i in range(3)}
    systems |= {"other": np.clip(good + 0.01, 0, 1), "guess": rng.random(200)}
    write_evaluation(
        ravenbench.evaluate(truth, systems, replicates=100, trials=200),
        tmp_path / "task",
        "A <task>",
    )
    for name in ("again", "other"):
        shutil.copytree(folder / "forum", tmp_path / name)
    places = [tmp_path / "task", folder / "forum", tmp_path / "again"]
    page = site(places, tmp_path / "site")
    rows = json.loads((page.parent / "downloads" / "task" / "leaderboard.json").read_text())
    mean = np.mean(
        [s["c@1"] for s in json.loads((tmp_path / "task/report.json").read_text())["systems"][:3]]
    )
    by = {row["system"]: row for row in rows}
    assert {"net", "other", "guess"} <= set(by) and not any("seed" in name for name in by)
    assert (
        by["net"]["c@1"] == pytest.approx(mean) and by["net"]["rank"] == by["other"]["rank"] == "1="
    )
    own = (page.parent / "systems" / "net.html").read_text()
    assert all(f"net(seed={i})" in own for i in range(3)) and "3 seeds" in page.read_text()
    titles = re.findall(r'<h3><a href="boards/[^"]+">([^<]+)</a>', page.read_text())
    assert len(set(titles)) == len(titles) == 3 and "A &lt;task&gt;" in titles


def test_a_search_and_an_evaluation_stand_beside_each_other_and_every_row_says_what_it_is_made_of(
    folder, tmp_path
):
    found = ravenbench.retrieve(
        "synthetic(documents=120, authors=12, topics=4, words=40)",
        methods="delta",
        out=tmp_path / "search",
        workers=1,
    )
    roles = ravenbench.thaw(ravenbench.freeze(found.store), found.store.run.spec["source"]).splits[
        "role"
    ]
    assert list(roles).count("query") == 12 and list(roles).count("candidate") == 108
    truth = Truth(np.array([f"p{i}" for i in range(40)]), np.arange(40) % 2 == 0)
    same = truth.same + (np.arange(40) % 5 == 0) * (0.5 - truth.same)
    write_evaluation(
        ravenbench.evaluate(truth, {"theirs": same}, replicates=20, trials=20), tmp_path / "judged"
    )
    both = {"theirs": same, "worse": np.where(np.arange(40) < 9, 1 - same, same)}
    alarms = ravenbench.evaluate(truth, both, metrics=("fpr",), replicates=20, trials=20)
    write_evaluation(alarms, tmp_path / "alarms")
    index = site(
        [tmp_path / n for n in ("search", "judged", "alarms")] + [folder / "forum"],
        tmp_path / "site",
    )
    assert "Ordered by FPR" in (index.parent / "boards" / "alarms.html").read_text()
    ordered = json.loads((index.parent / "downloads" / "alarms" / "leaderboard.json").read_text())
    assert [row["system"] for row in ordered[:2]] == ["theirs", "worse"] and ordered[0][
        "fpr"
    ] < ordered[1]["fpr"]
    page = (index.parent / "boards" / "search.html").read_text()
    assert "Ordered by MRR" in page and "12 queries" in page and "problems, 0 of them" not in page
    assert str(tmp_path) not in page and "Success@8" in page and "unanswered" not in page
    raven, answers = (
        r"data [0-9a-f]{12}, Raven [\d.]+, method \d",
        r"data [0-9a-f]{12}, Raven [\d.]+, answers [0-9a-f]{12}",
    )
    for key, wanted in (("search", raven), ("forum", raven), ("judged", answers)):
        rows = json.loads((index.parent / "downloads" / key / "leaderboard.json").read_text())
        assert re.match(wanted, rows[0]["made_with"]), rows[0]
    place = index.parent / "downloads" / "search" / "leaderboard.json"
    ravenbench.retrieve(
        found.store.run.spec["source"], methods="words, delta", out=tmp_path / "late", workers=1
    )
    site(
        [tmp_path / "search", folder / "forum"],
        tmp_path / "site",
        submitted={"theirs": tmp_path / "late"},
    )
    rows = {row["system"]: row for row in json.loads(place.read_text())}
    assert (
        {"delta", "theirs"} <= set(rows)
        and rows["theirs"]["mrr_interval"]
        and "method" in rows["theirs"]["made_with"]
    )
    shutil.copytree(tmp_path / "search", tmp_path / "again")
    for folders, given, said in (
        ([tmp_path / "search"], tmp_path / "again", "has no method that search lacks"),
        ([folder / "forum"], tmp_path / "late", "theirs does not fit any leaderboard of this site"),
    ):
        with pytest.raises(RavenError, match=said):
            site(folders, tmp_path / "site", submitted={"theirs": given})
    row = json.loads(place.read_text())[0]
    assert (
        row["mrr_interval"][0] <= row["mrr"] <= row["mrr_interval"][1]
        and found.store.kind == "retrieve"
    )


def test_several_seeds_of_a_run_are_one_board(tmp_path):
    ravenbench.run(
        "synthetic(documents=200, authors=30, topics=6)",
        verifiers="length, char-ngram",
        samplers="random",
        folds=2,
        topics=4,
        pools=1,
        probe="none",
        seed=[0, 1],
        out=tmp_path / "seeds",
        workers=1,
    )
    page = site([tmp_path / "seeds"], tmp_path / "site")
    assert [p.name for p in (page.parent / "boards").glob("*.html")] == ["seeds.html"]
    board = (page.parent / "boards" / "seeds.html").read_text()
    assert "Means over 2 seeds" in board and board.count("(2 seeds)") == 2
    rows = json.loads((page.parent / "downloads" / "seeds" / "leaderboard.json").read_text())
    assert [row["system"] for row in rows] == ["char-ngram", "length"] and rows[0]["rank"][0] == "1"
    assert "references" in page.read_text()


def test_a_board_says_what_its_rows_stand_on(evaluations, tmp_path):
    """Each fault of what is left out, p-values, and hashes of answers that ``sha256sum`` gives."""
    bad = '{"id": "p0", "value": "high"}\n{"id": "p1", "value": 7}\n{"id": "p2", "value": null}\n'
    (tmp_path / "bad.jsonl").write_text(bad)
    answers = evaluations / "answers" / "task"
    given = [answers / "a.jsonl", answers / "b.jsonl", tmp_path / "bad.jsonl"]
    how = {"replicates": 50, "trials": 50, "skip_faulty": True}
    evaluation = ravenbench.evaluate(evaluations / "truth.jsonl", given, **how)
    with drawing():
        write_evaluation(evaluation, tmp_path / "task", keep_answers=True)
    late = {"late": answers / "a.jsonl"}
    page = site([tmp_path / "task"], tmp_path / "site", submitted=late)
    board = (page.parent / "boards" / "task.html").read_text()
    told = re.search(r"Raven leaves out bad: ([^<]*)<", board)[1]
    assert all(f"line {line}:" in told for line in (1, 2, 3)), told
    assert "p Holm" in board and "table-differences" in board
    rows = json.loads((page.parent / "downloads" / "task" / "leaderboard.json").read_text())
    made = {row["system"]: row["made_with"] for row in rows}
    for system, file in (("a", "a"), ("b", "b"), ("late", "a")):
        digest = hashlib.sha256((answers / f"{file}.jsonl").read_bytes()).hexdigest()
        assert made[system].endswith(f"answers {digest[:12]}")


def test_a_second_late_entry_takes_no_first_one_away(evaluations, tmp_path):
    late = evaluations / "answers" / "task" / "a.jsonl"
    page = site([evaluations / "task"], tmp_path / "site", submitted={"one": late})
    before = page.read_bytes()
    with pytest.raises(
        RavenError, match=r"are missing from this command[\s\S]*found: one[\s\S]*--submit one="
    ):
        site([evaluations / "task"], tmp_path / "site", submitted={"two": late})
    assert page.read_bytes() == before
    site([evaluations / "task"], tmp_path / "site", submitted={"one": late, "two": late})
    table = page.parent / "downloads" / "task" / "leaderboard.json"
    table.write_text("[1", "utf-8")
    with pytest.raises(RavenError, match="this file is not a leaderboard written by raven site"):
        site([evaluations / "task"], tmp_path / "site", submitted={"one": late})
    assert table.read_text("utf-8") == "[1", "nothing was written"
