"""``raven evaluate`` as a user types it: results, every message of bad input, PAN's own form."""

from __future__ import annotations

import csv
import io
import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import ravenbench
from ravenbench.cli.main import run
from ravenbench.errors import FormatError
from ravenbench.store.records import FORMAT

pytestmark = pytest.mark.usefixtures("undrawn")

QUICK = ("--replicates", "100", "--trials", "200", "--workers", "1")


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


Raven = Callable[..., Outcome]


@pytest.fixture
def raven(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Raven:
    def call(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["raven", "evaluate", *map(str, arguments)])
        try:
            run()
            code = 0
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        return Outcome(code, *capsys.readouterr())

    return call


def lines(path: Path, *records: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records))
    return path


IDS = [f"p{i}" for i in range(40)]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A truth of 40 problems and two systems."""
    rng = np.random.default_rng(0)
    lines(tmp_path / "truth.jsonl", *({"id": i, "same": k % 2 == 0} for k, i in enumerate(IDS)))
    for name, lift in (("good", 0.6), ("poor", 0.1)):
        values = [
            round(float(lift * (k % 2 == 0) + (1 - lift) * rng.random()), 2) for k in range(40)
        ]
        lines(
            tmp_path / name / "answers.jsonl",
            *({"id": i, "value": v} for i, v in zip(IDS, values, strict=True)),
        )
    return tmp_path


TODAY = {
    "boenninghoff20-small": (0.939986, 0.889061, 0.905762, 0.868667, 0.900869),
    "weerasinghe20-small": (0.938713, 0.832856, 0.859970, 0.816656, 0.862049),
    "halvani20-small": (0.877568, 0.796195, 0.806912, 0.820444, 0.825280),
    "niven20-small": (0.794689, 0.785619, 0.778324, 0.841510, 0.800036),
    "faber20-small": (0.293359, 0.331308, 0.261599, 0.294065, 0.295083),
}
PUBLISHED = {
    "boenninghoff20-small": (0.939986, 0.889061, 0.905762, 0.853452, 0.897065),
    "weerasinghe20-small": (0.938713, 0.832856, 0.859970, 0.816656, 0.862049),
    "halvani20-small": (0.877568, 0.796195, 0.806912, 0.818917, 0.824898),
    "niven20-small": (0.794689, 0.785619, 0.778324, 0.841510, 0.800036),
    "faber20-small": (0.293359, 0.331308, 0.261599, 0.313543, 0.299952),
}


@pytest.mark.data
@pytest.mark.parametrize(("flags", "table"), [((), TODAY), (("--f05u-2020",), PUBLISHED)])
def test_pan20_golden(
    pan20: Path, raven: Raven, flags: tuple[str, ...], table: dict[str, tuple[float, ...]]
) -> None:
    got = raven(pan20 / "truth.jsonl", pan20, "--json", *QUICK, *flags)
    assert got.code == 0
    rows = {s["system"]: s for s in json.loads(got.out)["systems"]}
    assert set(rows) == set(table)
    for name, expected in table.items():
        figures = [rows[name][m] for m in ("auc", "c@1", "f1", "f05u", "overall")]
        assert figures == pytest.approx(expected, abs=5.001e-7)
        assert rows[name]["f05u_2020"] == pytest.approx(PUBLISHED[name][3], abs=5.001e-7)


@pytest.mark.data
def test_pan14_zip_by_hand(pan14: Path, tmp_path: Path, raven: Raven) -> None:
    """The test half of a zip; the groups of several corpora; micro and macro."""
    folder = tmp_path / "truth"
    for corpus in ("du_essays", "gr_articles"):
        with zipfile.ZipFile(pan14 / f"{corpus}.zip") as archive:
            archive.extractall(
                folder, [n for n in archive.namelist() if "/test/" in n and n.count("/") == 2]
            )
    from ravenbench.reading.answers import read_truth, write_answers
    from ravenbench.types import Answers

    truth = read_truth(folder)
    value = np.where(truth.same, 0.8, 0.3)
    value[::3] = 0.5
    write_answers(tmp_path / "mine" / "answers.txt", Answers(truth.ids, value))
    got = json.loads(raven(folder, tmp_path / "mine", "--json", *QUICK).out)
    (found,) = got["breakdowns"]
    assert {p["part"]: p["problems"] for p in found["parts"]} == {
        "dutch essays": 96,
        "greek articles": 100,
    }
    (system,) = found["systems"]
    parts = system["parts"]
    assert system["macro"]["auc"] == pytest.approx(np.mean([p["auc"] for p in parts.values()]))
    low, high = system["macro"]["interval"]["c@1"]
    assert low < system["macro"]["c@1"] < high
    assert got["problems"] == 196
    assert raven(pan14 / "du_essays.zip", tmp_path / "mine").code == 2, (
        "these answers are to more problems"
    )


def test_terminal_fits_and_marks(place: Path, raven: Raven) -> None:
    got = raven(place / "truth.jsonl", place / "good", place / "poor", *QUICK)
    assert got.code == 0
    assert max(map(len, got.out.splitlines())) <= 80
    row = next(line for line in got.out.splitlines() if line.startswith("good"))
    assert row.count("*") == 7
    assert "Significance of differences in c@1" in got.out and "ROC convex hull" in got.out


def test_metrics_that_were_asked_for_stand_in_the_terminal(place: Path, raven: Raven) -> None:
    asked = ("--metrics", "overall_2024,f1_2024,fpr,fnr")
    got = raven(
        place / "truth.jsonl", place / "good", place / "poor", *asked, *QUICK
    ).out.splitlines()
    assert max(map(len, got)) <= 80 and not any("…" in line for line in got)
    assert "mean (2024) F1 (2024)   FPR   FNR" in got[1]


def test_out_holds_everything(place: Path, raven: Raven) -> None:
    arguments = (
        place / "truth.jsonl",
        place / "good",
        place / "poor",
        "--out",
        place / "out",
        *QUICK,
    )
    got = raven(*arguments, "--json")
    assert got.code == 0
    names = {
        p.relative_to(place / "out").as_posix() for p in (place / "out").rglob("*") if p.is_file()
    }
    figures = {f"figures/{f}.{s}" for f in ("roc", "reliability") for s in ("svg", "pdf", "png")}
    tables = {
        f"tables/{t}.{s}"
        for t in ("scores", "intervals", "differences", "hull")
        for s in ("csv", "tex")
    }
    meta = {f"meta/{m}/answers.jsonl" for m in ("meta-mean", "meta-rank")}
    assert figures | tables | meta | {"index.html", "report.json"} <= names
    report = json.loads((place / "out/report.json").read_text())
    assert report == {
        "format": FORMAT,
        "kind": "evaluate",
        **json.loads(got.out),
        "raven": ravenbench.__version__,
    }
    table = list(csv.DictReader(io.StringIO((place / "out/tables/scores.csv").read_text())))
    assert {row["system"] for row in table} == {"good", "poor", "meta-mean", "meta-rank"}
    again = raven(place / "truth.jsonl", place / "out/meta", "--json", *QUICK)
    assert again.code == 2 and "meta-mean" in again.err
    first = {p: p.read_bytes() for p in (place / "out").rglob("*") if p.is_file()}
    assert raven(*arguments).code == 0, "an earlier evaluation is replaced"
    assert {p: p.read_bytes() for p in (place / "out").rglob("*") if p.is_file()} == first
    assert not [p for p in place.iterdir() if p.name.startswith(".")]
    (place / "out" / "thesis.txt").write_text("mine")
    refused = raven(*arguments)
    assert (
        refused.code == 2 and "thesis.txt: this file is in a folder that Raven wrote" in refused.err
    )
    assert (place / "out" / "thesis.txt").exists()


@pytest.mark.extra
def test_out_may_be_a_url(place: Path, raven: Raven, need_extra: Callable[[str], object]) -> None:
    need_extra("upath")
    from ravenbench.files import location

    url = f"memory://{place.name}/out"
    arguments = (place / "truth.jsonl", place / "good", place / "poor", "--out", url, *QUICK)
    assert raven(*arguments).code == 0
    held = location(url)
    assert json.loads((held / "report.json").read_bytes())["kind"] == "evaluate"
    assert raven(*arguments).code == 0, "an earlier evaluation is replaced"
    assert (held / "index.html").is_file()
    (held / "tables" / "thesis.txt").write_bytes(b"mine")
    refused = raven(*arguments)
    assert (
        refused.code == 2 and "thesis.txt: this file is in a folder that Raven wrote" in refused.err
    )


def test_pan_form(place: Path, raven: Raven) -> None:
    lines(place / "truth" / "truth.jsonl", *(place / "truth.jsonl").read_text().splitlines())
    got = raven("-i", place / "truth", "-a", place / "good", "-o", place / "pan")
    assert got.code == 0
    found = json.loads((place / "pan/out.json").read_text())
    assert list(found) == sorted(["auc", "c@1", "f_05_u", "F1", "brier", "overall"])
    whole = json.loads(raven(place / "truth", place / "good", "--json", *QUICK).out)["systems"][0]
    assert found["overall"] == round(whole["overall5"], 3) and found["auc"] == round(
        whole["auc"], 3
    )
    prototext = (place / "pan/evaluation.prototext").read_text()
    assert f'measure {{\n key: "c@1"\n value: "{found["c@1"]}"\n}}\n' in prototext
    old = raven(
        "-i", place / "truth", "-a", place / "good", "-o", place / "pan", "--f05u-2020", "--json"
    )
    assert set(json.loads(old.out)) == {"auc", "c@1", "f_05_u", "F1", "overall"}
    assert raven("-i", place / "truth", "-a", place / "good").code == 2


def test_training_adds_band_and_stacking(place: Path, raven: Raven) -> None:
    arguments = (place / "truth.jsonl", place / "good", place / "poor", *QUICK, "--json")
    for name in ("good", "poor"):
        rows = [
            json.loads(row) for row in (place / name / "answers.jsonl").read_text().splitlines()
        ]
        lines(
            place / "past" / name / "answers.jsonl",
            *({**row, "value": 0.9 * row["value"]} for row in rows),
        )
    past = (
        "--training-truth",
        place / "truth.jsonl",
        "--training-answers",
        place / "past" / "good",
    )
    got = json.loads(raven(*arguments, *past, "--training-answers", place / "past" / "poor").out)
    assert set(got["meta"]) == {"meta-mean", "meta-rank", "meta-band", "meta-stacked"}
    assert got["meta_band"] is not None
    lacking = raven(*arguments, *past)
    assert lacking.code == 2 and "poor has no training answers" in lacking.err


def test_breakdown_by_file(place: Path, raven: Raven) -> None:
    table = place / "more.csv"
    table.write_text(
        "id,words,kind\n" + "".join(f"{i},{k},{'xy'[k % 3 == 0]}\n" for k, i in enumerate(IDS[:32]))
    )
    by = ("--by", f"{table}:words:2", "--by", f"{table}:kind")
    got = json.loads(raven(place / "truth.jsonl", place / "good", "--json", *QUICK, *by).out)
    words, kind = got["breakdowns"]
    assert [(p["part"], p["problems"]) for p in words["parts"]] == [
        ("1: 0 to 15", 16),
        ("2: 16 to 31", 16),
    ]
    assert words["left_out"] == 8
    assert [p["part"] for p in kind["parts"]] == ["x", "y"]
    shown = raven(place / "truth.jsonl", place / "good", *QUICK, *by)
    assert "AUC by words" in shown.out and "1 = 0 to 15 (16)" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80


def test_accepted_as_it_is(place: Path, raven: Raven) -> None:
    text = (place / "good/answers.jsonl").read_text()
    plain = raven(place / "truth.jsonl", place / "good", "--json", *QUICK)
    (place / "good/answers.jsonl").write_bytes(
        b"\xef\xbb\xbf" + text.replace("\n", "\r\n\r\n").encode()
    )
    again = raven(place / "truth.jsonl", place / "good", "--json", *QUICK)
    told = [json.loads(one.out) for one in (plain, again)]
    digests = [one.pop("hashes")["systems"]["good"] for one in told]
    assert told[0] == told[1] and again.err == plain.err
    assert digests[0] != digests[1], "the hash is the file's"


def test_missing_answers_and_one_class_are_said(place: Path, raven: Raven) -> None:
    lines(place / "half" / "answers.jsonl", *({"id": i, "value": 0.9} for i in IDS[:30]))
    got = raven(place / "truth.jsonl", place / "half", "--json", *QUICK)
    assert "leaves out 10 of 40" in got.err
    row = json.loads(got.out)["systems"][0]
    assert (row["missing"], row["unanswered"]) == (10, 10)
    lines(place / "one.jsonl", *({"id": i, "same": False} for i in IDS))
    one = raven(place / "one.jsonl", place / "half", "--json", *QUICK)
    assert one.code == 0 and "different authors" in one.err
    row = json.loads(one.out)["systems"][0]
    assert row["auc"] is row["f1"] is row["overall"] is row["final"] is None
    assert raven(place / "one.jsonl", place / "half", "--out", place / "page", *QUICK).code == 0
    assert "n/a" in (place / "page/index.html").read_text()


def test_lenient_unwraps_and_says_so(place: Path, raven: Raven) -> None:
    lines(place / "boxed" / "answers.jsonl", *({"id": i, "value": [0.9]} for i in IDS))
    strict = raven(place / "truth.jsonl", place / "boxed", *QUICK)
    assert (
        strict.code == 2
        and "list" in strict.err
        and "--lenient" in strict.err
        and "answers.jsonl:1" in strict.err
    )
    got = raven(place / "truth.jsonl", place / "boxed", "--lenient", "--json", *QUICK)
    assert got.code == 0 and "as you asked" in got.err


def test_faulty_submissions_are_left_out_on_request_and_listed(place: Path, raven: Raven) -> None:
    lines(
        place / "odd" / "answers.jsonl",
        {"id": "p0", "value": "0.9"},
        "nonsense",
        {"id": "p1", "value": 0.2},
    )
    lines(place / "strange" / "answers.jsonl", {"id": "<b>p0</b>", "value": 0.9})
    (place / "none").mkdir()
    lines(place / "half" / "answers.jsonl", *({"id": i, "value": 0.25} for i in IDS))
    given = (
        place / "truth.jsonl",
        place / "half",
        place / "odd",
        place / "strange",
        place / "none",
    )
    refused = raven(*given, *QUICK)
    assert refused.code == 2 and "4 faults" in refused.err
    got = raven(*given, *QUICK, "--skip-faulty", "--json", "--out", place / "page")
    found = json.loads(got.out)
    assert got.code == 0 and [s["system"] for s in found["systems"]] == ["half"]
    assert {s["submission"]: s["faults"] for s in found["skipped"]} == {
        "odd": 2,
        "strange": 1,
        "none": 1,
    }
    page = (place / "page" / "index.html").read_text()
    assert (
        "Submissions left out" in page
        and "line 1: the value is a string" in page
        and "<b>p0" not in page
    )
    assert raven(place / "truth.jsonl", place / "odd", *QUICK, "--skip-faulty").code == 2, (
        "no topic is left"
    )


def test_no_interval_says_why(place: Path, raven: Raven) -> None:
    lines(place / "few.jsonl", *({"id": f"p{i}", "same": i < 1} for i in range(4)))
    lines(
        place / "four" / "answers.jsonl", *({"id": f"p{i}", "value": 0.9 - i / 5} for i in range(4))
    )
    got = raven(place / "few.jsonl", place / "four", "--json", *QUICK)
    assert json.loads(got.out)["systems"][0]["interval"]["auc"] is None
    assert "No interval (n/a) for AUC" in got.err and "only 4 problems" in got.err


BAD = {
    "not JSON": ("{'id': 1}", ":1:", "not JSON"),
    "no id": ({"value": 0.5}, ":1:", "no id"),
    "no value": ({"id": "p0"}, ":1:", "no value"),
    "NaN": ('{"id": "p0", "value": NaN}', ":1:", "NaN"),
    "infinite": ('{"id": "p0", "value": Infinity}', ":1:", "infinite"),
    "too large": ({"id": "p0", "value": 1.2}, ":1:", "outside [0, 1]"),
    "negative": ({"id": "p0", "value": -0.1}, ":1:", "outside [0, 1]"),
    "a string": ({"id": "p0", "value": "0.5"}, ":1:", "a string"),
    "a list": ({"id": "p0", "value": [0.5, 0.6]}, ":1:", "a list"),
    "unknown id": ({"id": "q9", "value": 0.5}, ":1:", "q9"),
    "truth": ({"id": "p0", "same": True}, ":1:", "swapped"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_line_names_file_and_line(place: Path, raven: Raven, case: str) -> None:
    record, where, what = BAD[case]
    path = lines(place / "bad" / "answers.jsonl", record)
    got = raven(place / "truth.jsonl", path, *QUICK)
    assert got.code == 2 and not got.out
    assert f"{path}{where}" in got.err and what in got.err
    assert got.err.count("error:") == 1 and "Traceback" not in got.err


def test_other_bad_input(place: Path, raven: Raven) -> None:
    truth, good = place / "truth.jsonl", place / "good"
    twice = lines(place / "twice" / "answers.jsonl", *[{"id": "p0", "value": 0.1}] * 2)
    empty = lines(place / "empty" / "answers.jsonl")
    blank = lines(place / "blank.jsonl")
    name = lines(place / "other" / "good" / "answers.jsonl", {"id": "p0", "value": 0.1})
    cases: list[tuple[tuple[object, ...], tuple[str, ...]]] = [
        ((truth, twice), (f"{twice}:2", "twice")),
        ((truth, empty), (str(empty), "empty")),
        ((blank, good), (str(blank), "empty")),
        ((good / "answers.jsonl", truth), ("swapped",)),
        ((good, truth), ("swapped",)),
        ((truth, truth), ("swapped",)),
        ((truth,), ("no answers",)),
        ((), ("no truth",)),
        ((truth, place / "goood"), ("file or folder not found", "good")),
        ((truth, good, name), ("two systems", "good")),
        ((truth, good, "--metrics", "acuracy"), ("acuracy", "did you mean")),
        ((truth, good, "--by", "group"), ("group",)),
        ((truth, good, "--by", "nothing"), ("FILE:COLUMN",)),
        ((truth, good, "--by", f"{truth}:words"), ("words", "same")),
        ((truth, good, "--same-share", "2"), ("operating point",)),
        ((truth, good, "--training-answers", good), ("training truth",)),
        ((truth, good, "--replicates", "0"), ("replicates",)),
        ((truth, good, "--out", good), ("is also an input",)),
    ]
    for arguments, expected in cases:
        quick = () if "--replicates" in arguments else QUICK
        got = raven(*arguments, *quick)
        assert got.code == 2, arguments
        for word in expected:
            assert word in got.err, (arguments, got.err)


def test_plain_files_swapped(tmp_path: Path, raven: Raven) -> None:
    truth = lines(tmp_path / "t" / "truth.txt", *(f"EN{k:03d} {'YN'[k % 2]}\r" for k in range(6)))
    answers = lines(tmp_path / "a" / "answers.txt", *(f"EN{k:03d} 0.{k + 1}" for k in range(6)))
    decided = lines(
        tmp_path / "d" / "answers.txt", *(f"EN{k:03d} {'YN-'[k % 3]} 0.{k + 1}" for k in range(6))
    )
    assert raven(truth, answers, decided, *QUICK).code == 0
    for wrong in (
        (answers, truth),
        (decided, truth),
        (truth, truth),
        (tmp_path / "a", tmp_path / "t"),
    ):
        got = raven(*wrong, *QUICK)
        assert got.code == 2 and "swapped" in got.err, (wrong, got.err)


def test_all_faults_of_all_submissions_are_listed_at_once(tmp_path, monkeypatch):
    """Before anything is computed: nothing that computes is reached."""
    monkeypatch.setattr("ravenbench.tasks.evaluate.api.evaluate_arrays", None)
    (tmp_path / "truth.txt").write_text("A1 Y\nA2 N\nA3 Y\n")
    faulty = {
        "high": "A1 0.5\nA2 1.5\nA3 nan\n",
        "word": "A1 maybe\nA2 0.2\n",
        "other": "A1 0.1\nB9 0.3\n",
        "empty": "",
        "twice": "A1 0.1\nA1 0.2\n",
        "fine": "A1 0.9\nA2 0.1\nA3 0.8\n",
    }
    for name, text in faulty.items():
        (tmp_path / "systems" / name).mkdir(parents=True)
        (tmp_path / "systems" / name / "answers.txt").write_text(text)
    with pytest.raises(FormatError) as told:
        ravenbench.evaluate(tmp_path / "truth.txt", tmp_path / "systems")
    said = str(told.value)
    assert "6 faults in the answers" in said and "fine/" not in said
    assert "high/answers.txt:2: the value is outside [0, 1] (found: A2 1.5)" in said
    assert "high/answers.txt:3: the value is NaN" in said and "word/answers.txt:1" in said
    assert (
        "other/answers.txt:2: other answers a problem that truth does not contain (found: B9)"
        in said
    )
    assert (
        "empty/answers.txt: the file of answers is empty" in said
        and "twice/answers.txt:2: duplicate id" in said
    )
