"""Contract 22: methods that look for company in whatever they are handed find none."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import extensions
import ravenbench
from ravenbench import registry
from ravenbench.components import foreign
from ravenbench.engine import apart, guard, walls
from ravenbench.engine.guard import answer, runs_program
from ravenbench.errors import CorpusError, InputError, MethodError
from ravenbench.problems.toys import toy_problems
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.reports.content import badge, exposure
from ravenbench.reports.report import write_report
from ravenbench.statistics.axes import Content, Judged
from ravenbench.store.records import GOOD_FAITH, VerifierRecord
from ravenbench.store.store import Store
from ravenbench.tasks.verify.plan import VerifyPlan
from ravenbench.verifiers.contract.base import as_verifier, fresh

if extensions.is_here("case"):
    from ext.case.comparable import FAST, background, case, text, write
    from ravenbench.ext.case.compare.model import read_scores, validate
    from ravenbench.ext.case.compare.record import ComparePlan
    from ravenbench.ext.case.content import UNTESTED

pytestmark = pytest.mark.usefixtures("undrawn")

of_cases = pytest.mark.skipif(
    not all(map(extensions.is_here, ("case", "unknown"))),
    reason="the extension case or unknown is not here",
)
CORPUS = "synthetic(authors=40, topics=8, documents=240, words=60)"
OPTIONS = {
    "topics": 4,
    "folds": 2,
    "pools": 1,
    "samplers": "random",
    "docs_per_topic": 8,
    "probe": "transplant",
}
COMPANY = '''
import gc, os, signal, socket, subprocess, sys, tempfile, time
from pathlib import Path
import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from ravenbench import Scorer
from ravenbench.ext.retrieval.methods import Retriever
from ravenbench.store.store import Store
from ravenbench.texts import TextTable
from ravenbench.ext.encoders.kept_vectors import KeptVectors
from ravenbench.types import Fold

SEEN = []
HERE = Path(__file__).parent


def marks(text):
    return np.array([text.count(c) / len(text) for c in ",.;:!?-()"] + [text.count(" the ") / len(text)])


def alone(problems, part=False):
    table = problems.texts
    cited = {*problems.known_index.tolist(), *problems.questioned_index.tolist()}
    assert part or cited == set(range(len(table))), "the table has more texts than problems cite"
    assert table.path is None and isinstance(table._data, bytes), "the table leads to the run's folder"
    assert [bytes(h) for h in table.hashes] == sorted(bytes(h) for h in table.hashes), "rows say something"
    assert problems.ids.tolist() == sorted(problems.ids.tolist()), "the order says something"
    assert all(len(name) == 20 and set(name) <= set("0123456789abcdef") for name in problems.ids), "ids say something"


def nobody(mine):
    """Nothing in the memory, the environment and the folders of this process tells of other texts. The
    memory is all that was made since this process was forked from one that never had any."""
    own = set(mine)
    for one in gc.get_objects():
        assert not isinstance(one, (Store, Fold)), "there is a run in memory"
        assert not isinstance(one, TextTable) or set(one) <= own, "there are other texts in memory"
    frame = sys._getframe()
    while frame is not None:
        assert not any(isinstance(value, (Store, Fold)) for value in frame.f_locals.values())
        frame = frame.f_back
    said = " ".join([*os.environ.values(), *sys.argv, *map(str, mine)])
    assert not any(word in said for word in ("p00-", "-along", "-against", "company-run")), "something names the arm"
    assert not SEEN and not Marks.seen and "COMPANY" not in os.environ, "something is left of another call"
    assert not os.listdir(tempfile.gettempdir()), "there are files of another call"
    SEEN.extend(mine)
    Marks.seen.extend(mine)
    os.environ["COMPANY"] = "1"
    Path(tempfile.gettempdir(), "kept").write_text("\\n".join(mine))


class Marks(Scorer):
    seen = []

    def score(self, problems):
        def of(rows):
            return np.mean([marks(problems.texts[row]) for row in rows], axis=0)

        ends = enumerate(problems.questioned_index)
        return np.array([-np.abs(of(problems.known(i)) - of([q])).sum() for i, q in ends])


class Seeker(Marks):
    """The first time it is asked, a calibrator learns from what it says of other training problems."""

    def fit(self, problems, same):
        alone(problems, part=True)
        assert problems.author is None or len(problems.author.names) <= len(problems.texts), "labels name others"
        self.asked_ = 0
        return self

    def score(self, problems):
        alone(problems, part=not self.asked_)
        self.asked_ += 1
        return super().score(problems)


class Alone(Seeker):
    def score(self, problems):
        if self.asked_:
            nobody(problems.texts)
        return super().score(problems)


class Locked(Alone):
    """What it learns cannot be pickled."""

    def fit(self, problems, same):
        self.lock_ = open(os.devnull)
        return super().fit(problems, same)


class Free(Marks):
    fold_free = True

    def pair_features(self, texts, known, questioned):
        raise ValueError("it was asked about documents of all folds")


class Weights(Marks):
    def __init__(self, weights: str | None = None):
        self.weights = weights

    def fit(self, problems, same):
        self.weights_ = np.load(self.weights or HERE / "weights.npy")
        return self


class Leaves(Marks):
    """A program goes on running when the method's process breaks down."""

    def score(self, problems):
        if child := os.fork():
            (HERE / "left.txt").write_text(str(child))
            os._exit(3)
        time.sleep(600)


class Daemon(Marks):
    """What it starts leaves its session, its group and its parent."""

    def score(self, problems):
        name = HERE / f"daemon-{os.getpid()}.txt"
        if not os.fork():
            os.setsid()
            if daemon := os.fork():
                name.write_text(str(daemon))
                os._exit(0)
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
            os._exit(0)
        os.wait()
        return super().score(problems)


class DaemonBreaks(Daemon):
    def score(self, problems):
        super().score(problems)
        os._exit(3)


class DaemonWaits(Daemon):
    def score(self, problems):
        super().score(problems)
        time.sleep(600)


class Tidy(Marks):
    """It makes and removes files in its own folder alone, and reads what the system says."""

    def score(self, problems):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "deep").mkdir()
            Path(folder, "deep", "file").write_text("x")
            os.chmod(Path(folder, "deep", "file"), 0o600)
        Path("/sys/fs/cgroup/cpu.max").exists() and Path("/sys/fs/cgroup/cpu.max").read_text()
        return super().score(problems)


class Retrieves(Retriever):
    def fit(self, pool, keep=None, shard=None):
        assert not len(pool.plain.queries) and not len(pool.plain.true) and not pool.versions
        assert not pool.candidates.labels and set(pool.candidates.rows) == set(range(len(pool.texts)))
        assert pool.texts.path is None and pool.candidates.ids == sorted(pool.candidates.ids)
        return super().fit(pool, keep, shard)

    def ask(self, queries):
        assert not queries.labels and queries.ids == sorted(queries.ids)
        candidates = set(self.pool_.candidates.rows)
        assert candidates | set(queries.rows) == set(range(len(self.pool_.texts)))
        nobody(self.pool_.texts)
        return super().ask(queries)

    def embed(self, texts):
        return np.array([marks(text) for text in texts]) + 1e-9


FUNCTION = frozenset("the of and to in that it was he with as his on be at by had not but from or which they".split())
FRAMES = {}


def frames(texts):
    """No text has the frame of another one here, or that this process was asked about: one was made of the other."""
    for text in texts:
        frame = tuple(word for word in text.lower().split() if word in FUNCTION)
        assert FRAMES.setdefault(frame, text) == text, "a text stands beside its original, or beside its twin"


class Case(Seeker):
    """For compare and validate, which calibrate scores themselves."""

    def fit(self, problems, same):
        super().fit(problems, same)
        self.asked_ = 1
        return self

    def score(self, problems):
        nobody(problems.texts)
        frames(problems.texts)
        return super().score(problems)


class CaseStays(Case):
    """It is not sent."""

    def __reduce__(self):
        raise TypeError("it stays")

    def score(self, problems):
        return Marks.score(self, problems)


class Candidates:
    """An attributor that scores."""

    def get_params(self, deep=True):
        return {}

    def fit(self, texts, authors):
        self.names_ = sorted(set(authors))
        groups = [[t for t, a in zip(texts, authors) if a == name] for name in self.names_]
        self.of_ = np.array([np.mean([self.rates(t) for t in group], axis=0) for group in groups])
        return self

    def rates(self, text):
        words = text.lower().split()
        return np.array([words.count(word) / len(words) for word in sorted(FUNCTION)])

    def scores(self, texts):
        assert type(texts) is list
        frames(texts)
        return -np.abs(np.array([self.rates(t) for t in texts])[:, None] - self.of_).sum(axis=2)

    def predict(self, texts):
        return [self.names_[i] for i in self.scores(texts).argmax(axis=1)]


class Liar(Free):
    """It says that it is Raven's own."""

    __module__ = "ravenbench.verifiers.baselines"


class Names:
    """An attributor."""

    def get_params(self, deep=True):
        return {}

    def fit(self, texts, authors):
        assert type(texts) is list and all(type(text) is str for text in texts)
        self.seen_ = set(texts)
        self.first_ = authors[0]
        return self

    def predict(self, texts):
        assert type(texts) is list and not self.seen_ & set(texts)
        return [self.first_] * len(texts)
'''


@pytest.fixture
def company(tmp_path, monkeypatch) -> Path:
    (tmp_path / "company.py").write_text(COMPANY)
    np.save(tmp_path / "weights.npy", np.random.default_rng(0).normal(size=4000))
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("company", None)


def ended(folder: Path) -> bool:
    """Whether all daemons that wrote their number here end within a minute; at least one wrote it."""
    written = list(folder.glob("daemon-*.txt"))
    numbers = [int(one.read_text()) for one in written]
    for one in written:
        one.unlink()
    until = time.monotonic() + 60
    while (living := any(map(alive, numbers))) and time.monotonic() < until:
        time.sleep(0.05)
    return bool(numbers) and not living


def alive(process: int) -> bool:
    place = Path(f"/proc/{process}/cmdline")
    return place.exists() and bool(place.read_bytes())


def reasons(store: Store, name: str) -> set[str]:
    cells = [store.read_cell(place.key) for place in store.plan.cells if place.verifier == name]
    assert all(cell is not None and cell.error is None for cell in cells), [
        c and c.error for c in cells
    ][:1]
    return {cell.record.exposed for cell in cells}


HERE = f"{GOOD_FAITH} (its code ran in Raven's own process)"


def ways(store: Store, name: str) -> set[str]:
    places = [place for place in store.plan.cells if place.verifier == name]
    return {store.read_cell(place.key).record.programs for place in places}


def test_verifiers_find_nobody(company, monkeypatch):
    import company as module

    names = "length, company:Alone, company:Locked, company:Free"
    store = ravenbench.run(
        CORPUS, verifiers=names, out=company / "company-run", workers=1, **OPTIONS
    ).store
    for name in ("Alone", "Locked", "Free"):
        assert reasons(store, f"company:{name}") == {""}, name
    fold = store.shared_fold("p00-random-0")
    asked = fold.test.select(np.arange(3))
    weights = str(company / "weights.npy")
    for method in (module.Weights(weights), module.Liar(), module.Tidy()):
        assert apart.outsider(method)
        learned = apart.learned(method, store, fold.train, fold.train_same)
        apart.answered(learned, store, fold.name, asked)
        assert apart.exposed(method, store, learned) == "", method
    with pytest.raises(guard.Reported, match="a confined method sees only its own code"):
        apart.learned(module.Weights(), store, fold.train, fold.train_same)
    monkeypatch.setenv(walls.SWITCH, "off")  # behind walls nobody outside can be told a number
    apart._servers.last.end()
    with pytest.raises(MethodError, match="ended its process"):
        apart.learned(module.Leaves(), store, fold.train, fold.train_same)
    left = Path("/proc", (company / "left.txt").read_text(), "cmdline")
    assert not left.exists() or not left.read_bytes(), "what it started goes on"
    for method in (module.Daemon(), module.DaemonBreaks()):
        with suppress(MethodError):
            apart.learned(method, store, fold.train, fold.train_same)
        assert ended(company), f"{method}: a daemon goes on"
    apart._servers.last.end()
    for place in store.plan.cells:
        if place.verifier == "length":
            assert b"exposed" not in store.cell_path(place.key).read_bytes(), (
                "cells of Raven's own have no such field"
            )
    parted = 0
    for name, record in store.plan.folds.items():
        test = store.shared_fold(name).test
        groups = apart.parts(store, name, test)
        assert sorted(np.concatenate(groups).tolist()) == list(range(len(test)))
        if record.transplanted is None:
            continue
        parted += len(groups) > 1
        source = store.shared_fold(record.source).test
        origin = {
            apart.arm_id(name, i): row
            for i, row in zip(source.ids, source.questioned_index, strict=True)
        }
        for rows in groups:
            table = {bytes(h) for h in apart.handed(test.select(rows))[0].texts.hashes}
            for i in rows.tolist():
                original = origin[test.ids[i]]
                spliced = original != test.questioned_index[i]
                assert not spliced or test.texts.hash(original) not in table, (
                    "an original beside its splice"
                )
    assert parted, "the corpus has no text that is known in one problem and questioned in another"


KILLED = """
import sys
sys.path.insert(0, sys.argv[1])
import company, numpy
from ravenbench.engine import apart, walls
from ravenbench.problems.toys import toy_problems
problems, same = toy_problems(20, seed=1)
with apart.process(walls.view(["company"], [], None)) as process:
    process.ask(apart.learn, company.DaemonWaits(), problems, same, False)
"""


@pytest.mark.skipif(not apart.FORKS, reason="this system does not adopt orphans")
def test_daemons_end_with_the_command(company, monkeypatch):
    monkeypatch.setenv(walls.SWITCH, "off")  # behind walls nobody outside can be told a number
    command = subprocess.Popen([sys.executable, "-c", KILLED, str(company)])
    until = time.monotonic() + 60
    while not any(one.read_text() for one in company.glob("daemon-*.txt")):
        assert command.poll() is None and time.monotonic() < until
        time.sleep(0.05)
    assert all(alive(int(one.read_text())) for one in company.glob("daemon-*.txt"))
    command.kill()
    command.wait()
    assert ended(company)


def test_what_is_said_of_a_method_of_others():
    judged = Judged(Content.LESS, 0.02)
    assert badge(judged) == "no content effect beyond ±.02"
    for outcome in (Content.LESS, Content.FLOOR):
        assert badge(Judged(outcome, 0.02, confinement=GOOD_FAITH)).endswith(f" ({GOOD_FAITH})")
    record = {"name": "x", "spec": "x", "identity": 0, "version": 1}
    assert VerifierRecord(**record, foreign=True).confinement == GOOD_FAITH
    assert VerifierRecord(**record, source="hash").confinement == GOOD_FAITH, (
        "of an old plan nobody knows"
    )
    assert not VerifierRecord(**record, source="hash", foreign=False).confinement


def test_who_may_know_more_is_not_cleared(company, monkeypatch):
    def refuse(value):
        raise TypeError("cannot be pickled")

    import_module("company")  # what is loaded here is pickled here
    monkeypatch.setattr(apart, "pickled", refuse)
    out = company / "company-run"
    store = ravenbench.run(CORPUS, verifiers="company:Seeker", out=out, workers=1, **OPTIONS).store
    assert reasons(store, "company:Seeker") == {why := "it cannot be sent to another process"}
    cells = [store.read_cell(place.key) for place in store.plan.cells]
    assert (
        exposure(store, "company:Seeker", cells) == why and why in write_report(store).read_text()
    )


def test_who_learned_from_what_is_asked_or_from_what_is_not_known_is_not_cleared(company):
    import company as module

    given, saved = company / "given", company / "saved"
    write_pan_problems(given, *toy_problems(44, seed=1), "english", "essays")
    for name, source, why in (
        (
            "a",
            {"train": given, "save": saved},
            "some of the questioned texts are among those it learned from",
        ),
        ("b", {"load": saved}, "Raven does not know what texts it learned from"),
    ):
        store = ravenbench.verify(
            module.Marks(),
            test=given,
            folder=company / name,
            probe="transplant",
            allow_shared=True,
            workers=1,
            **source,
        ).store
        blocks = store.plan_as(VerifyPlan).blocks
        asked = [store.read_cell(block.key).record for block in blocks]
        assert {record.programs for record in asked} == {HERE}
        assert {store.read_cell(block.key).record.exposed for block in blocks} == {why} and len(
            blocks
        ) > 1


def test_attributors_get_their_texts_alone(company):
    import company as module

    named = ravenbench.attribute(CORPUS, methods=[module.Names()], out=company / "named", workers=1)
    assert not named.errors
    assert not CLEARING.search(write_report(named.store).read_text()), "this task clears nobody"


def test_retrievers_find_nobody(company):
    out = company / "company-run"
    ravenbench.retrieve(
        CORPUS, methods="company:Retrieves, delta", rerank="company:Alone", out=out, workers=1
    )
    store = Store.open(out)
    assert reasons(store, "company:Retrieves") == {""}
    assert ways(store, "company:Retrieves") == {HERE}, "it is loaded in the run's own process"


CLEARING = re.compile(
    r"no content effect|free of content|does not (rest|depend) on content|evidence is style",
    re.IGNORECASE,
)
OF_CASES = "company:Case, company:CaseStays, function-words"


@of_cases
def test_cases_hand_no_text_beside_its_original(company, monkeypatch):
    monkeypatch.setattr("ravenbench.ext.case.compare.background.LIKE", 8)
    monkeypatch.setattr("ravenbench.ext.case.compare.background.FEWEST_AUTHORS", 8)
    import_module("company")  # what is loaded here is pickled here, which one refuses
    options = FAST | {"verifiers": OF_CASES, "folds": 2, "donors": 1}
    questioned, known = case(company)
    made = ravenbench.compare(
        questioned=questioned,
        known=known,
        background=background(company / "others"),
        out=company / "company-run",
        **options,
    )
    assert not made.errors, made.errors
    assert reasons(made.store, "company:Case") == {""}
    assert reasons(made.store, "company:CaseStays") == {"it cannot be sent to another process"}
    page = write_report(made.store)
    (told,) = json.loads((page.parent / "case.json").read_text())["cases"]
    contents = {one["verifier"]: one for one in told["scored"]["verifiers_and_content"]}
    assert {one["tested"] for one in contents.values()} == {False}
    barred = contents.pop("company:CaseStays")
    assert barred["done"] == "not isolated" and barred["auc_content_replaced"] is None
    assert all(
        one["done"] != "not isolated" and one["auc_content_replaced"] > 0
        for one in contents.values()
    )
    assert UNTESTED in " ".join(page.read_text().split())


@of_cases
@pytest.mark.slow
def test_a_validation_hands_no_text_beside_its_original(company, monkeypatch):
    """It asks verifiers by the units of a case (``ext.case.compare.units``), which the test above has."""
    monkeypatch.setattr("ravenbench.ext.case.compare.background.FEWEST_AUTHORS", 8)
    import_module("company")
    others = background(company / "others")
    conditions = company / "conditions.csv"
    conditions.write_text("name,questioned,known,texts\nplain,200,200,1\n")
    options = FAST | {"verifiers": OF_CASES, "folds": 2, "donors": 1}
    dossier = ravenbench.validate(
        others, conditions=conditions, out=company / "company-run-2", **options
    )
    assert not dossier.errors, dossier.errors
    assert reasons(dossier.store, "company:Case") == {""}
    page = write_report(dossier.store)
    assert UNTESTED in " ".join(page.read_text().split())
    of_cell = json.loads((page.parent / "report.json").read_text())["verifiers_and_content"][
        "plain"
    ]
    assert [one["done"] == "not isolated" for one in of_cell] == [False, True, False]


@of_cases
def test_a_case_says_nothing_of_style_by_methods_that_may_know_more(company, monkeypatch):
    monkeypatch.setattr("ravenbench.ext.case.compare.background.LIKE", 8)
    monkeypatch.setattr("ravenbench.ext.case.compare.background.FEWEST_AUTHORS", 8)
    import_module("company")
    questioned, known = case(company)
    made = ravenbench.compare(
        questioned=questioned,
        known=known,
        background=background(company / "others"),
        out=company / "company-run",
        **FAST | {"verifiers": "company:CaseStays", "folds": 2, "donors": 1},
    )
    assert not made.errors, made.errors
    (found,) = ravenbench.analyse(made.store).cases
    assert found.scored is not None, found.reasons
    plan = made.store.plan_as(ComparePlan)
    valid = validate(read_scores(made.store, plan, plan.shapes[0]).pairs)
    assert found.scored.content is None and np.isnan(valid.raw.style["all together"]).all()
    assert not CLEARING.search(write_report(made.store).read_text())


@of_cases
def test_candidates_are_not_told_apart_by_originals(company, monkeypatch):
    import company as module

    def refuse(value):
        raise TypeError("cannot be pickled")

    for author in range(3):
        for number in range(5):
            write(
                company / "candidates" / f"a{author}" / f"{number}.txt", text(author, number, 200)
            )
    write(company / "unknown.txt", text(1, 50, 200))
    method = module.Candidates()
    for why in ("", "it cannot be sent to another process"):
        if why:
            monkeypatch.setattr(apart, "pickled", refuse)
            monkeypatch.setattr(module, "frames", len)  # all calls are then asked at once
        out = company / f"company-run-{bool(why)}"
        made = ravenbench.attribute(
            unknown=company / "unknown.txt",
            candidates=company / "candidates",
            methods=[method],
            out=out,
            workers=1,
        )
        assert not made.errors, made.errors
        (name,) = (one.name for one in made.store.plan.verifiers)
        assert reasons(made.store, name) == {why}
        assert why or ways(made.store, name) == {HERE}
        (one,) = ravenbench.analyse(made.store).texts
        said = one.content.sentence
        assert (why in said) if why else "may know more" not in said
        page = write_report(made.store)
        assert "for content on these texts" in page.read_text()
        assert not why or not CLEARING.search(page.read_text())


def own_verifiers() -> list[str]:
    names = []
    for name in registry.names("verifier"):
        try:
            component = registry.parse("verifier", name)
        except InputError:
            continue
        if not runs_program(component) and ".neural." not in type(component).__module__:
            names.append(name)
    return names


CHEAPER = {
    "moreau-2014": "moreau-2014(population=10, generations=4)",
    "unmasking": "unmasking(runs=1)",
    "mayor-2014": "mayor-2014(iterations=7)",
}
"""Methods that search or repeat, told to do so less."""


@pytest.mark.parametrize("name", own_verifiers())
def test_ravens_own_answer_the_same(name):
    component = registry.parse("verifier", CHEAPER.get(name, name))
    assert not foreign(component)
    try:
        component.require()
        verifier = as_verifier(fresh(component)).fit(*toy_problems(30, seed=1))
    except (CorpusError, InputError) as error:
        pytest.skip(str(error))
    test = toy_problems(12, seed=2)[0].blind()
    handed, order = apart.handed(test)
    handed = replace(
        handed, ids=test.ids[order]
    )  # what is drawn for a problem is drawn by its id (contract 15)
    for whole, alone in zip(answer(verifier, test), answer(verifier, handed), strict=True):
        np.testing.assert_allclose(alone, whole[order], atol=1e-12)
