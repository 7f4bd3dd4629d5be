"""Defines the parts of a verifier: a scorer, a calibrator, and ``Calibrated``, which joins them (contract 5).

In: ``Problems`` (n) and, for ``fit``, their truth (n,) bool, True = same author; a calibrator takes raw scores (n,) or
(n, f) in place of problems.
Out: ``Scorer.score`` returns raw scores (n,), higher = same author, or features (n, f) for the calibrator, NaN = cannot
tell; ``Verifier.verify`` and ``Calibrator.transform`` return answers (n,) from 0 to 1, higher = same author, exactly 0.5
= unanswered. NotFittedError if something learned is needed before ``fit``. ``checked_scores`` and
``checked_answers`` return what a method returned as float64, or raise AnswerError; ``as_verifier`` (TypeError for other
objects) and ``fresh`` take and return a component; ``mean_by_problem`` averages values of pairs of documents, (sum k,)
or (sum k, f), by problem.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar

import numpy as np

from ravenbench import registry
from ravenbench.components import Component
from ravenbench.errors import AnswerError
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Ints, Problems, Strings
from ravenbench.verifiers.contract.folds import calibration_folds, out_of_fold, remove_fold_effect

_FIX = (
    "return np.asarray(answers, dtype=np.float64) with one number from 0 to 1 for each problem,"
    " higher = same author"
)
_FIX_SCORES = (
    "return an array of numbers, one (or one row) for each problem, higher = same author, NaN ="
    " cannot tell"
)


def checked_answers(values: Any, ids: Strings | Sequence[str], method: object) -> Floats:
    """Return the answers to these problems as float64 (n,), all finite and in [0, 1].

    Parameters
    ----------
    values : Any
        What ``verify`` or a calibrator returned.
    ids : (n,) str
        Ids of the problems.
    method : object
        The method, for the message.

    Raises
    ------
    AnswerError
        If ``values`` are anything else: another shape or type, a masked array, a number that is not an answer.
    """
    numbers = _numbers(values, method, "answers", _FIX)
    shape = (len(ids),)
    if numbers.shape != shape:
        fix = (
            f"{_FIX}; from predict_proba, return the column of the same author"
            if numbers.ndim == 2
            else _FIX
        )
        raise _wrong(method, "answers", f"shape {numbers.shape}", f"shape {shape}", fix)
    if numbers.dtype.kind != "f":
        raise _wrong(method, "answers", f"an array of {numbers.dtype}", "floating numbers", _FIX)
    bad = ~((numbers >= 0) & (numbers <= 1))
    if bad.any():
        i = int(np.argmax(bad))
        further = f" (and {int(bad.sum()) - 1:,} more)" if bad.sum() > 1 else ""
        raise _wrong(
            method,
            "answers",
            f"{float(numbers[i])!r} to problem {ids[i]}{further}",
            "finite numbers from 0 to 1",
            _FIX,
        )
    return np.asarray(numbers, dtype=np.float64)


def checked_scores(values: Any, n: int, method: object) -> Floats:
    """Return raw scores of n problems as float64 (n,) or (n, f); NaN means that a method cannot give a score.

    Raises
    ------
    AnswerError
        If they have another shape or type, or are infinite.
    """
    numbers = _numbers(values, method, "scores", _FIX_SCORES)
    if numbers.ndim not in (1, 2) or len(numbers) != n:
        raise _wrong(
            method,
            "scores",
            f"shape {numbers.shape}",
            f"shape ({n},) or ({n}, features)",
            _FIX_SCORES,
        )
    if numbers.dtype.kind not in "fiu":
        raise _wrong(method, "scores", f"an array of {numbers.dtype}", "numbers", _FIX_SCORES)
    numbers = np.asarray(numbers, dtype=np.float64)
    if np.isinf(numbers).any():
        raise _wrong(
            method,
            "scores",
            f"{int(np.isinf(numbers).sum()):,} infinite scores",
            "finite",
            _FIX_SCORES,
        )
    return numbers


def _numbers(
    values: Any, method: object, expected: str, fix: str
) -> np.ndarray[Any, np.dtype[Any]]:
    """As an array, unless that would hide what it is."""
    if isinstance(values, np.ma.MaskedArray):
        raise _wrong(method, expected, "a masked array", "a plain array", fix)
    try:
        return np.asarray(values)
    except Exception as error:  # whatever foreign code raises
        description = f"a {type(values).__name__} that is not an array ({type(error).__name__})"
        raise _wrong(method, expected, description, "an array", fix) from error


def _wrong(method: object, problem: str, found: str, expected: str, fix: str) -> AnswerError:
    return AnswerError(
        f"{method} returned unusable {problem}", found=found, expected=expected, fix=fix
    )


C = TypeVar("C", bound=Component)


class Learner(Component):
    """A component that is fitted to training problems.

    Learned state ends in ``_``; before ``fit``, it raises scikit-learn's ``NotFittedError``.
    """

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if not name.endswith("_") or name.startswith("_"):
                return object.__getattribute__(self, name)
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(
                f"{self.name or type(self).__qualname__} has no {name} yet: call fit first"
            )


class Calibrator(Learner):
    """Turns raw scores into answers in [0, 1]; exactly 0.5 means unanswered."""

    @abstractmethod
    def fit(self, scores: Floats, same: Bools) -> Self:
        """Learn from scores (n,) or (n, f) of problems with truth ``same`` (n,)."""

    @abstractmethod
    def transform(self, scores: Floats) -> Floats:
        """Return answers, shape (n,). Never creates a 0.5 by rounding."""


class Scorer(Learner):
    """Gives every problem a raw score, which a calibrator turns into an answer.

    Class attributes declare properties of a method:

    ``fold_free``
        Nothing is learned in ``fit``, and a score is a function of two texts only: implement
        ``pair_features``, and the run computes each distinct document pair once (contract 8).
    ``symmetric``
        The score is the same if known and questioned text are exchanged.
    ``transductive``
        A score may depend on the other problems of its batch.
    ``cross_fit``
        Scores of different fits are on the same scale, so that calibration may use several fits.
    ``supervised``
        ``fit`` learns from the truth, so all scores rise with the share of same-author problems in it;
        calibration on several fits removes this (``remove_fold_effect``).
    ``counted``
        If present: the units that it requests from ``text.counting.with_counts``, of complete, unchanged texts. A
        large run counts these units once.
    ``calibrated_by``
        The calibrator it was published with, as a spec; if none is named, one that suits scores of any scale.
    ``provenance``
        ``sourced`` from a paper or its code, ``reconstructed`` if details are lost, or ``ours``.
    """

    fold_free: ClassVar[bool] = False
    cross_fit: ClassVar[bool] = True
    supervised: ClassVar[bool] = False
    symmetric: ClassVar[bool] = True
    transductive: ClassVar[bool] = False
    calibrated_by: ClassVar[str] = "scaled-logistic"
    provenance: ClassVar[Literal["sourced", "reconstructed", "ours"]] = "sourced"

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Learn from training problems with truth ``same`` (n,); by default nothing is learned."""
        return self

    @abstractmethod
    def score(self, problems: Problems) -> Floats:
        """Return raw scores, (n,) with higher = same author, or (n, f) features for the calibrator."""

    def default_calibrator(self) -> Calibrator:
        """Return the calibrator that ``calibrated_by`` names; override it if parameters decide the calibrator."""
        return fresh(_calibrator(self.calibrated_by))

    def figures(self) -> dict[str, bytes]:
        """Return drawings of the fitting (SVG by file name): saved with a trained verifier, never read."""
        return {}


@cache
def _calibrator(spec: str) -> Calibrator:
    calibrator: Calibrator = registry.parse("calibrator", spec)
    return calibrator


class FoldFree(Scorer):
    """A scorer whose features depend on the two texts alone; several known documents are averaged."""

    fold_free: ClassVar[bool] = True

    @abstractmethod
    def pair_features(self, texts: TextTable, known: Ints, questioned: Ints) -> Floats:
        """Return features of document pairs (rows of ``texts``), shape (n, f) or (n,)."""

    def score(self, problems: Problems) -> Floats:
        owner = problems.owner
        pair_values = self.pair_features(
            problems.texts, problems.known_index, problems.questioned_index[owner]
        )
        return mean_by_problem(pair_values, problems)


class Verifier(Learner):
    """Answers verification problems; a method that is not a calibrated scorer implements this directly."""

    provenance: ClassVar[Literal["sourced", "reconstructed", "ours"]] = "sourced"
    symmetric: ClassVar[bool] = True
    transductive: ClassVar[bool] = False
    outside: ClassVar[bool] = False
    """Whether ``verify`` runs an outside program; planning never does."""

    @abstractmethod
    def fit(self, problems: Problems, same: Bools) -> Self:
        """Learn from training problems with truth ``same`` (n,)."""

    @abstractmethod
    def verify(self, problems: Problems) -> Floats:
        """Return answers in [0, 1], float64 (n,); higher = same author, exactly 0.5 = unanswered."""

    def figures(self) -> dict[str, bytes]:
        """Return drawings of the fitting (SVG by file name): saved with a trained verifier, never read."""
        return {}


def declared_by(part: str) -> tuple[Any, Any, Any]:
    """Return ``symmetric``, ``transductive`` and ``provenance`` for a component whose parameter ``part`` decides them."""

    def declared(name: str, otherwise: object) -> Any:
        return property(lambda self: getattr(getattr(self, part), name, otherwise))

    return (
        declared("symmetric", False),
        declared("transductive", False),
        declared("provenance", "ours"),
    )


@dataclass(eq=False, repr=False)
class Calibrated(Verifier):
    """A scorer followed by a calibrator.

    If the planner marked problems for calibration (``problems.calibrate``), the scorer learns from the
    others and the calibrator from the marked ones. Without marks, scores for calibration come from group-wise
    cross-fitting (groups as in ``Problems.groups``), and the scorer is then fitted on all problems. A scorer
    that learns nothing is calibrated on all problems; a scorer whose fits differ in scale (``cross_fit`` is False)
    learns without one of the folds and is calibrated on it.

    Attributes
    ----------
    scorer_, calibrator_ : Scorer, Calibrator
        Fitted copies.
    split_ : str
        How calibration data were separated: ``marked``, ``fold-free``, or the kind of ``calibration_folds``
        (``groups``; ``authors`` if one group has most problems; ``problems`` if nothing else is possible).
    """

    name = "calibrated"
    version = 2
    symmetric, transductive, provenance = declared_by("scorer")

    scorer: Scorer
    calibrator: Calibrator | None = None
    folds: int = 5

    def __str__(self) -> str:
        return (
            str(self.scorer) if self.calibrator is None and self.folds == 5 else super().__str__()
        )

    def fit(self, problems: Problems, same: Bools) -> Self:
        same = np.asarray(same, dtype=bool)
        if problems.calibrate is not None:
            self.split_ = "marked"
            learn, hold = problems.calibration_split
            return self._fit_held_out(
                learn, same[~problems.calibrate], hold, same[problems.calibrate]
            )
        if self.scorer.fold_free:
            self.split_ = "fold-free"
            self.scorer_ = fresh(self.scorer).fit(problems, same)
            return self.calibrate(self.scorer_.score(problems), same)
        folds = calibration_folds(problems, same, self.folds)
        self.split_ = folds.kind
        if not self.scorer.cross_fit:
            learned, held_out = folds.calibration_split(same)
            return self._fit_held_out(
                problems.select(learned), same[learned], problems.select(held_out), same[held_out]
            )

        def cross_fitted(learned: Bools, judged: Bools) -> Floats:
            return (
                fresh(self.scorer)
                .fit(problems.select(learned), same[learned])
                .score(problems.select(judged))
            )

        # Between blocks of authors a fold may have one class alone to learn from: it is then no calibration's.
        scores = out_of_fold(
            cross_fitted, folds, same, least=int(folds.kind == "authors"), otherwise=np.nan
        )
        if self.scorer.supervised:
            finite = ~np.isnan(scores).reshape(len(scores), -1).any(axis=1)
            scores[finite] = remove_fold_effect(scores[finite], folds.fold[finite], same[finite])
        self.scorer_ = fresh(self.scorer).fit(problems, same)
        return self.calibrate(scores, same)

    def _fit_held_out(
        self, learn: Problems, same_learned: Bools, held_out: Problems, same_held_out: Bools
    ) -> Self:
        """Calibrate on some problems and their truth a scorer that learned from others and theirs."""
        self.scorer_ = fresh(self.scorer).fit(learn, same_learned)
        return self.calibrate(self.scorer_.score(held_out), same_held_out)

    def copies(self) -> dict[str, Any]:
        return {
            "scorer_": self.scorer,
            "calibrator_": self.calibrator or self.scorer.default_calibrator(),
        }

    def calibrate(self, scores: Floats, same: Bools) -> Self:
        """Fit the calibrator on raw scores (the run calls this with stored scores).

        Raises
        ------
        AnswerError
            If these are not scores.
        """
        scores = checked_scores(scores, len(same), self)
        self.calibrator_: Calibrator = fresh(self.copies()["calibrator_"]).fit(scores, same)
        return self

    def verify(self, problems: Problems) -> Floats:
        return self.calibrator_.transform(self.scorer_.score(problems))

    def figures(self) -> dict[str, bytes]:
        return self.scorer_.figures()


def fresh(component: C) -> C:
    """Return an unfitted copy of a component, with its parameters."""
    params = component.get_params(deep=False)
    if all(
        value is None or isinstance(value, bool | int | float | str) for value in params.values()
    ):
        return type(component)(**params)
    # scikit-learn takes a second to import.
    from sklearn.base import clone

    copy: C = clone(component)
    return copy


def as_verifier(component: Component) -> Verifier:
    """Return the component as a ``Verifier``: a scorer gets its published calibrator; a verifier is returned unchanged."""
    if isinstance(component, Scorer):
        return Calibrated(component)
    if hasattr(component, "verify"):
        return component  # type: ignore[return-value]
    raise TypeError(f"{component} is neither a scorer nor a verifier")


def mean_by_problem(pair_values: Floats, problems: Problems) -> Floats:
    """Average values over each problem's known documents: (sum k,) or (sum k, f) → (n,) or (n, f)."""
    if len(pair_values) == len(problems):
        return np.asarray(pair_values, dtype=np.float64)
    total = np.add.reduceat(pair_values, problems.known_ptr[:-1], axis=0)
    sizes = problems.sizes
    return np.asarray(
        total / (sizes if pair_values.ndim == 1 else sizes[:, None]), dtype=np.float64
    )
