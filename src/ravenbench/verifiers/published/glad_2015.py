"""Hürlimann et al. 2015, GLAD: an SVM over two dozen plain comparisons of the known and the questioned text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from ravenbench.errors import SpecError
from ravenbench.text.tfidf import centre_of
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.calibrators.inputs import learnable
from ravenbench.verifiers.calibrators.logistic import Logistic
from ravenbench.verifiers.contract.base import Calibrator, Scorer
from ravenbench.verifiers.published.glad_2015_features import FEATURES, problem_features


@dataclass(eq=False, repr=False)
class Glad2015(Scorer):
    """Decision value of a support vector machine over 24 features of a problem, after the authors' code.

    Features are averaged over known documents and standardised by training; the machine has an RBF kernel and
    scikit-learn's defaults, or as the variant ``sigmoid`` C = .1 and γ = coef0 = .01. Where the code calls the
    machine's own probabilities, ours come from the calibrator, a logistic regression on decision values out of fold
    (Platt's scaling). Of these, what a fold's share of same-author problems adds is taken out.

    Bugs of the code are mended: each overlap uses its own n when several known documents are averaged, blank lines
    are counted, training alone scales. See ``glad_2015_features`` for what was reconstructed.

    Parameters
    ----------
    kernel : {"rbf", "sigmoid"}

    Attributes
    ----------
    mean_, deviation_ : (24,) float64
    model_ : sklearn.svm.SVC

    References
    ----------
    Hürlimann, Weck, van den Berg, Šuster & Nissim 2015 (PAN at CLEF) and its code.
    """

    name = "glad-2015"
    version = 2
    symmetric = False
    taught = True
    provenance = "reconstructed"

    kernel: Literal["rbf", "sigmoid"] = "rbf"

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Learn scales and the SVM.

        Raises
        ------
        SpecError
            If there is no such kernel.
        CorpusError
            If one class is absent.
        """
        from sklearn.svm import SVC

        if self.kernel not in ("rbf", "sigmoid"):
            raise SpecError("glad-2015 has no such kernel", found=self.kernel, expected="rbf or sigmoid")
        features, same = learnable(problem_features(problems), same, self.name)
        self.mean_, self.deviation_ = centre_of(features)
        options = {} if self.kernel == "rbf" else {"C": 0.1, "gamma": 0.01, "coef0": 0.01}
        self.model_ = SVC(kernel=self.kernel, **options).fit(self._scaled(features), same)
        return self

    def score(self, problems: Problems) -> Floats:
        """Decision values, (n,); NaN where the questioned or every known text is empty."""
        features = problem_features(problems)
        told = ~np.isnan(features).any(axis=1)
        scores = np.full(len(features), np.nan)
        if told.any():
            scores[told] = self.model_.decision_function(self._scaled(features[told]))
        return scores

    def default_calibrator(self) -> Calibrator:
        """Logistic regression without a band of non-answers: the published system rarely answers 0.5."""
        return Logistic(radius=0.0)

    def _scaled(self, features: Floats) -> Floats:
        assert features.shape[1] == len(FEATURES)
        return np.asarray((features - self.mean_) / self.deviation_, dtype=np.float64)
