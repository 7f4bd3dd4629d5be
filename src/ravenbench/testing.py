"""Checks that a component keeps the bench's contract; built-ins and plugins run the same checks (contracts 1, 4, 5, 10,
15).

In: ``check_verifier``, ``check_metric``, ``check_calibrator``, ``check_sampler``, ``check_obfuscator``: a component
(and perhaps test data); ``check_component``: also its kind; ``check_corpus``: a ``Corpus``; ``check_task``: a task's
class and the values of its options.
Out: nothing, where every promise is kept; else AssertionError with one sentence that names the broken promise.
``toy_tasks`` gives n ``ObfuscationTask``s (English texts), ``toy_problems`` problems to check with.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from ravenbench import registry
from ravenbench.components import Component, foreign, foreign_kinds, identity
from ravenbench.errors import CorpusError, InputError
from ravenbench.metrics.base import Metric, measure
from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator
from ravenbench.problems.toys import toy_problems as toy_problems
from ravenbench.randomness import stream
from ravenbench.sampling import Sampler
from ravenbench.store.resume import folder_lock
from ravenbench.store.store import Store
from ravenbench.types import Bools, Corpus, Floats, Problems
from ravenbench.verifiers.contract import persist
from ravenbench.verifiers.contract.base import Calibrator, Scorer, as_verifier

TOLERANCE = 1e-5
"""By how much answers may differ where the same sums are added up in another order: that of single precision."""


def check_component(kind: str, component: Component) -> None:
    """Check that a component prints itself, parses back, clones and pickles, and that ``__init__`` only stores."""
    kind_of = type(component).__qualname__
    assert isinstance(component, Component), (
        f"{kind_of} is not a component; an estimator becomes a verifier by"
        f" ravenbench.Estimator({kind_of}(…))"
    )
    stored = vars(component)
    lacking = [name for name in component._parameters() if not hasattr(component, name)]
    assert not lacking, (
        f"{kind_of}: __init__ must store {lacking[0]} under its own name (self.{lacking[0]})"
    )
    extra = [
        name for name in stored if name not in component._parameters() and not name.endswith("_")
    ]
    assert not extra, (
        f"{kind_of}: __init__ sets the attribute {extra[0]}, which saved copies do not have;"
        f" compute it in fit and call it {extra[0].strip('_')}_, or make it a property"
    )
    identity(component)
    text = str(component)
    assert registry.parse(kind, text) == component, (
        f"{text} cannot be parsed back to an equal component"
    )
    copy = clone(component)
    assert copy == component and copy is not component, f"clone({text}) differs"
    parameters = component.get_params(deep=False)
    for name, value in parameters.items():
        assert getattr(component, name) is value, (
            f"{text}: __init__ must store {name} without changing it"
        )
    assert copy.set_params(**parameters) is copy and copy == component, (
        f"{text}: set_params must set and return self"
    )
    learned = [name for name in vars(component) if name.endswith("_") and not name.startswith("_")]
    assert not learned, f"{text} has learned state before fit: {learned}"
    assert isinstance(component.version, int), f"{text}: version must be an integer"
    pickle.loads(pickle.dumps(component))


def check_verifier(
    component: Component, *, known: int = 1, problems: tuple[Problems, Bools] | None = None
) -> None:
    """Check every promise of a scorer or verifier.

    It is used as a scikit-learn estimator is: ``fit`` returns it, and before ``fit`` it raises
    ``NotFittedError``, unless it learns nothing.

    Answers are float64 in [0, 1], one a problem, finite; refitting and repeating change nothing; a score
    does not depend on the rest of its batch (unless ``transductive``), on problem order, or on the pair's
    order (if ``symmetric``), beyond ``TOLERANCE``; inputs are left alone; scores of a scorer are finite (or NaN: it
    cannot tell) and right in shape; saved and loaded it answers the same to the last bit (of a part of scikit-learn
    that has no form on disk a warning says so: it bars the verifier from being saved, and from nothing else). Another
    process, in which Python's ``hash`` gives other numbers, finds the same answers within ``TOLERANCE``.
    """
    kinds = set[type]()
    with suppress(AttributeError):  # a parameter that is not kept is told below
        kinds = foreign_kinds(component)
    if kinds & {*registry.STAND_INS.values()}:
        with registry.importing("here"):  # the class itself is checked, not what stands for it
            component = registry.parse("verifier", str(component))
    check_component("verifier", component)
    train, same = problems or toy_problems(60, known, seed=1)
    test, _ = toy_problems(20, known, seed=2) if problems is None else problems
    blind = test.blind()
    given_before = _bytes_given(train, same, blind)
    name = str(component)
    verifier = as_verifier(clone(component))
    early = _before_fit(verifier.verify, blind, name)
    assert verifier.fit(train, same) is verifier, f"{name}: fit must return the verifier itself"
    answers = verifier.verify(blind)
    assert early is None or np.array_equal(early, answers), (
        f"{name}: before fit it must raise NotFittedError"
    )
    assert answers.shape == (len(blind),) and answers.dtype == np.float64, (
        f"{name}: answers must be float64 (n,)"
    )
    assert np.isfinite(answers).all(), f"{name}: an answer is not finite"
    assert ((answers >= 0) & (answers <= 1)).all(), f"{name}: an answer is outside [0, 1]"
    assert _bytes_given(train, same, blind) == given_before, (
        f"{name}: fit or verify changed its input"
    )
    assert np.array_equal(answers, verifier.verify(blind)), f"{name}: verify is not repeatable"
    trained_again = as_verifier(clone(component)).fit(train, same)
    assert np.array_equal(answers, trained_again.verify(blind)), (
        f"{name}: fitting twice gives different answers"
    )
    with tempfile.TemporaryDirectory() as folder:
        try:
            loaded = persist.load(persist.save(verifier, Path(folder) / "trained"), component)
        except persist.NotKept as error:
            loaded = verifier
            warnings.warn(
                f"{name} can be run, but raven verify --save refuses it: {error.problem}",
                stacklevel=2,
            )
    try:
        kept_answers = loaded.verify(blind)
    except AttributeError as error:
        learned = (
            "fit must store what it learns under names that end in _ and do not begin with"
            " it, such as vectorizer_"
        )
        raise AssertionError(
            f"{name}: after saving and loading it cannot answer ({error}): {learned}"
        ) from error
    assert np.array_equal(answers, kept_answers), (
        f"{name}: after saving and loading it gives different answers"
    )
    elsewhere = _another_process(component, train, same, blind)
    _close(
        answers,
        elsewhere,
        (
            f"{name}: another process gives different answers; does it use hash() or the order of"
            " a set, or draw without a seed"
        ),
    )
    if isinstance(component, Scorer):
        scorer = clone(component)
        early = _before_fit(scorer.score, blind, name)
        assert scorer.fit(train, same) is scorer, f"{name}: fit must return the scorer itself"
        scores = scorer.score(blind)
        same_scores = early is None or np.array_equal(early, scores, equal_nan=True)
        assert same_scores, f"{name}: before fit it must raise NotFittedError"
        assert len(scores) == len(blind), f"{name}: there must be one score for each problem"
        assert not np.isinf(scores).any(), (
            f"{name}: scores must be finite, or NaN if it cannot tell"
        )
    if not verifier.transductive:
        order = stream(3, "check-order").permutation(len(blind))
        _close(
            answers[order],
            verifier.verify(blind.select(order)),
            f"{name}: answers depend on problem order",
        )
        partial_answers = [
            verifier.verify(blind.select(rows)) for rows in np.array_split(np.arange(len(blind)), 3)
        ]
        _close(
            answers,
            np.concatenate(partial_answers),
            f"{name}: an answer depends on the rest of its batch",
        )
    if verifier.symmetric and (blind.sizes == 1).all():
        _close(
            answers,
            verifier.verify(blind.swapped()),
            f"{name}: exchanging the texts of a pair changes the answer",
        )


def check_corpus(corpus: Corpus) -> None:
    """Check that columns agree in length, ids and texts are distinct, and every document has a text and an author."""
    n = len(corpus)
    assert n == len(corpus.texts) == len(corpus.author) == len(corpus.topic), (
        "columns have different lengths"
    )
    assert len(set(corpus.ids)) == n, "ids repeat"
    assert len({corpus.texts.hash(i) for i in range(n)}) == n, "texts repeat"
    assert all(text.strip() for text in corpus.texts), "a text is empty"
    assert (corpus.author.codes >= 0).all(), "a document has no author"
    for name, labels in corpus.columns.items():
        assert len(labels) == n, f"column {name} has a different length"


def check_metric(component: Metric) -> None:
    """Check every promise of a metric.

    It has a title; its value is one finite number for problems of both classes and the same again; it does not depend
    on the order of problems, leaves its input alone, does not fail where truth has one class, and calls the right
    answers no worse than the opposite ones.
    """
    check_component("metric", component)
    name = str(component)
    assert component.title, f"{name}: it needs a title for tables"
    assert component.reads in (
        "answers",
        "log-odds",
        "scores",
    ), f"{name}: it cannot read {component.reads!r}"
    rng = stream(4, "check-metric")
    truth = rng.random(80) < 0.4
    answers = np.clip(0.5 + 0.3 * (truth - 0.5) + 0.2 * rng.standard_normal(80), 0.01, 0.99).round(
        3
    )
    scores = 10 * (answers - 0.5)
    given_before = truth.tobytes(), answers.tobytes(), scores.tobytes()
    values = measure(component, truth, answers, scores)
    assert np.isfinite(values), f"{name}: no value for problems of both classes"
    assert values == measure(component, truth, answers, scores), (
        f"{name}: two calls give different values"
    )
    for order in (np.arange(80)[::-1], np.argsort(answers, kind="stable")):
        value_again = measure(component, truth[order], answers[order], scores[order])
        assert abs(value_again - values) <= 1e-9 * max(1.0, abs(values)), (
            f"{name}: it depends on the order of problems"
        )
    assert (
        truth.tobytes(),
        answers.tobytes(),
        scores.tobytes(),
    ) == given_before, f"{name}: it changes its input"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for labels in (truth, ~truth):
            measure(component, truth[labels], answers[labels], scores[labels])
    good = np.where(truth, 0.9, 0.1)
    right, wrong = (
        measure(component, truth, answers_tried, 10 * (answers_tried - 0.5))
        for answers_tried in (good, 1 - good)
    )
    better = right >= wrong if component.higher else right <= wrong
    assert better or np.isnan(right + wrong), f"{name}: wrong answers get a better value"


def check_calibrator(component: Calibrator) -> None:
    """Check every promise of a calibrator.

    ``fit`` returns it; answers are float64 (n,) in [0, 1] and the same again; they do not fall where scores rise, and
    do not depend on the rest of the batch; scores and truth are left alone.
    """
    check_component("calibrator", component)
    name = str(component)
    rng = stream(6, "check-calibrator")
    same = rng.random(200) < 0.5
    scores = same + 0.8 * rng.standard_normal(200)
    new_scores = np.sort(0.5 + 1.5 * rng.standard_normal(60))
    given_before = same.tobytes(), scores.tobytes(), new_scores.tobytes()
    fitted = clone(component)
    assert fitted.fit(scores, same) is fitted, f"{name}: fit must return the calibrator itself"
    answers = fitted.transform(new_scores)
    assert answers.shape == (60,) and answers.dtype == np.float64, (
        f"{name}: answers must be float64 (n,)"
    )
    assert ((answers >= 0) & (answers <= 1)).all(), f"{name}: an answer is not a number in [0, 1]"
    assert np.array_equal(answers, fitted.transform(new_scores)), (
        f"{name}: transform is not repeatable"
    )
    assert (np.diff(answers) >= -TOLERANCE).all(), f"{name}: a higher score gives a lower answer"
    transformed_parts = [fitted.transform(part) for part in np.array_split(new_scores, 3)]
    _close(
        answers,
        np.concatenate(transformed_parts),
        f"{name}: an answer depends on the rest of its batch",
    )
    transformed_again = clone(component).fit(scores, same).transform(new_scores)
    assert np.array_equal(answers, transformed_again), (
        f"{name}: fitting twice gives different answers"
    )
    assert (
        same.tobytes(),
        scores.tobytes(),
        new_scores.tobytes(),
    ) == given_before, f"{name}: it changes its input"


def check_sampler(component: Sampler) -> None:
    """Check every promise of a topic sampler.

    It chooses m different topics, each of which belongs to itself, and others to a chosen one or to none (−1); the same
    draws give the same choice; similarities are left alone; more topics than there are raise ``CorpusError``.
    """
    check_component("sampler", component)
    name = str(component)
    vectors = stream(7, "check-sampler").standard_normal((12, 5))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    similarity = np.clip(vectors @ vectors.T, -1, 1)
    given_before = similarity.tobytes()
    for topic_count in (2, 5, 12):
        topics, topics_again = (
            component.select(similarity, topic_count, stream(8, "check-sampler", topic_count))
            for _ in range(2)
        )
        chosen = topics.chosen
        assert chosen.shape == (topic_count,) and len(set(chosen.tolist())) == topic_count, (
            f"{name}: it must choose {topic_count} different topics"
        )
        assert ((chosen >= 0) & (chosen < 12)).all(), (
            f"{name}: it chooses a topic that does not exist"
        )
        assert topics.merged.shape == (12,), (
            f"{name}: merged must say for every topic which chosen topic it belongs to"
        )
        assert (topics.merged[chosen] == chosen).all(), (
            f"{name}: a chosen topic must belong to itself"
        )
        assert np.isin(topics.merged, [-1, *chosen]).all(), (
            f"{name}: a topic belongs to a topic that is not chosen"
        )
        same = np.array_equal(chosen, topics_again.chosen) and np.array_equal(
            topics.merged, topics_again.merged
        )
        assert same, f"{name}: the same draws give different choices; it must draw only from rng"
    assert similarity.tobytes() == given_before, f"{name}: it changes the similarities"
    try:
        component.select(similarity, 13, stream(8, "check-sampler", 13))
    except CorpusError:
        return
    raise AssertionError(f"{name}: more topics than exist must raise CorpusError")


def check_task(task: Any, values: Mapping[str, Any]) -> None:
    """Live a task's life in a folder that is removed afterwards: this task must keep what all tasks promise.

    Every option says what it is; a preview writes nothing and is right; each planned cell is there afterwards, the same
    with two workers, and is computed again where it was lost; nothing is computed twice; another command in the same
    folder is refused; the report is written.

    Parameters
    ----------
    task : subclass of ``ravenbench.engine.task.Task``
    values : mapping
        Options of a small job, without the task's own folder.
    """
    from ravenbench.reports.report import write_report
    from ravenbench.tasks.functions import function_of

    assert all(option.help for option in task.options()), f"{task.name}: an option has no help"
    function = function_of(task)
    with tempfile.TemporaryDirectory() as scratch:
        folders = [Path(scratch) / name for name in ("one", "two")]
        jobs = [{**values, task.place: folder} for folder in folders]
        preview = task(jobs[0]).preview()
        assert not any(folder.exists() for folder in folders), (
            f"{task.name}: its preview writes files"
        )
        assert preview.cells and not preview.done, (
            f"{task.name}: its preview has no cells, or cells that are done"
        )
        stores = [
            function(**job, workers=workers).store for workers, job in enumerate(jobs, start=1)
        ]
        store = stores[0]
        assert store.kind == task.name, f"{task.name}: its folder is of {store.kind}"
        cells = [_cell_arrays(store) for store in stores]
        assert cells[0], f"{task.name}: it plans no cells"
        assert None not in cells[0].values(), f"{task.name}: a cell has no result"
        assert cells[0] == cells[1], f"{task.name}: two workers give different answers than one"
        assert task(jobs[0]).preview().done == preview.cells, (
            f"{task.name}: its preview does not find cells that are done"
        )
        lost, *other_files = [store.cell_path(cell.key) for cell in store.plan.cells]
        written_at = [file.stat().st_mtime_ns for file in other_files]
        lost.unlink()
        store_again = function(**jobs[0], workers=1).store
        assert _cell_arrays(store_again) == cells[0], (
            f"{task.name}: a lost cell is not computed again with the same result"
        )
        assert [file.stat().st_mtime_ns for file in other_files] == written_at, (
            f"{task.name}: cells are computed twice"
        )
        with folder_lock(folders[0]):
            try:
                function(**jobs[0])
            except InputError:
                pass
            else:
                raise AssertionError(f"{task.name}: two commands may write the same folder")
        assert write_report(store_again).is_file(), f"{task.name}: it has no report"


def _cell_arrays(store: Store) -> dict[str, Any]:
    """Return the content of the cells of a plan, None for a cell that is missing or failed."""
    by_name: dict[str, Any] = {}
    for planned in store.plan.cells:
        cell = store.read_cell(planned.key)
        is_complete = cell is not None and cell.error is None
        by_name[planned.key] = (
            {name: array.tolist() for name, array in cell.arrays.items()}
            if is_complete and cell is not None
            else None
        )
    return by_name


def toy_tasks(n: int = 4, seed: int = 0) -> list[ObfuscationTask]:
    """n English ``ObfuscationTask``s of several sentences with known texts: enough for any recipe to find work."""
    subjects = [
        "The children",
        "My friends",
        "Large companies",
        "Many important people",
        "The old teacher",
    ]
    verbs = ["often show", "don't believe", "started", "have written about", "think that they need"]
    objects = [
        "a good house",
        "the different problems of society",
        "25 books",
        "their own work",
        "a big surprise",
    ]

    def write(draw: np.random.Generator, sentences: int) -> str:
        marks = draw.choice([". ", ", in fact. ", "! "], sentences)
        return "".join(
            " ".join(draw.choice(part) for part in (subjects, verbs, objects)) + mark
            for mark in marks
        )

    tasks = []
    for i in range(n):
        draw = stream(seed, "toy-tasks", i)
        known = tuple(write(draw, 12) for _ in range(2))
        tasks.append(
            ObfuscationTask(
                f"toy{i}", write(draw, 8).strip() + "\n\n" + write(draw, 4), known, "en"
            )
        )
    return tasks


def check_obfuscator(component: Obfuscator, tasks: Sequence[ObfuscationTask] | None = None) -> None:
    """Check every promise of an obfuscator.

    Parts tile the original with half-open code-point offsets (on a byte order mark, Windows line ends, emoji, an
    empty text too); the same seed gives the same bytes, in any order and in a fitted copy; tasks are left alone.
    """
    check_component("obfuscator", component)
    tasks = toy_tasks() if tasks is None else tasks
    name = str(component)
    fitted = clone(component).fit(tasks)
    rewritings = [fitted.obfuscate(task, 3) for task in tasks]
    for task, rewriting in zip(tasks, rewritings, strict=True):
        rewriting.check(task.questioned)
        assert rewriting.text == "".join(part.obfuscation for part in rewriting.parts), (
            f"{name}: the parts do not add up to the text"
        )
    fitted_again = clone(component).fit(tasks)
    backwards = [fitted_again.obfuscate(task, 3).text for task in reversed(tasks)][::-1]
    assert backwards == [rewriting.text for rewriting in rewritings], (
        f"{name}: a rewriting depends on earlier rewritings"
    )
    text = tasks[0].questioned
    known = tasks[0].known
    odd = [
        "",
        "!?",
        "Word",
        "\ufeff" + text,
        text.replace("\n", "\r\n"),
        "😀 " + text[:200] + " 👩‍👩‍👧",
        text[:90] + "ж中",
    ]
    for number, case in enumerate(odd):
        result = fitted.obfuscate(ObfuscationTask(f"odd{number}", case, known, "en"), 3).check(case)
        assert result.text.startswith("\ufeff") == case.startswith("\ufeff"), (
            f"{name}: the byte order mark is lost"
        )
        assert case == "" or result.text.strip("\ufeff \r\n"), (
            f"{name}: nothing is left of {case[:30]!r}"
        )


def _bytes_given(train: Problems, same: Bools, test: Problems) -> tuple[object, ...]:
    """What a verifier was given: the methods of a run read the same arrays one after the other."""
    return same.tobytes(), *(
        (problems.digest(), problems.documents.tobytes()) for problems in (train, test)
    )


def _before_fit(ask: Callable[[Problems], Floats], problems: Problems, name: str) -> Floats | None:
    """What an unfitted method says, None where it refuses."""
    try:
        return ask(problems)
    except NotFittedError:
        return None
    except Exception as error:
        raise AssertionError(
            f"{name}: before fit it must raise NotFittedError, not {error!r}"
        ) from error


def _close(values: Floats, expected: Floats, message: str) -> None:
    difference: Any = np.max(np.abs(values - expected), initial=0.0)
    assert difference <= TOLERANCE, f"{message} (by up to {difference:.3g})"


_CHILD = """
import os, pickle, sys
answering = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)
while True:
    try:
        sys.path[:] = pickle.load(sys.stdin.buffer)
    except EOFError:
        break
    try:
        component, train, same, blind = pickle.load(sys.stdin.buffer)
        from ravenbench.verifiers.contract.base import as_verifier
        found = as_verifier(component).fit(train, same).verify(blind)
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    pickle.dump(found, answering)
    answering.flush()
"""
_children: list[subprocess.Popen[bytes]] = []


def _another_process(component: Component, train: Problems, same: Bools, blind: Problems) -> Floats:
    """Answers of a process with other hashes; one that knows only Raven's classes is reused for the next call."""
    try:
        import cloudpickle
    except ModuleNotFoundError:  # joblib brings it, older ones within themselves
        from joblib.externals import cloudpickle

    reusable = not foreign(component)
    child = _children[0] if reusable and _children and _children[0].poll() is None else None
    if child is None:
        seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
        child = subprocess.Popen(
            [sys.executable, "-c", _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if not reusable else None,
            env=os.environ | {"PYTHONHASHSEED": seed},
        )
        if reusable:
            _children[:] = [child]
    assert child.stdin is not None and child.stdout is not None
    question = cloudpickle.dumps((clone(component), train, same, blind))
    try:
        child.stdin.write(
            pickle.dumps([str(Path.cwd()) if folder == "" else folder for folder in sys.path])
            + question
        )
        child.stdin.flush()
        reply = pickle.load(child.stdout)
    except (OSError, EOFError, pickle.UnpicklingError) as error:
        reply = f"the process ended ({error})"
    finally:
        if not reusable:
            child.communicate()
    assert not isinstance(reply, str), f"{component}: it fails in another process: {reply}"
    return np.asarray(reply, dtype=np.float64)
