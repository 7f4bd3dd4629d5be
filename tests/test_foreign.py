"""Which classes are Raven's own and scikit-learn's: those of their files, and none that says so."""

from __future__ import annotations

import functools
import types

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.utils._set_output import _wrap_method_output

from ravenbench import components, registry
from ravenbench.components import foreign
from ravenbench.verifiers import baselines
from ravenbench.verifiers.contract import persist
from ravenbench.verifiers.contract.base import Calibrated


def strange(self, problems):
    return np.zeros(len(problems))


class Callable:
    """What answers when it is called, and shows the code of another."""

    __module__ = "builtins"
    __code__ = baselines.Length.pair_features.__code__

    def __get__(self, instance, owner=None):
        return functools.partial(strange, instance)

    def __call__(self, problems):
        return strange(self, problems)


LIARS = {
    "a class": {"score": strange},
    "a base": {},
    "a property": {"score": property(lambda self: functools.partial(strange, self))},
    "a class method": {"score": classmethod(strange)},
    "a static method": {"score": staticmethod(functools.partial(strange, None))},
    "a partial method": {"score": functools.partialmethod(strange)},
    "a cached property": {"score": functools.cached_property(strange)},
    "what has the code of another": {"score": Callable()},
    "a class within": {"score": Callable},
    "what scikit-learn wraps": {"score": _wrap_method_output(strange, "transform")},
    "what wraps another": {"score": functools.wraps(baselines.Length.pair_features)(strange)},
}


@pytest.mark.parametrize("kind", LIARS)
def test_a_class_that_says_that_it_is_ravens_is_foreign(kind, monkeypatch):
    where = {"__module__": baselines.__name__, "__qualname__": "Liar"}
    base = type("Base", (baselines.Length,), {"score": strange, "__module__": "builtins"})
    bases = (base if kind == "a base" else baselines.Length,)
    liar = type("Liar", bases, LIARS[kind] | where)
    monkeypatch.setattr(baselines, "Liar", liar, raising=False)
    assert foreign(liar()) == foreign(Calibrated(liar())) == [baselines.__name__]


def test_what_lists_and_dicts_hold_is_seen():
    class Duck(Calibrated):
        __module__ = "strangers"

    grid = {"clf": [Duck(baselines.Length())]}
    search = GridSearchCV(LogisticRegression(), grid)
    assert (
        foreign(search) == ["strangers"] and foreign(GridSearchCV(LogisticRegression(), {})) == []
    )


def test_a_class_of_ravens_with_a_strange_function_is_foreign(monkeypatch):
    assert foreign(baselines.Length()) == []
    monkeypatch.setattr(baselines.Length, "pair_features", strange)
    assert foreign(baselines.Length()) == [baselines.__name__]
    elsewhere = types.FunctionType(strange.__code__, vars(baselines))
    monkeypatch.setattr(baselines.Length, "pair_features", elsewhere)
    assert foreign(baselines.Length()) == [baselines.__name__]


def test_no_class_that_comes_with_raven_is_foreign(need_extra):
    need_extra("torch")
    need_extra("sentence_transformers")
    kinds = {
        registry.resolve(kind, name)
        for kind in registry.METHODS
        for name, target in registry.targets(kind).items()
        if target.startswith("ravenbench.")
    }
    kinds |= {persist._estimator_class(name) for name in persist.ESTIMATORS}
    assert len(kinds) > 80
    assert not [kind for kind in kinds if isinstance(kind, type) and not components.is_known(kind)]
