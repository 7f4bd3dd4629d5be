"""``raven safety --methods``: attribution under attack, closed and open sets, own texts from elsewhere, bad input."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from ravenbench import safety
from ravenbench.attribution.base import BurrowsDelta
from ravenbench.attribution.linear import CharSVM
from ravenbench.attribution.protocols import answer_problem
from ravenbench.cli.main import build
from ravenbench.errors import InputError
from ravenbench.ext.site.diff.pages import from_run
from ravenbench.reading.pan_attribution import UNKNOWN, AttributionProblem, macro_f1
from ravenbench.reports.report import analyse, write_report
from ravenbench.tasks.safety.attacked import true_codes
from ravenbench.tasks.safety.report import SafetyReport
from stored import answers

pytestmark = pytest.mark.usefixtures("undrawn")

WORDS = [f"{a}{b}{c}" for a in "bdfglm" for b in "aeiou" for c in "nrst"]
METHODS = "svm, burrows-delta(words=80)"


def texts_of(author, count, seed=0):
    rng = np.random.default_rng((author, seed))
    habit = np.random.default_rng(author).dirichlet(np.full(len(WORDS), 0.3))
    return tuple(" ".join(rng.choice(WORDS, 60, p=habit)) for _ in range(count))


def problem(name, authors, strangers=0):
    first = 10 * len(name)
    known = {f"candidate{a}": texts_of(first + a, 5) for a in range(authors)}
    asked = {
        (a, i): t
        for a in range(authors + strangers)
        for i, t in enumerate(texts_of(first + a, 3, seed=1))
    }
    truth = {f"u{a}-{i}.txt": f"candidate{a}" if a < authors else UNKNOWN for a, i in asked}
    return AttributionProblem(
        name, None, known, {f"u{a}-{i}.txt": t for (a, i), t in asked.items()}, truth
    )


def write_attribution(folder, problem):
    """Write a problem, with its truth where that is known, into a folder of its name."""
    place = folder / problem.name
    known = {
        (a, f"known{i:05d}.txt"): t
        for a, own in problem.candidates.items()
        for i, t in enumerate(own, start=1)
    }
    for (inner, name), text in (
        known | {("unknown", n): t for n, t in problem.unknown.items()}
    ).items():
        (place / inner).mkdir(parents=True, exist_ok=True)
        (place / inner / name).write_text(text, "utf-8")
    names = [{"author-name": author} for author in problem.candidates]
    about = {"unknown-folder": "unknown", "candidate-authors": names}
    (place / "problem-info.json").write_text(json.dumps(about), "utf-8")
    if problem.truth is not None:
        rows = [
            {"unknown-text": text, "true-author": author} for text, author in problem.truth.items()
        ]
        (place / "ground-truth.json").write_text(json.dumps({"ground_truth": rows}), "utf-8")


@pytest.fixture(scope="module")
def closed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("closed")
    for one in (problem("one", 5), problem("three", 3)):
        write_attribution(folder, one)
    return folder


@pytest.fixture(scope="module")
def done(closed, tmp_path_factory):
    out = tmp_path_factory.mktemp("out") / "run"
    return safety(
        closed,
        methods=METHODS,
        obfuscators="identity, other-author",
        seeds="0,1",
        out=out,
        workers=1,
    )


def rows(found):
    return {
        (row.obfuscator, row.method.partition("(")[0]): row
        for row in analyse(found.store).attribution
    }


def test_scores_before_are_those_of_raven_attribute(done):
    found = rows(done)
    for name, method in (("svm", CharSVM()), ("burrows-delta", BurrowsDelta(words=80))):
        wanted = []
        for one in (problem("one", 5), problem("three", 3)):
            wanted.append(macro_f1(one.truth, answer_problem(one, method), [*one.candidates]))
        assert found["identity", name].change.macro_f1.before == pytest.approx(np.mean(wanted))


def test_what_changes_nothing_has_no_impact_and_another_authors_text_has_much(done):
    found = rows(done)
    for name in ("svm", "burrows-delta"):
        same = found["identity", name]
        assert (
            same.change.accuracy.interval == (0, 0)
            and same.p_holm == 1
            and same.change.rank.delta == 0
        )
        other = found["other-author", name]
        assert other.change.accuracy.after < 0.4 < 0.8 < other.change.accuracy.before
        assert other.change.rank.delta > 0.5 and other.change.p <= other.p_holm < 0.05
    averages = {o.name: o.average_impact for o in analyse(done.store).obfuscators}
    assert averages["identity"] == 0 and averages["other-author"] > 0.6


def test_the_report_holds_table_json_and_no_verifier(done):
    page = write_report(done.store).read_text()
    assert "attribution methods on 24 questioned" in page and "Attribution under attack" in page
    assert "authorship verifiers" not in page and "τ" not in page.split('id="provenance"')[0]
    made = json.loads((done.store.path / "report" / "report.json").read_text())
    assert len(made["attribution"]) == 4
    assert {"accuracy", "macro_f1", "rank", "p", "p_holm"} <= set(made["attribution"][0])
    shown = {table.key: table for table in SafetyReport(done.store).tables()}
    assert "able" not in [column.title for column in shown["impact"].columns]
    assert len(shown["attribution"].rows) == 4


def test_rewritings_can_be_read_in_the_viewer(done):
    assert {c.system for c in from_run(done.store.path)} == {"other-author"}


def test_repeating_changes_nothing_and_a_lost_cell_is_made_again(done, closed):
    before = answers(done.store.path)
    next(done.store.path.glob("cells/*.cell")).write_bytes(b"damage")
    safety(
        closed,
        methods=METHODS,
        obfuscators="identity, other-author",
        seeds="0,1",
        out=done.store.path,
        workers=1,
    )
    assert answers(done.store.path) == before


def test_open_sets_reject_by_the_rule_of_attribution(tmp_path):
    one = problem("open", 4, strangers=3)
    write_attribution(tmp_path / "p", one)
    found = safety(
        tmp_path / "p",
        methods="svm",
        reject=0.2,
        obfuscators="identity",
        out=tmp_path / "run",
        workers=1,
    )
    wanted = answer_problem(one, CharSVM(), 0.2)
    store = found.store
    names = [*store.fold("original").train.ids.tolist(), f"open/{UNKNOWN}"]
    ids = store.fold("original").test.ids.tolist()
    predicted = store.cell("svm", "original").arrays["predicted"]
    assert {i: names[p].partition("/")[2] for i, p in zip(ids, predicted, strict=True)} == wanted
    assert UNKNOWN in wanted.values() and len(ids) == 21
    assert int((true_codes(store) < 0).sum()) == 9 and analyse(store).attacked == 12


def test_texts_rewritten_elsewhere_by_name(tmp_path):
    one = problem("one", 4)
    write_attribution(tmp_path / "p", one)
    (tmp_path / "hidden").mkdir()
    for name, author in one.truth.items():
        text = one.unknown[f"u{(int(author[-1]) + 1) % 4}{name[2:]}"]
        (tmp_path / "hidden" / name).write_text(text)
    spec = f"rewritings({str(tmp_path / 'hidden')!r}, label='swapped')"
    found = safety(
        tmp_path / "p", methods=[CharSVM()], obfuscators=spec, out=tmp_path / "run", workers=1
    )
    (row,) = analyse(found.store).attribution
    assert row.obfuscator == "swapped"
    assert row.change.accuracy.after < 0.2 < 0.7 < row.change.accuracy.before
    with pytest.raises(InputError, match="two obfuscators have the same label"):
        safety(
            tmp_path / "p", methods="svm", obfuscators=f"{spec}, rewritings('x', label='swapped')"
        )


class Wordless:
    """Names the first author of all; has no scores."""

    def get_params(self, deep=True):
        return {}

    def fit(self, texts, authors):
        self.first = sorted(authors)[0]
        return self

    def predict(self, texts):
        return [self.first] * len(texts)


def test_methods_without_scores_have_no_rank_and_cannot_reject(closed, tmp_path):
    found = safety(
        closed, methods=[Wordless()], obfuscators="identity", out=tmp_path / "a", workers=1
    )
    (row,) = analyse(found.store).attribution
    assert row.change.rank is None and not found.errors
    found = safety(
        closed,
        methods=[Wordless()],
        reject=0.1,
        obfuscators="identity",
        out=tmp_path / "b",
        workers=1,
    )
    assert "cannot reject" in found.errors[0]
    assert "the method failed" in next(iter(analyse(found.store).verifiers.values()))
    write_report(found.store)


BAD = {
    "neither": (["P"], "--train PROBLEMS, or --methods"),
    "both": (["P", "--methods", "svm", "--verifiers", "ppm"], "cannot be combined"),
    "attacks": (["P", "--methods", "svm", "--attacks", "mirror"], "cannot be combined"),
    "reject": (["P", "--train", "P", "--reject", ".1"], "--reject is an option for attribution"),
    "lead": (["P", "--methods", "svm", "--reject", "2"], "reject"),
    "method": (["P", "--methods", "svn"], "svm"),
    "verification": (["V", "--methods", "svm"], "no attribution problems"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_one_sentence(case, closed, tmp_path):
    (tmp_path / "V").mkdir()
    (tmp_path / "V" / "truth.txt").write_text("a Y\n")
    places = {"P": str(closed), "V": str(tmp_path / "V")}
    given, said = BAD[case]
    out = tmp_path / "out"
    found = CliRunner().invoke(
        build("safety"), ["safety", *(places.get(g, g) for g in given), "--out", str(out)]
    )
    error = str(found.exception) + found.output + (found.stderr or "")
    assert found.exit_code != 0 and said in error.replace("\n", " ") and not out.exists()


def test_truth_must_be_there(tmp_path):
    one = problem("one", 3)
    write_attribution(
        tmp_path / "data", AttributionProblem("one", None, one.candidates, one.unknown, None)
    )
    with pytest.raises(InputError, match="does not say who wrote"):
        safety(tmp_path / "data", methods="svm", out=Path(tmp_path) / "run")
