"""What a method gives is looked at where it is made: answers and scores that are none never reach a store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ravenbench.errors import AnswerError
from ravenbench.types import Floats, Strings

_FIX = "return np.asarray(answers, dtype=np.float64) with one number from 0 to 1 a problem, higher = same author"
_FIX_SCORES = "return an array of numbers, one (or one row) a problem, higher = same author, NaN = cannot tell"


def checked_answers(given: Any, ids: Strings | Sequence[str], method: object) -> Floats:
    """Answers to these problems as float64 (n,), all finite and in [0, 1].

    Parameters
    ----------
    given : Any
        What ``verify`` or a calibrator returned.
    ids : (n,) str
        Of the problems asked.
    method : object
        Printed in the message.

    Raises
    ------
    AnswerError
        If it is anything else: another shape or type, a masked array, a number that is no answer.
    """
    found = _numbers(given, method, "answers", _FIX)
    shape = (len(ids),)
    if found.shape != shape:
        fix = f"{_FIX}; of predict_proba that is the column of the same author" if found.ndim == 2 else _FIX
        raise _wrong(method, "answers", f"shape {found.shape}", f"shape {shape}", fix)
    if found.dtype.kind != "f":
        raise _wrong(method, "answers", f"an array of {found.dtype}", "floating numbers", _FIX)
    bad = ~((found >= 0) & (found <= 1))
    if bad.any():
        i = int(np.argmax(bad))
        more = f" (and {int(bad.sum()) - 1:,} more)" if bad.sum() > 1 else ""
        raise _wrong(
            method, "answers", f"{float(found[i])!r} to problem {ids[i]}{more}", "finite numbers from 0 to 1", _FIX
        )
    return np.asarray(found, dtype=np.float64)


def checked_scores(given: Any, n: int, method: object) -> Floats:
    """Raw scores of n problems as float64 (n,) or (n, f); NaN is a score that a method cannot give.

    Raises
    ------
    AnswerError
        If they have another shape or type, or are infinite.
    """
    found = _numbers(given, method, "scores", _FIX_SCORES)
    if found.ndim not in (1, 2) or len(found) != n:
        raise _wrong(method, "scores", f"shape {found.shape}", f"shape ({n},) or ({n}, features)", _FIX_SCORES)
    if found.dtype.kind not in "fiu":
        raise _wrong(method, "scores", f"an array of {found.dtype}", "numbers", _FIX_SCORES)
    found = np.asarray(found, dtype=np.float64)
    if np.isinf(found).any():
        raise _wrong(method, "scores", f"{int(np.isinf(found).sum()):,} infinite scores", "finite", _FIX_SCORES)
    return found


def _numbers(given: Any, method: object, what: str, fix: str) -> np.ndarray[Any, np.dtype[Any]]:
    """As an array, unless that would hide what it is."""
    if isinstance(given, np.ma.MaskedArray):
        raise _wrong(method, what, "a masked array", "a plain array", fix)
    try:
        return np.asarray(given)
    except Exception as error:  # whatever a stranger's object does when it is asked
        found = f"a {type(given).__name__} that is no array ({type(error).__name__})"
        raise _wrong(method, what, found, "an array", fix) from error


def _wrong(method: object, what: str, found: str, expected: str, fix: str) -> AnswerError:
    return AnswerError(f"{method} gave {what} that cannot be used", found=found, expected=expected, fix=fix)
