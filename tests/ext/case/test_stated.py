"""What a case and an unknown text state stands in ``answer.json``; reports read it and compute none of it."""

import json
from html import unescape
from pathlib import Path

import pytest
from comparable import FAST, background, case, text, write

import ravenbench
from ravenbench.ext.case.compare.record import Why
from ravenbench.ext.case.sentences import _sentences, say
from ravenbench.reports.report import write_report
from ravenbench.store.store import Store

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stated")
    background(folder / "others")
    case(folder / "case")
    write(folder / "conditions.csv", "questioned,known,texts\n220,220,1\n3000,3000,1\n")
    write(folder / "unknown.txt", text(3, 60))
    return folder


def asked(kind, place):
    questioned, known = place / "case" / "questioned.txt", place / "case" / "known"
    if kind == "compare":
        return ravenbench.compare(questioned, known, place / "others", out=place / kind, **FAST)
    if kind == "validate":
        given = place / "others", place / "conditions.csv"
        return ravenbench.validate(*given, out=place / kind, **FAST)
    pytest.importorskip("ravenbench.ext.unknown", reason="the extension unknown is not here")
    given = {"unknown": place / "unknown.txt", "candidates": place / "others"}
    return ravenbench.attribute(**given, methods="function-words", out=place / kind, workers=1)


STATED = {
    "compare": "ravenbench.ext.case.compare.analysis:Comparison",
    "validate": "ravenbench.ext.case.validate.analysis:Validation",
    "unknown": "ravenbench.ext.unknown.naming:NamingAnswers",
}


@pytest.mark.parametrize("kind", STATED)
def test_page_tables_and_json_say_what_the_answer_holds_and_compute_none_of_it(
    kind, place, monkeypatch
):
    store = asked(kind, place).store
    kept = json.loads((store.path / "answer.json").read_text())["record"]["answer"]
    module, _, name = STATED[kind].partition(":")
    monkeypatch.setattr(f"{module}.{name}.of", lambda _: pytest.fail("computed for a report"))
    page = write_report(Store.open(store.path))
    told = json.loads((page.parent / "report.json").read_text())
    tables = "".join(path.read_text() for path in (page.parent / "tables").glob("*.csv"))
    if kind == "compare":
        (one,), (said,) = kept["cases"], told["cases"]
        fused = one["scored"]["verifiers"][-1]
        assert (said["log10_lr"], said["interval"]) == (fused["log10_lr"], fused["interval"])
        assert said["scored"] == one["scored"] and one["sentence"] in unescape(page.read_text())
        assert f"all together,{fused['log10_lr']},{fused['interval'][0]}" in tables
    if kind == "validate":
        results = [cell["result"] for cell in kept["cells"]]
        assert told["cells"] == results and str(kept["cells"][0]["pairs"]["llr"][0]) in tables
        assert [one["verdict"] for one in results][1] == "not tested"
    if kind == "unknown":
        (one,), (said,) = kept["texts"], told["texts"]
        best = one["answers"][0]
        assert said["answers"] == one["answers"] and one["sentence"] in unescape(page.read_text())
        low = best["interval"][0] if best["interval"] else ""
        assert f"{best['name']},{best['probability']},{low}" in tables


def test_every_reason_that_is_made_from_its_kind_has_a_sentence():
    made = {why for why in Why if f"Reason.of(Why.{why.name}" in SOURCE}
    assert made and made <= set(_sentences())
    assert say("two candidates").startswith("with two candidates")
    with pytest.raises(KeyError):
        say("no such sentence")


SOURCE = "".join(
    path.read_text(encoding="utf-8")
    for part in ("case", "unknown")
    for path in (Path(ravenbench.__file__).parent / "ext" / part).rglob("*.py")
)


def test_the_answer_of_another_run_without_cells_is_not_taken_for_its_own(place, tmp_path):
    known, others = place / "case" / "known", place / "others"
    folders = []
    for name in ("one", "other"):
        write(tmp_path / f"{name}.txt", "A note.")
        asked_of = tmp_path / f"{name}.txt", known, others
        folders.append(ravenbench.compare(*asked_of, out=tmp_path / name, **FAST).store.path)
    kept = (folders[1] / "answer.json").read_bytes()
    (folders[1] / "answer.json").write_bytes((folders[0] / "answer.json").read_bytes())
    write_report(Store.open(folders[1]))
    assert (folders[1] / "answer.json").read_bytes() == kept
    told = json.loads((folders[1] / "report" / "report.json").read_text())
    assert told["cases"][0]["case"] == "other"
