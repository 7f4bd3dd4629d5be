"""The probe in whole runs: it finds topic, spares style, and sees nothing where there is nothing."""

import json
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner

from ravenbench.cli.main import build as application
from ravenbench.corpora.synthetic import Synthetic
from ravenbench.errors import CorpusError
from ravenbench.metrics.pan import auc_of_scores
from ravenbench.reports.cells import sides_of
from ravenbench.reports.content import (
    ContentRow,
    best_first,
    content_probe,
    content_sentence,
    headline,
)
from ravenbench.reports.report import analyse, write_report
from ravenbench.reports.view import figure
from ravenbench.statistics.axes import Content, State
from ravenbench.statistics.content import KeptFold, topic_aucs
from ravenbench.statistics.estimates import Estimate
from ravenbench.store.store import Store
from ravenbench.tasks.api import run
from ravenbench.tasks.run.record import RunPlan
from ravenbench.tasks.run.report import RunReport
from ravenbench.tasks.run.spec import build

pytestmark = pytest.mark.usefixtures("undrawn")

CORPUS = "synthetic(authors=120, topics=24, documents=960, words=60)"
OPTIONS = {
    "topics": 16,
    "folds": 4,
    "pools": 1,
    "samplers": "hits, random",
    "docs_per_topic": 40,
    "repetitions": 5,
}
VERIFIERS = "style-only, topic-only, length"
PLUGIN = """
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from ravenbench import Scorer

class ContentCosine(Scorer):
    def score(self, problems):
        vectors = TfidfVectorizer(max_df=0.2).fit_transform(list(problems.texts))
        known = vectors[problems.known_index]
        return np.asarray(known.multiply(vectors[problems.questioned_index]).sum(axis=1)).ravel()
"""
"""What a new user writes in ten lines: nothing is learned, and content is all that counts."""


@pytest.fixture(scope="module")
def probed(tmp_path_factory) -> Store:
    folder = tmp_path_factory.mktemp("probed") / "run"
    result = run(CORPUS, verifiers=VERIFIERS, out=folder, workers=1, **OPTIONS)
    assert not result.errors
    return result.store


def test_topic_is_found_and_style_spared(probed):
    made = RunReport(probed).to_json()
    domain = {p["verifier"]: p for p in made["domain"]}
    assert domain["topic-only"]["outcome"] == "depends" and domain["topic-only"]["gain"] > 0.1
    assert domain["style-only"]["outcome"] in ("less", "undecided")
    assert domain["length"]["outcome"] == "not applicable", (
        "a scorer that learns nothing has no training domain"
    )
    for p in domain.values():
        low, high = p["interval"]
        assert low <= p["gain"] <= high and p["repetitions"] == 5
    content = {p["verifier"]: p for p in made["content"]}
    assert content["topic-only"]["outcome"] == "relies" and content["topic-only"]["swing"] > 0.2
    assert content["style-only"]["outcome"] in ("less", "floor") and content["length"][
        "outcome"
    ] in ("guesses", "less")
    assert (
        content["topic-only"]["scores"]["drop"] > 0.1
        and "loses" in content["topic-only"]["findings"]
    )
    floor = made["content_references"]["by_words"][1]["content"]["style_left"]["value"]
    assert abs(floor - 0.5) < 0.1
    assert not any(row["batch_matters"] for row in made["content"])
    left = {name: content[name]["scores"]["style_left"] for name in ("style-only", "topic-only")}
    assert left["style-only"] > 0.7 > 0.6 > left["topic-only"]


def test_what_the_transplant_says_is_what_its_cells_say(probed):
    """Style left and swing, by hand from the cells of one verifier: of its answers, and of the scores behind them."""
    analysis = analyse(probed)
    row = analysis.content.row("topic-only")
    for found, kind in ((row.figures, "answers"), (row.behind, "scores")):
        areas = {"left": [], "swing": [], "plain": []}
        for entry in probed.plan_as(RunPlan).transplant.folds:
            if entry.replacement != row.replacement:
                continue
            same = probed.truth(entry.arms["along"])
            assert (same == probed.truth(entry.source)[entry.rows]).all()
            along, against, off = (
                getattr(probed.cell("topic-only", fold), kind) for fold in entry.arms.values()
            )
            plain = getattr(probed.cell("topic-only", entry.source), kind)[entry.rows]
            areas["plain"].append(auc_of_scores(same, plain))
            first = auc_of_scores(same, np.where(same, against, along))
            areas["left"].append((first + auc_of_scores(same, off)) / 2)
            areas["swing"].append(auc_of_scores(same, along) - auc_of_scores(same, against))
        for estimate, name in (
            (found.style_left, "left"),
            (found.swing, "swing"),
            (found.auc, "plain"),
        ):
            assert estimate.value == pytest.approx(np.mean(areas[name]))
    (shown,) = (r for r in analysis.results if r.verifier == "topic-only" and r.setup == "random")
    assert row.whole == pytest.approx(shown.mean["auc"]), "one AUC on a page"


def test_floors_have_intervals_and_what_decides_is_printed(probed):
    """Beside topic that misleads stands a scorer that guesses topic from what stays; nulls that keep a verifier from
    being cleared are there with their intervals."""
    made = RunReport(probed).to_json()
    reference = probed.plan_as(RunPlan).strata.reference
    assert set(reference) == {"helps", "misleads"}
    for row in made["content"]:
        low, high = row["floor_interval"]
        assert 0 <= low < row["floor"] < high <= 1
        low, high = row["null_decisions_interval"]
        assert 0 <= low <= row["null_decisions"] <= high <= 1
        assert [row["topic_misleads_floor"], *row["topic_misleads_floor_interval"]] == [
            *reference["misleads"]
        ]
        assert row["topic_helps_floor"] == reference["helps"][0]
    row = analyse(probed).content.row("topic-only")
    text = content_sentence(row)
    assert (
        "A scorer that guesses topic from the words that stay has"
        f" {figure(reference['misleads'][0])} (" in text
    )
    assert (
        f"content words only then has {figure(row.floor.value)} ({figure(row.floor.interval[0])}"
        in text
    )
    page = write_report(probed).read_text()
    assert "null decisions" in page and "interval of floor" in page


def test_who_goes_against_topic_gains_nothing_in_rank(probed):
    """Of verifiers without a content effect the lesser of two AUCs counts: where topic misleads, and where it helps."""
    row = analyse(probed).content.row("style-only")
    cleared = row.judged._replace(outcome=Content.LESS)

    def of(name: str, misleads: float, helps: float) -> ContentRow:
        two = (
            Estimate(value, 0.01, (value - 0.02, value + 0.02), 50.0) for value in (misleads, helps)
        )
        figures = dict(zip(("misleads", "helps"), two, strict=True))
        return replace(row, verifier=name, judged=cleared, **figures)

    honest, against, follower = (
        of("honest", 0.6, 0.8),
        of("against", 0.9, 0.2),
        of("follower", 0.4, 0.9),
    )
    assert [one.verifier for one in best_first([against, follower, honest])] == [
        "honest",
        "follower",
        "against",
    ]
    probe = replace(analyse(probed).content, rows=(against, honest))
    assert (
        "Best without a content effect: honest .600 (.580 to .620) where topic misleads"
        in headline(probe)
    )
    probe = replace(probe, rows=(against, of("other", 0.95, 0.1)))
    assert "against .200 (.180 to .220) where topic helps: it goes against topic" in headline(probe)


def test_a_scorer_that_goes_against_topic_ranks_below_an_honest_one(probed):
    """It answers the reverse of topic-only: better where topic misleads, and worse than guessing where it helps."""
    analysis = analyse(probed)
    plan = probed.plan_as(RunPlan)
    names = list(plan.strata.folds.values())
    sides = [sides_of(probed, name, plan.topics) for name in names]
    kept = [KeptFold(side.same, side.authors, side.problem, side.topics) for side in sides]
    against = [1 - probed.answers("topic-only", name) for name in names]
    helps, misleads = topic_aucs(kept, against, probed.similarity())
    honest = analysis.content.row("style-only")
    cleared = honest.judged._replace(outcome=Content.LESS)
    rows = [
        replace(honest, verifier="against", judged=cleared, helps=helps, misleads=misleads),
        replace(honest, judged=cleared),
    ]
    assert misleads.value > 0.5 > helps.value
    assert [row.verifier for row in best_first(rows)] == ["style-only", "against"]


def test_sentences_say_which_figures_they_are_of(probed):
    """One AUC, the other only where problems could not be rewritten; effects of answers before those of scores."""
    row = analyse(probed).content.row("topic-only")
    text = content_sentence(replace(row, whole=row.figures.auc.value))
    assert (
        text.startswith(f"AUC is {figure(row.figures.auc.value)}, and ")
        and "could be rewritten" not in text
    )
    assert "AUC is .912; on the problems that could be rewritten it is" in content_sentence(
        replace(row, whole=0.912)
    )
    (swing,) = (check for check in row.judged.checks if check.name == "swing" and check.raw)
    shift = swing._replace(
        name="turned", figure=swing.figure._replace(value=0.27), effect=Content.DISPLACED, raw=False
    )
    hidden = row.judged._replace(checks=(swing._replace(state=State.EFFECT),))
    assert "By the scores behind its answers: Topic changes AUC by +" in content_sentence(
        replace(row, judged=hidden)
    )
    moved = row.judged._replace(
        outcome=Content.DISPLACED, checks=(shift._replace(state=State.EFFECT),)
    )
    assert "With content replaced, 27 % of its decisions change" in content_sentence(
        replace(row, judged=moved)
    )
    barred = row.judged._replace(
        outcome=Content.NO_VERDICT, reason="it reads all test sets", checks=()
    )
    assert content_sentence(replace(row, judged=barred)).endswith(
        "No verdict: it reads all test sets."
    )


def test_a_verdict_does_not_depend_on_who_else_is_listed(probed, tmp_path):
    alone = run(CORPUS, verifiers="topic-only", out=tmp_path / "run", workers=1, **OPTIONS).store
    for axis in ("content", "domain"):
        (mine,) = RunReport(alone).to_json()[axis]
        assert mine == next(
            p for p in RunReport(probed).to_json()[axis] if p["verifier"] == "topic-only"
        )


def test_probe_folds_stay_out_of_the_setups(probed):
    analysis = analyse(probed)
    assert {f.setup for f in analysis.folds} == {"hits", "random"} and len(analysis.folds) == 8
    # Two folds are asked again as another batch; words are replaced in two ways; and strata are filled evenly.
    assert len(probed.plan.folds) == 8 + 2 * 5 * 4 + 2 * 4 * 3 + 2 + 4
    for entry in probed.plan_as(RunPlan).probe.repetitions:
        assert entry.matched_similarity > entry.mismatched_similarity or entry.null


def test_hard_pairs_are_described(probed):
    found = [s for s in analyse(probed).strata if s.verifier == "topic-only"]
    kinds = {(s.same_author, s.different_author): s.auc.value for s in found}
    assert kinds["two topics", "one topic"] < kinds["one topic", "two topics"]


def test_the_page_leads_with_the_verdicts(probed):
    page = write_report(probed).read_text()
    assert (
        page.index('id="table-glance"')
        < page.index("relies on content")
        < page.index('id="figure-content"')
        < page.index("HITS against Random")
    )
    assert 'id="figure-domain"' in page and "training domain: not applicable" in page
    assert page.index("Of 3 verifiers") < page.index('<dl class="verdicts">')
    assert (
        "Reference: what the probe leaves of content and lengths" in page
        and "compare each style left with this value" in page
    )


@pytest.mark.slow
def test_an_untrained_plugin_that_looks_at_content_is_flagged(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(tmp_path)
    options = OPTIONS | {"probe": "transplant"}
    store = run(
        CORPUS,
        verifiers="mine:ContentCosine, style-only",
        out=tmp_path / "run",
        workers=1,
        **options,
    ).store
    found = {p["verifier"]: p["outcome"] for p in RunReport(store).to_json()["content"]}
    assert found["mine:ContentCosine"] == "relies" and found["style-only"] in ("less", "floor")


HIDING = """
import numpy as np
from ravenbench import Scorer
from sklearn.feature_extraction.text import TfidfVectorizer

def cosine(problems):
    vectors = TfidfVectorizer(max_df=0.2).fit_transform(list(problems.texts))
    return np.asarray(vectors[problems.known_index].multiply(vectors[problems.questioned_index]).sum(axis=1)).ravel()

class Standardised(Scorer):
    def score(self, problems):
        found = cosine(problems)
        return (found - found.mean()) / (found.std() or 1)

class Keeping(Scorer):
    def fit(self, problems, same):
        self.kept_ = {}
        return self

    def score(self, problems):
        found = cosine(problems)
        return np.array([self.kept_.setdefault(i, s) for i, s in zip(problems.ids.tolist(), found)])


class Silent(Scorer):
    def fit(self, problems, same):
        used = {problems.texts[row] for row in problems.documents}
        self.words_ = TfidfVectorizer(max_df=0.2).fit(used)
        self.pairs_ = {(a, b) for text in used for a, b in zip(text.split(), text.split()[1:])}
        return self

    def score(self, problems):
        texts = [problems.texts[row].split() for row in problems.questioned_index]
        odd = np.array([np.mean([pair not in self.pairs_ for pair in zip(t, t[1:])]) for t in texts])
        vectors = self.words_.transform(list(problems.texts))
        both = vectors[problems.known_index].multiply(vectors[problems.questioned_index]).sum(axis=1)
        return np.where(odd > 0.9, 0.5, np.asarray(both).ravel())
"""


@pytest.mark.slow
def test_hiding_is_found_out(tmp_path, monkeypatch):
    """Standardising in the batch hides nothing, for arms are asked as sets; nor does falling silent on odd texts."""
    (tmp_path / "hiding.py").write_text(HIDING)
    monkeypatch.syspath_prepend(tmp_path)
    options = OPTIONS | {"probe": "transplant"}
    names = "hiding:Standardised, hiding:Silent, hiding:Keeping"
    store = run(CORPUS, verifiers=names, out=tmp_path / "run", workers=1, **options).store
    batched, silent, keeping = RunReport(store).to_json()["content"]
    assert keeping["outcome"] == "relies", (
        "arms have ids of their own, and a method that is asked once more knows of none"
    )
    assert batched["batch_matters"] and batched["outcome"] == "relies" and batched["swing"] > 0.3
    assert batched["both_ways"] is batched["null_swing"] is None
    assert not silent["batch_matters"] and silent["outcome"] in ("relies", "loses", "notices")
    assert "depend on the other problems of a batch" in write_report(store).read_text()


def test_a_folder_of_an_earlier_version_says_so(probed):
    plan = probed.plan_as(RunPlan).transplant
    old = [msgspec.structs.replace(fold, arms={}) for fold in plan.folds]
    found = content_probe(probed, msgspec.structs.replace(plan, folds=old), ["length"])
    assert (
        found.rows[0].judged.outcome is Content.NO_VERDICT
        and "repeat the run" in found.rows[0].judged.reason
    )


def test_too_few_donors_give_no_verdict_and_the_run_goes_on(tmp_path):
    small = {**OPTIONS, "docs_per_topic": 8, "topics": 4, "folds": 2}
    small["corpus"] = "synthetic(authors=12, topics=8, documents=96, words=40)"
    store = run(verifiers="length", out=tmp_path / "run", workers=1, **small).store
    (row,) = RunReport(store).to_json()["content"]
    assert row["outcome"] == "none" and "are needed" in row["reason"]
    assert "No verdict" in write_report(store).read_text()


@pytest.mark.slow
@pytest.mark.parametrize("what", ["topic", "author"])
def test_permuted_labels_leave_nothing_to_find(what, monkeypatch, tmp_path):
    corpus = Synthetic(authors=120, topics=24, documents=960, words=60).load()
    labels = getattr(corpus, what)
    order = np.random.default_rng(0).permutation(len(corpus))
    shuffled = replace(corpus, **{what: labels.take(order)})
    monkeypatch.setattr("ravenbench.tasks.run.plan.load_corpus", lambda _, **how: shuffled)
    result = run(
        CORPUS, verifiers="style-only, topic-only", out=tmp_path / "run", workers=1, **OPTIONS
    )
    analysis = analyse(result.store)
    for p in RunReport(result.store, analysis).to_json()["domain"]:
        assert p["outcome"] != "depends" and abs(p["gain"]) < 0.08
    if what == "author":
        assert all(abs(r.mean["auc"] - 0.5) < 0.08 for r in analysis.results)


def test_without_a_probe_there_is_no_verdict(tmp_path):
    result = run(
        CORPUS, verifiers="length", probe="none", out=tmp_path / "run", workers=1, **OPTIONS
    )
    analysis = analyse(result.store)
    made = RunReport(result.store, analysis).to_json()
    assert made["content"] == made["domain"] == []
    assert 'class="verdict' not in write_report(result.store, analysis).read_text()


def test_a_plan_says_what_would_be_and_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    flags = [
        "--topics",
        "4",
        "--folds",
        "2",
        "--pools",
        "2",
        "--repetitions",
        "2",
        "--verifiers",
        "length, char-ngram",
    ]
    done = CliRunner().invoke(application("run"), ["run", CORPUS, *flags, "--plan", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["cells"] == 2 * (3 * 2 * 2 + 2 * 2 * 2 * 3 + 2 + 2 * 2 + 2 * 2 * 4)
    assert found["detectable"] > 0 and found["detectable_gain"] > 0.02
    assert set(found["setups"]) == {"hits", "random", "anti"} and found["probe"]["folds"] == 16
    assert found["transplant"]["folds"] == 4
    assert found["no_choice"] is None
    shown = CliRunner().invoke(application("run"), ["run", CORPUS, *flags, "--plan"])
    text = " ".join(shown.output.split())
    assert "with 80 % power" in text and "crossed probe" in text
    assert not list(tmp_path.iterdir())


def table(folder, rows):
    path = folder / "posts.csv"
    words = [
        a + b
        for a in ("ba", "do", "ki", "mu", "le", "si", "ra", "po")
        for b in ("nen", "tor", "lap", "vim", "gus", "hed")
    ]
    lines = [
        f"{' '.join(np.random.default_rng(i).choice(words, 10))},{a},{t}"
        for i, (a, t) in enumerate(rows)
    ]
    path.write_text("\n".join(["text,author,topic", *lines]))
    return str(path)


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        (
            [(f"a{t}", f"t{t}") for t in range(8) for _ in range(20)],
            {},
            "no same-author pair has a different-author",
        ),
        ([(f"a{i % 9}", "t0") for i in range(80)], {}, "the same topic"),
        ([(f"a{i % 9}", f"t{i % 8}") for i in range(160)], {"pools": 5}, "too few for 5 pools"),
        ([(f"a{i}", f"t{i % 8}") for i in range(160)], {}, "no same-author pair"),
        ([("a", f"t{i % 8}") for i in range(160)], {}, "the same author"),
    ],
)
def test_what_a_corpus_cannot_fill_is_explained(tmp_path, rows, options, message):
    with pytest.raises(CorpusError, match=message) as caught:
        run(table(tmp_path, rows), verifiers="length", out=tmp_path / "run", workers=1, **options)
    assert caught.value.found and not (tmp_path / "run").exists()


def test_unknown_probes_are_refused():
    with pytest.raises(Exception, match="probe"):
        build({"probe": "twice"})


def test_two_topics_leave_hits_and_random_no_choice(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = table(tmp_path, [(f"a{i % 9}", f"t{i % 2}") for i in range(160)])
    planned = CliRunner().invoke(
        application("run"), ["run", path, "--verifiers", "length", "--plan"]
    )
    assert planned.exit_code == 0 and "both choose the same" in " ".join(planned.output.split())
    flags = ["--verifiers", "length", "--out", "two", "--workers", "1"]
    done = CliRunner().invoke(application("run"), ["run", path, *flags])
    assert done.exit_code == 0, done.output
    assert "HITS and Random cannot be compared: 2 of 2 topics are chosen" in " ".join(
        done.output.split()
    )
    found = json.loads((tmp_path / "two" / "report" / "report.json").read_text())
    assert (
        found["shortcut"] == []
        and found["detectable"] is None
        and "give a column" in found["no_choice"]
    )
    page = (tmp_path / "two" / "report" / "index.html").read_text()
    assert "cannot be compared" in page and 'id="shortcut"' not in page
