"""Learned state as JSON values and plain arrays, and back; nothing is executed, imported by whim or unpickled.

Plain values stay as they are. Everything else is an object with one key that says what it is: ``array``, ``tuple``,
``object`` … An object is rebuilt without calling its constructor, and only if its class is Raven's, belongs to the
package of the verifier that was asked for, or is one of the scikit-learn estimators named here.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ravenbench.components import Component, path_of
from ravenbench.errors import FormatError, SpecError
from ravenbench.verifiers.contract.moved import MOVED

ROOMS = ("ravenbench.text", "ravenbench.verifiers")
ESTIMATORS = {
    "Pipeline": "sklearn.pipeline",
    "FeatureUnion": "sklearn.pipeline",
    "LogisticRegression": "sklearn.linear_model",
    "Ridge": "sklearn.linear_model",
    "SVC": "sklearn.svm",
    "DecisionTreeClassifier": "sklearn.tree",
    "DecisionTreeRegressor": "sklearn.tree",
    "ExtraTreeClassifier": "sklearn.tree",
    "ExtraTreesClassifier": "sklearn.ensemble",
    "RandomForestClassifier": "sklearn.ensemble",
    "StandardScaler": "sklearn.preprocessing",
    "MinMaxScaler": "sklearn.preprocessing",
    "MaxAbsScaler": "sklearn.preprocessing",
    "RobustScaler": "sklearn.preprocessing",
    "Normalizer": "sklearn.preprocessing",
    "PCA": "sklearn.decomposition",
    "LinearSVC": "sklearn.svm",
    "LinearDiscriminantAnalysis": "sklearn.discriminant_analysis",
    "GaussianNB": "sklearn.naive_bayes",
    "MultinomialNB": "sklearn.naive_bayes",
    "TruncatedSVD": "sklearn.decomposition",
    "LedoitWolf": "sklearn.covariance",
    "CountVectorizer": "sklearn.feature_extraction.text",
    "TfidfTransformer": "sklearn.feature_extraction.text",
    "TfidfVectorizer": "sklearn.feature_extraction.text",
}
_SPARSE = ("csr_array", "csc_array", "csr_matrix", "csc_matrix")
_DEEP = 64


class Writer:
    """Turns a fitted object into JSON values; ``arrays`` are what must be kept beside them."""

    def __init__(self) -> None:
        self.arrays: dict[str, NDArray[Any]] = {}
        self.estimators = False

    def encode(self, value: Any, where: str = "state", depth: int = 0) -> Any:
        """JSON form of a value.

        Raises
        ------
        SpecError
            If it holds something that cannot be saved, with its place.
        """
        if depth > _DEEP:
            raise SpecError("this verifier holds itself and cannot be saved", found=where)
        if value is None or isinstance(value, bool) or type(value) in (int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}

        def inner(part: Any, name: object) -> Any:
            return self.encode(part, f"{where}.{name}", depth + 1)

        if isinstance(value, type) and issubclass(value, np.generic):
            return {"number": value.__name__}
        if isinstance(value, np.generic):
            return {"scalar": self._keep(np.asarray(value), where)}
        if type(value) is np.ndarray:
            return {"array": self._keep(value, where)}
        if type(value) is bytes:
            return {"bytes": self._keep(np.frombuffer(value, dtype=np.uint8), where)}
        if type(value) is list:
            return [inner(part, i) for i, part in enumerate(value)]
        if type(value) is tuple:
            return {"tuple": [inner(part, i) for i, part in enumerate(value)]}
        if type(value) in (set, frozenset):
            return {type(value).__name__: [inner(part, "member") for part in sorted(value, key=repr)]}
        if type(value) is dict:
            return {"dict": [[inner(k, "key"), inner(v, k)] for k, v in value.items()]}
        if type(value).__name__ in _SPARSE and type(value).__module__.startswith("scipy.sparse"):
            parts = {name: self._keep(getattr(value, name), where) for name in ("data", "indices", "indptr")}
            return {"sparse": type(value).__name__, "shape": list(map(int, value.shape)), **parts}
        if type(value).__module__.startswith("sklearn."):
            return self._estimator(value, where, inner)
        return self._object(value, where, inner)

    def _object(self, value: Any, where: str, inner: Any) -> dict[str, Any]:
        cls = type(value)
        if isinstance(value, tuple) and hasattr(cls, "_fields"):
            return {"named": path_of(cls), "items": [inner(part, i) for i, part in enumerate(value)]}
        if not hasattr(value, "__dict__") or "<" in cls.__qualname__ or cls.__module__ == "builtins":
            raise cannot_save(cls, where)
        state = vars(value)
        if isinstance(value, Component):
            wanted = value._parameters()
            state = {k: v for k, v in state.items() if k in wanted or (k.endswith("_") and not k.startswith("_"))}
            return {
                "object": path_of(cls),
                "version": value.version,
                "state": {k: inner(v, k) for k, v in state.items()},
            }
        return {"object": path_of(cls), "state": {k: inner(v, k) for k, v in state.items()}}

    def _estimator(self, value: Any, where: str, inner: Any) -> dict[str, Any]:
        self.estimators = True
        name = type(value).__name__
        if name == "Tree":
            _, sizes, state = value.__reduce__()
            return {"tree": [inner(part, "tree") for part in (*sizes, dict(state))]}
        if ESTIMATORS.get(name) is None or type(value) is not _estimator_class(name):
            raise cannot_save(type(value), where)
        return {"estimator": name, "state": {k: inner(v, k) for k, v in vars(value).items()}}

    def _keep(self, array: NDArray[Any], where: str) -> str:
        if array.dtype.hasobject:
            raise SpecError("an array of Python objects cannot be saved", found=where)
        name = f"a{len(self.arrays)}"
        self.arrays[name] = array
        return name


@dataclass(eq=False)
class Reader:
    """Rebuilds what a ``Writer`` wrote.

    Parameters
    ----------
    arrays : mapping of str to array
    trusted : set of str
        Top-level packages whose classes may be rebuilt, beside Raven's rooms of texts and verifiers.
    """

    arrays: Mapping[str, NDArray[Any]]
    trusted: frozenset[str]

    def decode(self, node: Any) -> Any:
        """The value.

        Raises
        ------
        FormatError
            If a node is not what ``Writer`` writes.
        SpecError
            If a class has another version here.
        """
        if node is None or isinstance(node, bool | int | float | str):
            return node
        if isinstance(node, list):
            return [self.decode(part) for part in node]
        if not isinstance(node, dict) or not node:
            raise FormatError("this trained verifier is damaged", found=node)
        tag, value = next(iter(node.items()))
        plain: dict[str, Callable[[Any], Any]] = {
            "float": float,
            "scalar": lambda name: self.arrays[name][()],
            "array": lambda name: self.arrays[name],
            "bytes": lambda name: self.arrays[name].tobytes(),
            "tuple": lambda parts: tuple(map(self.decode, parts)),
            "set": lambda parts: set(map(self.decode, parts)),
            "frozenset": lambda parts: frozenset(map(self.decode, parts)),
            "dict": lambda pairs: {self.decode(key): self.decode(part) for key, part in pairs},
        }
        if tag in plain:
            return plain[tag](value)
        read = getattr(self, f"_read_{tag}", None)
        if read is None:
            raise FormatError("this trained verifier holds an unknown kind of value", found=tag)
        return read(node)

    def _read_number(self, node: dict[str, Any]) -> Any:
        if node["number"] not in ("float32", "float64", "int32", "int64", "bool"):
            raise FormatError("this trained verifier holds an unknown kind of number", found=node["number"])
        return np.dtype(node["number"]).type

    def _read_sparse(self, node: dict[str, Any]) -> Any:
        from scipy import sparse

        if node["sparse"] not in _SPARSE:
            raise FormatError("this trained verifier holds an unknown kind of matrix", found=node["sparse"])
        parts = tuple(self.arrays[node[name]] for name in ("data", "indices", "indptr"))
        matrix = getattr(sparse, node["sparse"])(parts, shape=tuple(node["shape"]))
        matrix.check_format(full_check=True)
        return matrix

    def _read_object(self, node: dict[str, Any]) -> Any:
        cls = self._class(node["object"])
        if issubclass(cls, Component) and node.get("version") != cls.version:
            raise SpecError(
                f"{cls.name or cls.__qualname__} was saved in another version",
                found=f"version {node.get('version')} there, {cls.version} here",
                fix="train it again",
            )
        return self._filled(cls, node["state"])

    def _read_named(self, node: dict[str, Any]) -> Any:
        cls = self._class(node["named"])
        if not issubclass(cls, tuple):
            raise FormatError("this trained verifier is damaged", found=node["named"])
        return tuple.__new__(cls, [self.decode(part) for part in node["items"]])

    def _read_estimator(self, node: dict[str, Any]) -> Any:
        if node["estimator"] not in ESTIMATORS:
            raise FormatError("this trained verifier holds an estimator not known here", found=node["estimator"])
        found = self._filled(_estimator_class(node["estimator"]), node["state"])
        if node["estimator"] == "SVC" and not _sound_svc(found):
            raise FormatError("this trained verifier is damaged", found="an SVC whose arrays do not fit together")
        return found

    def _read_tree(self, node: dict[str, Any]) -> Any:
        from sklearn.tree._tree import Tree

        features, classes, outputs, state = (self.decode(part) for part in node["tree"])
        if not _sound_tree(features, state):
            raise FormatError("this trained verifier is damaged", found="a decision tree that is none")
        tree = Tree(features, classes, outputs)
        tree.__setstate__(state)
        return tree

    def _filled(self, cls: type[Any], state: dict[str, Any]) -> Any:
        found = object.__new__(cls)
        vars(found).update({name: self.decode(value) for name, value in state.items()})
        return found

    def _class(self, name: str) -> type[Any]:
        module, _, attribute = name.partition(":")
        module = MOVED.get(module, module)
        ours = any(module == room or module.startswith(f"{room}.") for room in ROOMS)
        if not ours and module.partition(".")[0] not in self.trusted - {"ravenbench"}:
            raise FormatError(
                "this trained verifier names a class that is not part of it", found=name,
                fix="load it with the verifier it was made from, if you trust that package",
            )  # fmt: skip
        try:
            cls = getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            raise FormatError("this trained verifier names a class that is not here", found=name) from error
        if not isinstance(cls, type):
            raise FormatError("this trained verifier names something that is no class", found=name)
        return cls


def cannot_save(cls: type[Any], where: str) -> SpecError:
    """The error for a value that has no plain form."""
    return SpecError(
        f"this verifier cannot be saved: it holds a {cls.__module__}.{cls.__qualname__}",
        found=where,
        expected="numbers, text, arrays, Raven's objects, or one of " + ", ".join(ESTIMATORS),
    )


def _estimator_class(name: str) -> type[Any]:
    cls: type[Any] = getattr(importlib.import_module(ESTIMATORS[name]), name)
    return cls


def _sound_tree(features: int, state: Mapping[str, Any]) -> bool:
    """True if every path leads from the root down to a leaf: compiled code follows it without looking."""
    nodes, values, count = state["nodes"], state["values"], int(state["node_count"])
    if not 0 < count == len(nodes) == len(values):
        return False
    left, right, feature = nodes["left_child"], nodes["right_child"], nodes["feature"]
    here = np.arange(count)
    leaf = left == -1
    inside = (left > here) & (left < count) & (right > here) & (right < count) & (feature >= 0) & (feature < features)
    return bool(np.all(leaf | inside))


def _sound_svc(model: Any) -> bool:
    """True if the arrays of a support vector classifier have the shapes that compiled code takes for granted."""
    vectors, each = model.support_vectors_, model._n_support
    wanted = (len(each) - 1, len(vectors))
    return bool(
        each.min(initial=0) >= 0
        and each.sum() == len(vectors) == len(model.support_)
        and vectors.ndim == 2
        and vectors.shape[1] == model.shape_fit_[1]
        and model._dual_coef_.shape == wanted
    )
