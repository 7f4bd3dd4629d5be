"""Provides the metrics of verification: functions and objects of two arrays, the truth and the answers.

In: truth (n,), True = same author; answers (n,) in [0, 1], higher = same author, exactly 0.5 = unanswered; for ``hull``
curves by system.
Out: ``scores`` gives by name numbers from 0 to 1 (higher = better) and the count ``unanswered``, ``auc`` one number
(None where undefined), ``cllr`` costs in bits (from 0, no upper bound; lower = better), ``reliability`` bins of a
calibration diagram, ``curve`` (or None) and ``hull`` ROC curves. InputError for truth or answers that cannot be used.

Examples
--------
>>> from ravenbench.metrics import auc, cllr, scores
>>> same, value = [True, True, False, False], [0.9, 0.5, 0.6, 0.1]
>>> auc(same, value)
0.75
>>> scores(same, value)["c@1"]
0.625
>>> round(cllr(same, value).discrimination, 2)
0.5
"""

from ravenbench.metrics.base import Metric
from ravenbench.metrics.calibration import cllr, reliability
from ravenbench.metrics.pan import auc, scores
from ravenbench.metrics.roc import curve, hull

__all__ = ["Metric", "auc", "cllr", "curve", "hull", "reliability", "scores"]
