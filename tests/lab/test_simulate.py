"""raven simulate: both axes on scorers of known reliance; small, repeatable, resumed, and every key of its contract."""

import json
import shutil

import numpy as np
import pytest
from benchmarks.lab.report import Share, SimulateReport, summarise
from benchmarks.lab.spec import SimulateSpec, build
from benchmarks.lab.task import Simulate
from benchmarks.lab.trials import Company, Trial, arrays_of, asked_apart, trial, trials_of
from benchmarks.lab.worlds import HIDDEN, LENGTHS, draw, functions, names
from typer.testing import CliRunner

from ravenbench.cli.main import build as commands
from ravenbench.errors import InputError, SpecError, StoreError
from ravenbench.problems.transplant import Transplanter
from ravenbench.randomness import Draws
from ravenbench.reading.load import load_corpus
from ravenbench.reports.report import analyse, write_report
from ravenbench.statistics.axes import Content
from ravenbench.statistics.content import ContentFigures
from ravenbench.statistics.estimates import Estimate
from ravenbench.store.store import Store
from ravenbench.tasks.functions import function_of

CORPUS = "synthetic(style=0.5, documents=1800, authors=150, topics=36, words=60)"
SMALLER = "synthetic(style=0.5, documents=540, authors=45, topics=18, words=40)"
SIZES = {
    "corpus": CORPUS,
    "doses": (0.3,),
    "pools": 1,
    "folds": 2,
    "repetitions": 5,
    "replicates": 2,
}
TINY = SimulateSpec(**SIZES)
simulate = function_of(Simulate)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return simulate(**SIZES, out=tmp_path_factory.mktemp("simulate") / "run", workers=1).store


@pytest.fixture(scope="module")
def found(store):
    return analyse(store)


def test_company_is_found_because_it_is_asked_apart():
    world = draw(TINY, 3)
    fold, corpus = world.folds[0], world.corpus
    made = Transplanter(
        corpus.texts, author=corpus.author, topic=corpus.topic, draws=Draws(3)
    ).transplant(fold.test)
    company = Company(functions(TINY, world))
    for problems in (made.on, made.off):
        apart = asked_apart(company, problems, made.plain) - asked_apart(
            company, made.plain, made.plain
        )
        assert (np.abs(apart).mean(axis=0) > 0.05).all()
    first = company.score(made.plain)
    for problems in (made.on, made.off, made.off2):
        np.testing.assert_allclose(
            company.score(problems), first, err_msg="it finds the original in one process"
        )


def raven(*arguments):
    return CliRunner().invoke(commands(arguments[0]), [str(a) for a in arguments])


def test_both_axes_answer_for_every_scorer(found):
    rows = {row.scorer: row for row in found.rows}
    assert list(rows) == names((0.3,))
    assert found.false_positives == Share(0, 8)
    assert rows["untrained topic"].content.flagged == Share(2, 2)
    assert rows["untrained topic"].domain.not_applicable == Share(2, 2), (
        "nothing is learned, so it does not apply"
    )
    assert rows["topic"].domain.flagged.count and rows["style-only"].domain.flagged.count == 0
    assert rows["topic"].content.figure.value > 0.1 > abs(rows["style"].content.figure.value)
    assert rows["texts .3"].domain is rows["style"].domain is None
    for name in HIDDEN:
        assert rows[name].content.less.count == 0, f"{name} goes by content and must not be cleared"
    for name in ("content", "content z", "content rank"):
        assert (
            rows[name].content.flagged == Share(2, 2)
            and abs(rows[name].style_left.value - 0.5) < 0.06
        )
    assert (
        rows["memory"].outcomes[Content.LOSES]
        == rows["both ways"].outcomes[Content.SWAYED]
        == Share(2, 2)
    )
    doses = {row.scorer: (row.dose, row.trained) for row in found.rows}
    assert doses["blend .3"] == (0.3, True) and doses["blend .3 untrained"] == (0.3, False)
    assert (
        doses["style"] == (0.0, None)
        and doses["topic"] == (1.0, True)
        and doses["function-words"] == (None, None)
    )


def test_json(store, found):
    made = SimulateReport(store, found).to_json()
    json.dumps(made, allow_nan=False)
    assert {
        "corpus",
        "replicates",
        "seeds",
        "margins",
        "scorers",
        "false_positives",
        "power",
    } <= set(made)
    assert made["seeds"] == [0, 1] and made["false_positive_rate"] == 0
    assert [d["dose"] for d in made["doses"]] == [0, 1, 1, 0.3, 0.3]
    assert {"dose", "trained", "swing", "swing_interval", "gain", "interval"} <= set(
        made["doses"][0]
    )
    assert (
        len({frozenset(d) for d in made["doses"]})
        == len({frozenset(s) for s in made["scorers"]})
        == 1
    )
    assert (
        made["false_convictions"]
        == made["false_positives"]
        == {"count": 0, "of": 8, "interval": pytest.approx([0, 0.32], abs=0.01)}
    )
    topic = next(s for s in made["scorers"] if s["scorer"] == "topic")
    assert (
        topic["content"]["convicted"]["of"]
        == topic["content"]["flagged"]["of"]
        == topic["domain"]["covered"]["of"]
        == 2
    )


@pytest.mark.slow
def test_a_trial_is_a_function_of_its_design_and_number(store):
    zero, kept = (trials_of(store.read_cell(place.key).arrays) for place in store.plan.cells)
    again = list(trial(TINY, 1).values())
    assert trials_of(arrays_of(again)) == again == kept != zero


def test_worlds_are_what_they_were_when_margins_were_fixed():
    """The seeds in docs/validation.md mean something only while a world's draws stay the same."""
    spec = build(
        {
            "corpus": "manifold(style=0.6, documents=900, topics=18, words=30)",
            "pools": 1,
            "seed": 45,
        }
    )
    world = draw(spec, 45)
    corpus = spec.corpus.replace(")", ", language=1, seed=50045)")
    assert world.corpus.digest() == load_corpus(corpus).digest()
    assert len(world.inside) == 18 and all(fold.name.startswith("p0") for fold in world.folds)


def test_verdicts_are_counted_by_the_rule_of_runs():
    """Swings of known intervals: above the margin, within, and across; two languages have a truth of their own."""

    def world(low, high):
        figure = Estimate((low + high) / 2, 0.01, (low, high), 100.0)
        none, good = (
            Estimate(0.0, 0.001, (-0.01, 0.01), 100.0),
            Estimate(0.8, 0.02, (0.7, 0.9), 100.0),
        )
        content = ContentFigures(
            auc=good,
            style_left=good,
            drop=none,
            swing=figure,
            sway=none,
            silence=none,
            shift=none,
            turned=none,
            null_swing=none,
            same=100,
            different=100,
            folds=5,
            units=50,
        )
        return Trial(content, free=(content, None), swing_alone=figure)

    design = SimulateSpec(doses=(0.3,))
    ends = {0: (0.03, 0.05), 1: (-0.01, 0.01), 40: (0.01, 0.05), 41: (0.03, 0.04)}
    worlds = {
        number: [
            world(-0.01, 0.01) if name == LENGTHS else world(*pair) for name in names(design.doses)
        ]
        for number, pair in ends.items()
    }
    axis = summarise(design, worlds).rows[0].content
    assert (axis.flagged.count, axis.less.count, axis.undecided.count) == (2, 1, 1)
    assert axis.covered == Share(2, 4), "the mean of the first two is .02, of the others .0325"
    assert Share(0, 40).interval == pytest.approx((0, 0.0876), abs=1e-3)
    assert Share(0, 0).interval is None


@pytest.mark.slow
def test_the_command_writes_a_page_and_goes_on(tmp_path):
    sizes = [
        "--replicates",
        "2",
        "--pools",
        "1",
        "--folds",
        "2",
        "--repetitions",
        "2",
        "--workers",
        "1",
    ]
    arguments = [
        "simulate",
        "--corpus",
        CORPUS,
        "--doses",
        ".3",
        *sizes,
        "--seed",
        "7",
        "--out",
        tmp_path / "s",
    ]
    planned = json.loads(raven(*arguments, "--plan", "--json").output)
    assert (planned["cells"], planned["done"], planned["fits"]) == (2, 0, 2 * 6)
    assert not (tmp_path / "s").exists()
    done = raven(*arguments)
    assert done.exit_code == 0, done.output
    assert "Content effect of each scorer" in done.output and "0 of 2" in done.output
    assert (
        max(len(line) for line in done.output.splitlines() if not line.startswith("report: ")) <= 80
    )
    report = tmp_path / "s" / "report"
    page = (report / "index.html").read_text()
    assert "False positives" in page and "<svg" in page and "worlds number 7 to 8" in page
    for table in ("content", "domain"):
        assert (report / "tables" / f"{table}.csv").is_file()
    assert (report / "figures" / "differences.svg").is_file()
    assert json.loads((report / "report.json").read_text())["kind"] == "simulate"
    assert "2 of them done" in raven(*arguments, "--plan").output
    shutil.rmtree(report)
    again = raven("report", tmp_path / "s", "--json")
    assert again.exit_code == 0 and (report / "index.html").read_text() == page
    assert json.loads(again.output)["replicates"] == 2


@pytest.mark.slow
def test_an_interrupted_simulation_goes_on(store, found, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(store.path, folder)
    first, second = (folder / "cells" / f"{place.key}.cell" for place in store.plan.cells)
    stamp = first.stat().st_mtime_ns
    second.unlink()
    assert Simulate({**SIZES, "out": folder}).preview().done == 1
    part = analyse(Store.open(folder))
    assert part.replicates == 1 and part.failures == (("world-0001", "not simulated yet"),)
    assert "1 of 2 worlds have no figures" in part.findings()[-1]
    assert (
        " has 1 of its 2; the other methods have all."
        in write_report(Store.open(folder)).read_text()
    )
    json.dumps(SimulateReport(store, part).to_json(), allow_nan=False)
    assert simulate(**SIZES, out=folder, workers=2).errors == ()
    assert SimulateReport(Store.open(folder)).to_json() == SimulateReport(store, found).to_json()
    assert first.stat().st_mtime_ns == stamp, "what was there is kept"
    with pytest.raises(InputError, match="another spec"):
        simulate(**{**SIZES, "seed": 1}, out=folder)


def test_a_flipped_byte_is_noticed(store, tmp_path):
    for name in ("run.json", "plan.json", f"cells/{store.plan.cells[0].key}.cell"):
        folder = tmp_path / name.replace("/", "-")
        shutil.copytree(store.path, folder)
        data = bytearray((folder / name).read_bytes())
        data[len(data) // 2] ^= 1
        (folder / name).write_bytes(data)
        if name.startswith("cells"):
            assert Store.open(folder).read_cell(store.plan.cells[0].key) is None
        else:
            with pytest.raises(StoreError):
                Store.open(folder)


@pytest.mark.slow
def test_worlds_that_fail_are_told(tmp_path):
    few = {**SIZES, "corpus": "synthetic(documents=60, topics=3, words=20)"}
    result = simulate(**few, out=tmp_path / "run", workers=1)
    assert len(result.errors) == 2 and "too few" in result.errors[0]
    with pytest.raises(InputError, match="no world of this simulation has figures"):
        analyse(result.store)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"corpus": "newsgruops"}, "unknown corpus"),
        ({"doses": (0.0, 2.0)}, "doses must be"),
        ({"doses": "0.1, much"}, "doses must be"),
        ({"pools": 0}, "pools: expected"),
        ({"repetitions": 1}, "repetitions: expected"),
        ({"seed": -1}, "seed: expected"),
        ({"pairs": "matchd"}, "unknown pair rule"),
    ],
)
def test_what_cannot_be_simulated_is_refused(given, message):
    with pytest.raises(SpecError, match=message):
        build(given)


def test_the_replacement_that_speaks_most_against_a_scorer_decides():
    """Numbers stay where words are fitted, and go where they are replaced freely."""
    corpus = CORPUS.replace("synthetic(", "synthetic-script(traces=1, ")
    found = trial(build({**SIZES, "corpus": corpus, "repetitions": 2}), 3)
    (free, _), fitted = found["numbers"].free, found["numbers"].content
    assert abs(fitted.swing.value) < 0.01 and abs(fitted.drop.value) < 0.01
    assert free.swing.value > 0.05
    assert found["style"].free[0].swing.value == found["style"].content.swing.value == 0
    assert found["what stays"].helps.value > found["what stays"].misleads.value + 0.1
    assert trials_of(arrays_of([found["numbers"]])) == [found["numbers"]]


def test_a_scorer_is_judged_by_the_worse_of_two_replacements():
    def figures(swing):
        none = Estimate(0.0, 0.001, (-0.01, 0.01), 100.0)
        good = Estimate(0.8, 0.02, (0.7, 0.9), 100.0)
        return ContentFigures(
            auc=good,
            style_left=good,
            drop=none,
            swing=Estimate(swing, 0.005, (swing - 0.01, swing + 0.01), 100.0),
            **dict.fromkeys(("sway", "silence", "shift", "turned", "null_swing"), none),
            same=100,
            different=100,
            folds=5,
            units=50,
        )

    worse = Trial(figures(0.0), free=(figures(0.1), None))
    row = summarise(
        SimulateSpec(doses=(0.3,)),
        {0: [worse] * len(names((0.3,))), 1: [worse] * len(names((0.3,)))},
    ).rows[0]
    assert row.outcomes[Content.RELIES] == Share(2, 2)
    assert row.fitted[Content.FLOOR] == Share(2, 2), "the scorer of content has as much left"


def test_scorers_read_the_script_of_their_world():
    corpus = SMALLER.replace("synthetic(", "synthetic-script(script='unspaced', ")
    found = trial(build({**SIZES, "corpus": corpus, "repetitions": 2}), 3)
    assert found["style"].content.auc.value > 0.5 and abs(found["style"].content.drop.value) < 0.03
    assert (
        found["untrained topic"].content.swing.value > 0.1
        and found["content"].content.swing.value > 0.2
    )
    # Every character is a word of length 1.
    assert found[LENGTHS].content.swing.value == pytest.approx(0, abs=0.01)
    with pytest.raises(SpecError, match="unknown segmenter"):
        build({"segmenter": "syllables"})


@pytest.mark.slow
def test_worlds_of_a_table_by_its_own_columns(tmp_path):
    corpus = load_corpus(CORPUS)
    names = (
        [corpus.author.names[a] for a in corpus.author.codes],
        [corpus.topic.names[t] for t in corpus.topic.codes],
    )
    rows = zip(names[0], names[1], (corpus.texts[i] for i in range(len(corpus))), strict=True)
    table = tmp_path / "mine.jsonl"
    table.write_text(
        "".join(json.dumps({"who": a, "about": t, "what": text}) + "\n" for a, t, text in rows)
    )
    given = {**SIZES, "corpus": str(table), "text": "what", "author": "who", "topic": "about"}
    world = draw(build(given), 0)
    assert len(world.inside) == 18 and len(world.folds) == 2
    with pytest.raises(SpecError, match="a generated corpus has no columns"):
        build({**SIZES, "topic": "about"})
