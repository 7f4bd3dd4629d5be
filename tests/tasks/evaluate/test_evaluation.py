from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import ravenbench
from ravenbench.errors import InputError
from ravenbench.metrics import scores
from ravenbench.metrics.pan import METRICS
from ravenbench.reading.answers import Truth, read_systems, read_truth
from ravenbench.tasks.evaluate.analysis import evaluate
from ravenbench.tasks.evaluate.evaluation import Evaluation
from ravenbench.types import Floats

QUICK = {"replicates": 200, "trials": 400}


def simulated(
    n: int = 300, seed: int = 0, authors: bool = False
) -> tuple[Truth, dict[str, Floats]]:
    rng = np.random.default_rng(seed)
    same = rng.random(n) < 0.5
    pairs = None
    if authors:
        left = rng.integers(0, 60, n)
        pairs = np.stack(
            [left, np.where(same, left, (left + 1 + rng.integers(0, 59, n)) % 60)], axis=1
        )
    truth = Truth(
        np.array([f"p{i}" for i in range(n)]), same, pairs, tuple(f"a{i}" for i in range(60))
    )
    systems = {
        name: np.clip(np.round(same * lift + rng.random(n) * (1 - lift), 2), 0, 1)
        for name, lift in (("good", 0.5), ("fair", 0.25), ("fair-too", 0.25), ("poor", 0.0))
    }
    return truth, systems


@pytest.fixture(scope="module")
def found() -> Evaluation:
    return evaluate(*simulated(), **QUICK)  # type: ignore[arg-type]


@pytest.mark.data
def test_pan20_golden(pan20: Path) -> None:
    answers = [read_systems(folder)[0] for folder in sorted(pan20.iterdir()) if folder.is_dir()]
    got = ravenbench.evaluate(read_truth(pan20 / "truth.jsonl"), answers, by=[], **QUICK)  # type: ignore[arg-type]
    rows = {s.name: s for s in got.systems}
    expected = {  # auc, c@1, f1, f05u, overall, tie group
        "boenninghoff20-small": (0.939986, 0.889061, 0.905762, 0.868667, 0.900869, 1),
        "weerasinghe20-small": (0.938713, 0.832856, 0.859970, 0.816656, 0.862049, 2),
        "halvani20-small": (0.877568, 0.796195, 0.806912, 0.820444, 0.825280, 3),
        "niven20-small": (0.794689, 0.785619, 0.778324, 0.841510, 0.800036, 4),
        "faber20-small": (0.293359, 0.331308, 0.261599, 0.294065, 0.295083, 5),
    }
    for name, values in expected.items():
        figures = [rows[name].scores[m] for m in ("auc", "c@1", "f1", "f05u", "overall")]
        assert figures == pytest.approx(values[:5], abs=5.001e-7)
        assert rows[name].tie_group == values[5]
    assert got.unit == "authors"
    assert (got.problems, got.same) == (14311, 7786)
    p = {(t.a, t.b, t.metric): t.p_holm for t in got.pairs}
    assert (p["boenninghoff20-small", "weerasinghe20-small", "accuracy"] or 0) > 0.05
    assert got.hull is not None
    assert {s.system for s in got.hull.stretches} == {
        "halvani20-small",
        "weerasinghe20-small",
        "boenninghoff20-small",
    }
    assert [s.name for s in got.meta] == ["meta-mean", "meta-rank"]


def test_json_has_every_key_and_is_strict(found: Evaluation) -> None:
    got = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert {"systems", "pairs", "hull", "meta", "breakdowns", "notes"} <= set(got)
    keys = {"system", *METRICS, "unanswered", "missing", "interval", "tie_group"}
    assert keys <= set(got["systems"][0])
    assert set(got["systems"][0]["interval"]) == {*METRICS, "accuracy"}
    assert {"a", "b", "metric", "difference", "p", "p_holm"} <= set(got["pairs"][0])
    assert len(got["pairs"]) == 2 * 6
    assert set(got["hull"][0]) == {"system", "from_fpr", "to_fpr"}
    low, high = got["systems"][0]["interval"]["overall"]
    assert low < got["systems"][0]["overall"] < high


def test_scores_ties_and_tests_agree(found: Evaluation) -> None:
    truth, systems = simulated()
    for row in found.systems:
        assert scores(truth.same, systems[row.name]).items() <= row.scores.items()
    groups = {s.name: s.tie_group for s in found.systems}
    assert groups == {"good": 1, "fair": 2, "fair-too": 2, "poor": 4}
    for pair in found.pairs:
        assert pair.p is not None
        assert pair.p_holm is not None
        assert pair.p <= pair.p_holm


def test_same_digits_for_any_number_of_workers() -> None:
    truth, systems = simulated(authors=True)
    one, three = (
        evaluate(truth, systems, workers=w, metrics=("c@1", "auc"), **QUICK) for w in (1, 3)
    )  # type: ignore[arg-type]
    assert one.unit == "authors"
    assert one.to_json() == three.to_json()


def test_training_answers_add_band_and_stacking() -> None:
    truth, systems = simulated()
    past, past_answers = simulated(seed=1)
    got = evaluate(truth, systems, training=(past.same, past_answers), **QUICK)  # type: ignore[arg-type]
    meta = {s.name: s for s in got.meta}
    assert list(meta) == ["meta-mean", "meta-rank", "meta-band", "meta-stacked"]
    assert got.band is not None
    assert (
        meta["meta-mean"].scores["auc"]
        == scores(truth.same, np.mean(list(systems.values()), axis=0))["auc"]
    )
    assert (meta["meta-stacked"].scores["auc"] or 0) > (meta["meta-mean"].scores["auc"] or 1)
    with pytest.raises(InputError, match="no training answers"):
        evaluate(truth, systems, training=(past.same, {"good": past_answers["good"]}), **QUICK)  # type: ignore[arg-type]


def test_one_class_is_undefined_not_zero() -> None:
    truth = Truth(np.array(["a", "b"]), np.array([True, True]))
    got = evaluate(truth, {"x": [0.9, 0.4], "y": [0.2, 0.5]}, metrics=("auc", "c@1"), **QUICK)  # type: ignore[arg-type]
    row = got.to_json()["systems"][0]
    assert row["auc"] is row["overall"] is row["interval"]["auc"] is None
    assert row["c@1"] == 0.5
    assert [p.p for p in got.pairs if p.metric == "auc"] == [None]
    assert got.hull is None
    assert "n/a" in got.to_latex()


def test_unnamed_authors_stand_for_themselves() -> None:
    truth, systems = simulated(authors=True)
    assert truth.authors is not None
    codes = truth.authors.copy()
    codes[:] = -1
    alone = evaluate(Truth(truth.ids, truth.same, codes, truth.author_names), systems, **QUICK)  # type: ignore[arg-type]
    plain = evaluate(Truth(truth.ids, truth.same), systems, **QUICK)  # type: ignore[arg-type]
    for a, b in zip(alone.systems, plain.systems, strict=True):
        assert a.interval["auc"] == pytest.approx(b.interval["auc"], abs=0.01)


def test_forms(found: Evaluation) -> None:
    frame = found.to_polars()
    assert frame.height == 6
    assert frame.filter(frame["system"] == "good")["tie_group"].item() == 1
    assert "good" in found._repr_html_()
    assert "\\toprule" in found.to_latex()
    assert [t.key for t in found.tables()] == [
        "scores",
        "intervals",
        "significance-c1",
        "significance-accuracy",
        "differences",
        "calibration",
        "hull",
    ]


def test_bad_input_names_the_system() -> None:
    truth, systems = simulated()
    with pytest.raises(InputError, match="good: answer number 1 is out of range"):
        evaluate(truth, {"good": [2.0, *systems["good"][1:]]})
    with pytest.raises(InputError, match="no answers"):
        evaluate(truth, {})
    with pytest.raises(InputError, match="accuracy"):
        evaluate(truth, systems, metrics=("acuracy",))


def test_the_best_of_a_column_is_marked_whoever_it_is() -> None:
    """Also a control: it stands above the others in the same table."""
    truth, systems = simulated()
    both = {"style-only": systems["good"], "poor": systems["poor"]}
    scores_table = evaluate(truth, both, **QUICK).tables()[0]  # type: ignore[arg-type]
    auc = [column.title for column in scores_table.columns].index("AUC")
    best = {row[0] for row in scores_table.rows if row[auc].best}  # type: ignore[union-attr]
    assert best == {"style-only"}


def test_out_keeps_the_page(tmp_path: Path) -> None:
    truth, systems = simulated(60)
    ravenbench.evaluate(truth, systems, out=tmp_path / "e", **QUICK)  # type: ignore[arg-type]
    assert (tmp_path / "e" / "index.html").is_file()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "x.txt").write_text("x")
    with pytest.raises(InputError):
        ravenbench.evaluate(truth, systems, out=tmp_path / "mine", **QUICK)  # type: ignore[arg-type]
