"""Saves trained verifiers as a folder that any later session can load, without pickle.

In: for ``save`` a fitted ``Verifier`` and a new or empty folder; for ``load`` and ``digest`` a saved folder, for
``load`` also, if known, the expected component; for ``Writer.encode`` an object, for ``Reader.decode`` its JSON.
Out: ``save`` gives the folder's path (files below), ``load`` the ``Verifier`` with the same answers to the last bit,
``digest`` the SHA-256 (hexadecimal) that names it; ``Writer`` gives JSON values and arrays, ``Reader`` the object,
``sealed`` a record (bytes) with its hash. SpecError for what cannot be saved (NotKept: an estimator of scikit-learn),
or for another verifier or version than expected; FormatError for a damaged or foreign folder; InputError if ``save``
cannot write the folder or draw its figures.

FOLDER/verifier.json   format, spec, identity, scikit-learn version, state, SHA-256 of it and the next two; written last
FOLDER/arrays.npz      learned arrays
FOLDER/learned.json    hashes of the texts, problems and authors it learned from
FOLDER/*.svg           drawings of the fitting, if the method makes them; never read

Learned state is JSON values and plain arrays: plain values are stored directly, everything else is an object with one key
that says what it is: ``array``, ``tuple``, ``object`` … An object is rebuilt without calling its constructor, and only
if its class is registered (as a transform, segmenter, calibrator, verifier or part of saved verifiers), is in a module
of the expected verifier, or is one of the scikit-learn estimators named here; nothing is executed, imported
arbitrarily or unpickled. Parameters are the expected ones. Fitted copies of them (``Component.copies``) must be
what they claim, and nothing else may run a program, ask a service or read other files. Equal training gives equal bytes,
and nothing in another form is read. (skops imports most of scikit-learn, takes seconds, writes addresses and dates,
has no versions of classes and checks no tree.)

What a component makes in fit and does not declare (the calibrator's ``logistic``, the ``lambdag`` of
``raven-style``) is learned state, like its arrays: a person who changes a folder on purpose can insert others, or another
registered component that does none of the above, and so change answers.

The hash shows damage. It is not a signature: a person who changes a folder on purpose can compute it again.
"""

from __future__ import annotations

import hashlib
import importlib
import io
import math
import shlex
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast
from zipfile import ZIP_STORED, ZipFile

import numpy as np
from numpy.typing import NDArray

from ravenbench import registry
from ravenbench.components import Component, foreign, identity, path_of, reaches_out
from ravenbench.errors import FormatError, SpecError, damaged
from ravenbench.files import json_bytes, read_ordinary, write_bytes
from ravenbench.outputs import digest as folder_digest
from ravenbench.outputs import fresh_folder
from ravenbench.reading.decoding import from_json
from ravenbench.seams import SAVED_GROUP, registered
from ravenbench.verifiers.contract.base import Verifier, as_verifier, fresh

FORMAT = 2
ESTIMATORS = {
    name: f"sklearn.{module}"
    for module, names in {
        "pipeline": "Pipeline FeatureUnion",
        "linear_model": "LogisticRegression Ridge",
        "svm": "SVC LinearSVC",
        "tree": "DecisionTreeClassifier DecisionTreeRegressor ExtraTreeClassifier",
        "ensemble": "ExtraTreesClassifier RandomForestClassifier",
        "preprocessing": "StandardScaler MinMaxScaler MaxAbsScaler RobustScaler Normalizer",
        "decomposition": "PCA TruncatedSVD",
        "discriminant_analysis": "LinearDiscriminantAnalysis",
        "naive_bayes": "GaussianNB MultinomialNB",
        "covariance": "LedoitWolf",
        "feature_extraction.text": "CountVectorizer TfidfTransformer TfidfVectorizer",
    }.items()
    for name in names.split()
}
PLACES = {
    place.partition(":")[2]: place.partition(":")[0]
    for ours in (False, True)
    for kind in ("transform", "segmenter", "calibrator", "verifier")
    for place in registry.targets(kind).values()
    if place.startswith("ravenbench.") == ours
}
PLACES |= {
    "CharNgrams": "ravenbench.text.ngrams",
    "Spreading": "ravenbench.verifiers.combinations",
    "Tfidf": "ravenbench.text.tfidf",
    "TokenProfiles": "ravenbench.text.tfidf",
    "Tokens": "ravenbench.text.lexicon",
}
PLACES |= {name: point.value.partition(":")[0] for name, point in registered(SAVED_GROUP).items()}
"""The modules of classes that a saved verifier names: all registered classes. It may contain no others, except
those in the module of the expected verifier."""


class NotKept(SpecError):
    """A verifier that works, but contains a scikit-learn estimator that cannot be saved."""


LEARNED = "learned.json"
"""Hashes of what a verifier learned from (``problems.overlap.LearnedHashes``), if it was saved with them."""
_HEAD = "verifier.json"
_ARRAYS = "arrays.npz"
_SPARSE = ("csr_array", "csc_array", "csr_matrix", "csc_matrix")
_DEEP = 64
_DAMAGED = "this trained verifier is damaged"


def save(
    verifier: Verifier,
    folder: str | Path,
    known: Collection[str] = (),
    note: Callable[[str], object] | None = None,
    learned: bytes | None = None,
) -> Path:
    """Write a fitted verifier; the folder appears when it is complete.

    Parameters
    ----------
    folder : path
        A new or empty folder.
    known : collection of str
        Hashes (``outputs.digest``) of folders that may be replaced.
    note : callable, optional
        Receives the folder's hash before the folder appears.
    learned : bytes, optional
        Hashes of what it learned from, stored in ``LEARNED``.

    Raises
    ------
    SpecError
        If the verifier contains something that cannot be saved.
    InputError
        If the folder is not empty or Raven cannot write it, or cannot draw the figures.
    """
    folder = Path(folder)
    writer = Writer(foreign(verifier))
    state = writer.encode(verifier)
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **writer.arrays)  # type: ignore[arg-type]
    head = {
        "format": FORMAT,
        "spec": str(verifier),
        "identity": identity(verifier),
        "scikit-learn": _sklearn() if writer.estimators else None,
        "state": state,
    }
    with damaged("Raven cannot draw the figures of this trained verifier", folder, "train again"):
        figures = verifier.figures()
    with fresh_folder(folder, known=known) as temporary:
        for name, figure in figures.items():
            write_bytes(temporary / name, figure)
        write_bytes(temporary / _ARRAYS, buffer.getvalue())
        if learned is not None:
            write_bytes(temporary / LEARNED, learned)
        write_bytes(temporary / _HEAD, sealed(_body(head), buffer.getvalue(), learned or b""))
        if note is not None:
            note(folder_digest(temporary))
    return folder


def load(folder: str | Path, expected: Component | None = None) -> Verifier:
    """Load a fitted verifier from its folder; its answers equal those of the saved verifier, to the last bit.

    Parameters
    ----------
    expected : Scorer or Verifier, optional
        The expected component. Its parameters are then used, and classes of its modules may be rebuilt.
        Without it, only registered classes that do not run a program, ask a service or read other files.

    Raises
    ------
    FormatError
        If the folder contains no trained verifier, is damaged, or contains a part that does not belong in it.
    SpecError
        If it or a part of it differs from the expected, or was saved in another version; it names the difference.
    """
    folder = Path(folder)
    head, data = _head(folder)
    with damaged(_DAMAGED, folder, "train again"):
        expected_verifier = None if expected is None else as_verifier(expected)
        if expected_verifier is not None:
            _same(head, expected_verifier, folder)
        if head["scikit-learn"] not in (None, _sklearn()):
            raise SpecError(
                "this verifier was trained with another scikit-learn, which stores models"
                " differently",
                file=folder,
                fix="train it again",
                found=f"{head['scikit-learn']} in the folder, {_sklearn()} installed",
            )
        reader = Reader(_arrays(data), foreign(expected_verifier) if expected_verifier else None)
        verifier = reader.decode(head["state"])
        if not isinstance(verifier, Component) or not hasattr(verifier, "verify"):
            raise FormatError(
                "this folder contains no verifier", file=folder, found=type(verifier).__name__
            )
        if expected_verifier is None:
            _settle(verifier, None, "state", folder)
            expected_verifier = cast(Verifier, fresh(verifier))
            _same(head, expected_verifier, folder)
        _settle(verifier, expected_verifier, "state", folder)
        if reader.arrays:
            raise _damaged(f"arrays that it does not name: {', '.join(reader.arrays)}")
    return cast(Verifier, verifier)


def digest(folder: str | Path) -> str:
    """Return the identity of a trained verifier: its SHA-256 in hexadecimal, compared with the files."""
    head, _ = _head(Path(folder))
    return str(head["sha256"])


def sealed(body: bytes, arrays: bytes, learned: bytes) -> bytes:
    """Return a record without its last line, with the hash of it and of the other files."""
    digests = "".join(hashlib.sha256(part).hexdigest() for part in (body, arrays, learned))
    return body + f'"sha256": "{hashlib.sha256(digests.encode()).hexdigest()}"\n}}\n'.encode()


def _body(head: Mapping[str, Any]) -> bytes:
    """A record as it is written, without its last line."""
    values = {key: value for key, value in head.items() if key != "sha256"}
    return json_bytes(values).removesuffix(b"\n}\n") + b",\n "


def _arrays(data: bytes) -> dict[str, NDArray[Any]]:
    """The arrays by name. FormatError if one is packed, or two have one name: ``save`` writes none so."""
    arrays = {}
    with ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        packed = any(member.compress_type != ZIP_STORED for member in archive.infolist())
        size = sum(member.file_size for member in archive.infolist())
        if packed or len({*names}) < len(names) or size > len(data):
            raise _damaged("arrays that are packed, or two with the same name or place")
        for name in names:
            file = io.BytesIO(archive.read(name))
            np.lib.format.read_magic(file)
            shape, _, dtype = np.lib.format.read_array_header_1_0(file)
            if math.prod(shape) * dtype.itemsize != len(file.read()):
                raise _damaged(f"an array whose size is not the stated size: {shape}")
            file.seek(0)
            arrays[name.removesuffix(".npy")] = np.load(file, allow_pickle=False)
    return arrays


def _head(folder: Path) -> tuple[dict[str, Any], bytes]:
    """The record and the bytes of the arrays, once the hash was compared."""
    where = folder / _HEAD
    fix = "give a folder that raven verify --save wrote, or train again"
    with damaged("this is not a trained verifier", where, fix):
        data = read_ordinary(where)
        head = from_json(data.decode("utf-8"), where, problem="not JSON", fix="train again")
        if head["format"] != FORMAT:
            spec = shlex.quote(head["spec"])
            raise FormatError(
                "another version of Raven wrote this trained verifier",
                file=where,
                found=f"format {head['format']}",
                expected=f"format {FORMAT}",
                fix=(
                    f"train again: raven verify {spec} --train PROBLEMS --test PROBLEMS --out"
                    " FILE.jsonl --save NEW"
                ),
            )
        arrays = read_ordinary(folder / _ARRAYS)
        beside = folder / LEARNED
        learned = read_ordinary(beside) if beside.exists() else b""
        unchanged = data == sealed(_body(head), arrays, learned)
    if not unchanged:
        raise FormatError(
            "this trained verifier is damaged: its files were not saved together",
            file=folder,
            fix="copy the whole folder again, or train again",
        )
    return head, arrays


def _settle(value: Any, expected: Any, location: str, folder: Path) -> None:
    """Give a part the parameters that were asked for, and refuse what has no place in it, however deep.

    ``expected`` is the component or estimator that fit copies here, a list of them, or None where nobody knows.
    """
    if reaches_out(value) if expected is None else identity(value) != identity(expected):
        raise SpecError(
            "this trained verifier contains a part that the expected verifier does not have",
            file=folder,
            found=f"{path_of(type(value))} at {location}",
            expected=expected or "nothing that runs a program, asks a service or reads other files",
            fix=(
                "train again; if you named the saved verifier, somebody changed this folder: do not"
                " trust it"
            ),
        )
    state = {} if isinstance(value, type) else dict(getattr(value, "__dict__", {}))
    copies: dict[Any, Any] = dict(enumerate(expected)) if isinstance(expected, list) else {}
    if isinstance(expected, Component):
        parameters = set(expected._parameters()).difference(expected.not_in_key)
        copies = expected.copies() | {name: getattr(expected, name) for name in parameters}
        vars(value).update(expected.get_params(deep=False))
    if isinstance(value, dict | list | tuple | set | frozenset):
        state = dict(enumerate(value.items() if isinstance(value, dict) else value))
    for name, part in state.items():
        _settle(part, copies.get(name), f"{location}.{name}", folder)


def _same(head: dict[str, Any], expected: Component, folder: Path) -> None:
    if head["identity"] != identity(expected):
        raise SpecError(
            "this folder contains another verifier",
            file=folder,
            found="; ".join(_differences(head["identity"], identity(expected), str(head["spec"]))),
            fix=f"name {head['spec']}, or train again",
        )


def _differences(theirs: Any, ours: Any, name: str) -> list[str]:
    if not isinstance(theirs, dict) or not isinstance(ours, dict):
        return (
            [f"{name}: {theirs!r} in the folder, {ours!r} in the command"] if theirs != ours else []
        )
    if theirs.get("component") != ours.get("component"):
        return [
            f"{theirs.get('component', theirs)} in the folder, {ours.get('component', ours)} in the"
            " command"
        ]
    if "component" in theirs and theirs.get("version") != ours.get("version"):
        versions = f"version {theirs.get('version')} in the folder, {ours.get('version')} installed"
        return [f"{theirs['component']}: {versions}"]
    theirs = theirs.get("params", theirs)
    ours = ours.get("params", ours)
    return [
        line
        for key in sorted({*theirs, *ours})
        for line in _differences(theirs.get(key), ours.get(key), key)
    ]


def _sklearn() -> str:
    return ".".join(version("scikit-learn").split(".")[:2])


class Writer:
    """Turns a fitted object into JSON values; ``arrays`` must be stored with them.

    ``modules`` are the modules outside Raven whose objects it may contain.
    """

    def __init__(self, modules: Collection[str] = ()) -> None:
        self.modules = modules
        self.arrays: dict[str, NDArray[Any]] = {}
        self.estimators = False

    def encode(self, value: Any, location: str = "state", depth: int = 0) -> Any:
        """Return the JSON form of a value. SpecError, with the place, if it contains something that cannot be saved."""
        if depth > _DEEP:
            raise SpecError("this verifier contains itself and cannot be saved", found=location)
        if value is None or isinstance(value, bool) or type(value) in (int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}

        def inner(part: Any, name: object) -> Any:
            return self.encode(part, f"{location}.{name}", depth + 1)

        if isinstance(value, type) and issubclass(value, np.generic):
            return {"number": value.__name__}
        if isinstance(value, np.generic):
            return {"scalar": self._keep(np.asarray(value), location)}
        if type(value) is np.ndarray:
            return {"array": self._keep(value, location)}
        if type(value) is bytes:
            return {"bytes": self._keep(np.frombuffer(value, dtype=np.uint8), location)}
        if type(value) is list:
            return [inner(part, i) for i, part in enumerate(value)]
        if type(value) is tuple:
            return {"tuple": [inner(part, i) for i, part in enumerate(value)]}
        if type(value) in (set, frozenset):
            return {
                type(value).__name__: [inner(part, "member") for part in sorted(value, key=repr)]
            }
        if type(value) is dict:
            return {"dict": [[inner(k, "key"), inner(item, k)] for k, item in value.items()]}
        if type(value).__name__ in _SPARSE and type(value).__module__.startswith("scipy.sparse"):
            arrays = {
                name: self._keep(getattr(value, name), location)
                for name in ("data", "indices", "indptr")
            }
            return {"sparse": type(value).__name__, "shape": list(map(int, value.shape)), **arrays}
        if type(value).__module__.startswith("sklearn."):
            return self._estimator(value, location, inner)
        return self._object(value, location, inner)

    def _object(self, value: Any, location: str, inner: Any) -> dict[str, Any]:
        cls = type(value)
        if isinstance(value, tuple) and hasattr(cls, "_fields"):
            return {
                "named": _name_of(cls),
                "items": [inner(part, i) for i, part in enumerate(value)],
            }
        if (
            not hasattr(value, "__dict__")
            or "<" in cls.__qualname__
            or cls.__module__ == "builtins"
        ):
            raise _cannot_save(cls, location)
        if _module_of(_name_of(cls), self.modules) is None:
            raise _cannot_save(cls, location)
        node: dict[str, Any] = {"object": _name_of(cls)}
        state = vars(value)
        if isinstance(value, Component):
            state = {k: attribute for k, attribute in state.items() if _is_state(cls, k)}
            node["version"] = value.version
        return node | {"state": {k: inner(attribute, k) for k, attribute in state.items()}}

    def _estimator(self, value: Any, location: str, inner: Any) -> dict[str, Any]:
        self.estimators = True
        name = type(value).__name__
        if name == "Tree":
            _, sizes, state = value.__reduce__()
            return {"tree": [inner(part, "tree") for part in (*sizes, dict(state))]}
        if name not in ESTIMATORS or type(value) is not _estimator_class(name):
            raise _cannot_save(type(value), location, NotKept)
        return {
            "estimator": name,
            "state": {k: inner(attribute, k) for k, attribute in vars(value).items()},
        }

    def _keep(self, array: NDArray[Any], location: str) -> str:
        if array.dtype.hasobject:
            raise SpecError("an array of Python objects cannot be saved", found=location)
        name = f"a{len(self.arrays)}"
        self.arrays[name] = array
        return name


def _name_of(cls: type[Any]) -> str:
    """How a class is called in a saved verifier: Raven's own without the module, which may move."""
    return (
        f"ravenbench:{cls.__name__}" if PLACES.get(cls.__name__) == cls.__module__ else path_of(cls)
    )


def _cannot_save(cls: type[Any], location: str, kind: type[SpecError] = SpecError) -> SpecError:
    return kind(
        f"this verifier cannot be saved: it contains a {cls.__module__}.{cls.__qualname__}",
        found=location,
        expected=(
            "numbers, text, arrays, components, classes of the verifier's module or registered"
            f" in {SAVED_GROUP}, or one of {', '.join(ESTIMATORS)}"
        ),
    )


def _module_of(name: str, modules: Collection[str] | None) -> str | None:
    """Where a class lies that a saved verifier may hold; None for any other.

    Registered classes of other packages are among them where one of that package was asked for, or nothing was.
    """
    module, _, attribute = name.partition(":")
    if module != "ravenbench":
        return module if module in (modules or ()) else None
    module = PLACES.get(attribute, "")
    packages = {"ravenbench", *(module_name.partition(".")[0] for module_name in modules or ())}
    return module if module and (modules is None or module.partition(".")[0] in packages) else None


@dataclass(eq=False)
class Reader:
    """Rebuilds Python objects from the JSON values and arrays that a ``Writer`` wrote.

    Parameters
    ----------
    arrays : dict of str to array
        Each array is removed when it is used.
    modules : collection of str, optional
        Modules whose classes may be rebuilt, besides Raven's in ``PLACES``; None without an expected verifier.
    """

    arrays: dict[str, NDArray[Any]]
    modules: Collection[str] | None

    def decode(self, node: Any) -> Any:
        """Return the value of a node.

        FormatError if a node is not in ``Writer``'s form. SpecError if a class has another version here.
        """
        if node is None or isinstance(node, bool | int | float | str):
            return node
        if isinstance(node, list):
            return [self.decode(part) for part in node]
        if not isinstance(node, dict) or not node:
            raise _damaged(node)
        tag, value = next(iter(node.items()))
        plain: dict[str, Callable[[Any], Any]] = {
            "float": float,
            "scalar": lambda name: self.arrays.pop(name)[()],
            "array": self.arrays.pop,
            "bytes": lambda name: self.arrays.pop(name).tobytes(),
            "tuple": lambda parts: tuple(self.decode(parts)),
            "set": lambda parts: set(self.decode(parts)),
            "frozenset": lambda parts: frozenset(self.decode(parts)),
            "dict": lambda pairs: dict(self.decode(pairs)),
        }
        if tag in plain:
            return plain[tag](value)
        reader = getattr(self, f"_read_{tag}", None)
        if reader is None:
            raise FormatError("this trained verifier contains an unknown kind of value", found=tag)
        return reader(node)

    def _read_number(self, node: dict[str, Any]) -> Any:
        if node["number"] not in ("float32", "float64", "int32", "int64", "bool"):
            raise FormatError(
                "this trained verifier contains an unknown kind of number", found=node["number"]
            )
        return np.dtype(node["number"]).type

    def _read_sparse(self, node: dict[str, Any]) -> Any:
        from scipy import sparse

        if node["sparse"] not in _SPARSE:
            raise FormatError(
                "this trained verifier contains an unknown kind of matrix", found=node["sparse"]
            )
        arrays = tuple(self.arrays.pop(node[name]) for name in ("data", "indices", "indptr"))
        matrix = getattr(sparse, node["sparse"])(arrays, shape=tuple(node["shape"]))
        matrix.check_format(full_check=True)
        return matrix

    def _read_object(self, node: dict[str, Any]) -> Any:
        cls = self._class(node["object"])
        if issubclass(cls, Component) and node.get("version") != cls.version:
            raise SpecError(
                f"{cls.name or cls.__qualname__} was saved in another version",
                found=f"version {node.get('version')} in the folder, {cls.version} installed",
                fix="train it again",
            )
        return self._filled(cls, node["state"])

    def _read_named(self, node: dict[str, Any]) -> Any:
        cls = self._class(node["named"])
        if not issubclass(cls, tuple):
            raise _damaged(node["named"])
        return tuple.__new__(cls, self.decode(node["items"]))

    def _read_estimator(self, node: dict[str, Any]) -> Any:
        if node["estimator"] not in ESTIMATORS:
            raise FormatError(
                "this trained verifier contains an unknown estimator", found=node["estimator"]
            )
        estimator = self._filled(_estimator_class(node["estimator"]), node["state"])
        if hasattr(estimator, "support_vectors_") and not _sound_svc(estimator):
            raise _damaged("an SVC whose arrays do not fit together")
        return estimator

    def _read_tree(self, node: dict[str, Any]) -> Any:
        from sklearn.tree._tree import Tree

        features, classes, outputs, state = self.decode(node["tree"])
        if not _sound_tree(features, state):
            raise _damaged("an invalid decision tree")
        tree = Tree(features, classes, outputs)
        tree.__setstate__(state)
        return tree

    def _filled(self, cls: type[Any], state: dict[str, Any]) -> Any:
        if unfit := [name for name in state if not (name.isidentifier() and _is_state(cls, name))]:
            raise FormatError(
                "this trained verifier sets something that is not learned state", found=unfit
            )
        instance = object.__new__(cls)
        vars(instance).update({name: self.decode(value) for name, value in state.items()})
        return instance

    def _class(self, name: str) -> type[Any]:
        module = _module_of(name, self.modules)
        attribute = name.partition(":")[2]
        if module is None:
            raise FormatError(
                "this trained verifier names a class that is not part of it",
                found=name,
                fix="load it with the verifier it was made from, if you trust that package",
            )
        try:
            cls = getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            raise FormatError(
                "this trained verifier names a class that does not exist", found=name
            ) from error
        if not isinstance(cls, type):
            raise FormatError(
                "this trained verifier names something that is not a class", found=name
            )
        return cls


def _is_state(cls: type[Any], name: str) -> bool:
    """Whether an attribute is a parameter or learned, and no name of Python's or of the class itself."""
    if issubclass(cls, Component):
        return name in cls._parameters() or (name.endswith("_") and not name.startswith("_"))
    return not (name.startswith("__") or callable(getattr(cls, name, None)))


def _damaged(file: object) -> FormatError:
    return FormatError(_DAMAGED, found=file)


def _estimator_class(name: str) -> type[Any]:
    cls: type[Any] = getattr(importlib.import_module(ESTIMATORS[name]), name)
    return cls


def _sound_tree(features: int, state: Mapping[str, Any]) -> bool:
    """True if every path leads from the root down to a leaf: compiled code follows it without looking."""
    nodes = state["nodes"]
    values = state["values"]
    count = int(state["node_count"])
    if not 0 < count == len(nodes) == len(values):
        return False
    left_children = nodes["left_child"]
    right = nodes["right_child"]
    feature = nodes["feature"]
    nodes_here = np.arange(count)
    leaf = left_children == -1
    inside = (
        (left_children > nodes_here)
        & (left_children < count)
        & (right > nodes_here)
        & (right < count)
        & (feature >= 0)
        & (feature < features)
    )
    return bool(np.all(leaf | inside))


def _sound_svc(model: Any) -> bool:
    """True if the arrays of a support vector classifier have the shapes that compiled code takes for granted."""
    vectors = model.support_vectors_
    support_counts = model._n_support
    return bool(
        support_counts.min(initial=0) >= 0
        and support_counts.sum() == vectors.shape[0] == len(model.support_)
        and vectors.ndim == 2
        and vectors.shape[1] == model.shape_fit_[1]
        and model._dual_coef_.shape == (len(support_counts) - 1, vectors.shape[0])
    )
