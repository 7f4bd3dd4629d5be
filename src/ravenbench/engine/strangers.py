"""Stands for verifiers of others' classes where a run's data are: their code runs in other processes alone.

In: a kind (``verifier``) and ``module:Class``; nothing of that module is imported here.
Out: ``stand_in`` gives a class whose objects have the parameters, the printed form and the identity of those that they
stand for, and are sent as their printed form, from which the process that is sent one makes the real one. They learn and
answer there: scores and answers (n,), or features (n, f), higher = same author. RavenError as the class itself raises
it.

What is said of a class (its parameters, attributes, file) and of an object (whether it can work, the hash of its model)
is asked in a process behind walls (``engine.apart``) that sees no text.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Any, Self

import msgspec
import numpy as np

from ravenbench import errors, registry
from ravenbench.components import Component, is_known, path_of, show
from ravenbench.engine import apart, walls
from ravenbench.errors import InputError, MethodError, RavenError, SpecError
from ravenbench.types import Floats, Problems

PARTS = ("problem", "file", "line", "found", "expected", "fix")
"""Of an error that is told."""
PLAIN = bool | int | float | str | None


class _Unwritten:
    """A default that cannot be written."""

    def __repr__(self) -> str:
        return "..."


class StandIn:
    """What stands for an object of a class of others."""

    stands_for = ""
    file = ""
    kind = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        bound = inspect.signature(type(self)).bind(*args, **kwargs)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            variable = bound.signature.parameters[name].kind == inspect.Parameter.VAR_KEYWORD
            self.__dict__.update(value if variable else {name: value})
        self.__dict__.update(self.made()["attributes"])

    def made(self) -> dict[str, Any]:
        """What is known of the object that this stands for; RavenError if it cannot be made."""
        return _asked(of_object, type(self).kind, show(self), isinstance(self, Component))

    def __reduce__(self) -> tuple[Any, ...]:
        return registry.again, (type(self).kind, show(self), isinstance(self, Component))

    def fit(self, *given: Any) -> Self:
        """Learn from training problems and their truth, in a process that sees nothing else."""
        problems, same = given
        handed, order = apart.handed(problems)
        again = apart.learn_alone, self, handed, np.asarray(same)[order]
        self.learned_ = apart.Apart.learned(self, None, *again)
        return self

    def answered(self, method: str, problems: Problems) -> Any:
        """What a method that has learned gives for problems."""
        handed, order = apart.handed(problems)
        with self.learned_.process_for(None) as process:
            values = process.ask(apart.call, method, handed)["values"]
        whole = np.empty_like(values)
        whole[order] = values
        return whole


class StandInComponent(StandIn):
    """What stands for a component."""

    def require(self) -> None:
        """As ``Component.require``, asked where the object is."""
        if refusal := self.made()["require"]:
            raise _refusal(refusal)

    def model_digest(self) -> str:
        """As ``Component.model_digest``."""
        return str(self.made()["model_digest"])

    def default_calibrator(self) -> Any:
        """As ``Scorer.default_calibrator``."""
        return registry.parse("calibrator", self.made()["default_calibrator"])

    def score(self, problems: Problems) -> Floats:
        """As ``Scorer.score``."""
        return np.asarray(self.answered("score", problems))

    def verify(self, problems: Problems) -> Floats:
        """As ``Verifier.verify``."""
        return np.asarray(self.answered("verify", problems))


class StandInEstimator(StandIn):
    """What stands for an estimator among the parameters of a component."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.params = dict[str, Any]()
        super().__init__(*args, **kwargs)
        self.params = {k: v for k, v in self.__dict__.items() if k != "params"}
        for name, text in self.made()["params"].items():
            if name not in self.params:
                self.params[name] = registry.value(type(self).kind, text)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return dict(self.params)


def stand_in(kind: str, target: str, nested: bool) -> type:
    """The class that stands for ``module:Class``; errors are those of ``registry.resolve``."""
    known = _asked(of_class, kind, target, nested)
    base = known["base"] and getattr(import_module(known["base"][0]), known["base"][1])
    bases = (StandInComponent, base) if base else (StandInEstimator,)
    parameters = [
        inspect.Parameter(
            name,
            inspect._ParameterKind(number),
            default=inspect.Parameter.empty if text is None else _default(kind, text),
        )
        for name, number, text in known["parameters"]
    ]
    named = {name: known[name] for name in ("stands_for", "file", "__module__", "__doc__")}
    named |= {
        "__qualname__": target.partition(":")[2],
        "__signature__": inspect.Signature(parameters),
    }
    return type(named["__qualname__"], bases, {**known["attributes"], **named, "kind": kind})


def _default(kind: str, text: str) -> Any:
    try:
        return registry.value(kind, text)
    except SpecError:
        return _Unwritten()


@lru_cache(maxsize=512)
def _asked(do: Callable[..., Any], kind: str, text: str, flag: bool) -> dict[str, Any]:
    """What a function gives in a process of its own; the RavenError that it raises there."""
    modules = re.findall(r"([\w.]+):[A-Za-z_]", text)
    quoted = re.findall(r"'([^']*)'|\"([^\"]*)\"", text)
    texts = (one for pair in quoted for one in pair if one)
    process = apart.Process(walls.view(modules, texts, None))
    try:
        reply = process.ask(do, kind, text, flag)["json"]
    except MethodError as error:
        raise SpecError(f"{kind} {text!r} cannot be made", found=str(error)) from error
    finally:
        process.close(True)
    answer: dict[str, Any] = msgspec.json.decode(reply)
    if "type" in answer:
        raise _refusal(answer)
    return answer


def _told(error: RavenError) -> dict[str, Any]:
    """An error as it is told to another process."""
    parts_of_error = {part: getattr(error, part, None) for part in PARTS}
    texts = {
        part: value if isinstance(value, int) else value and str(value)
        for part, value in parts_of_error.items()
    }
    return {**texts, "type": type(error).__name__, "problem": texts["problem"] or str(error)}


def _refusal(parts_of_error: dict[str, Any]) -> RavenError:
    """The error that was told."""
    kind = getattr(errors, parts_of_error["type"], SpecError)
    if isinstance(kind, type) and issubclass(kind, InputError):
        return kind(**{part: parts_of_error[part] for part in PARTS})
    return RavenError(parts_of_error["problem"])


def of_class(state: Any, kind: str, target: str, nested: bool) -> tuple[Any, dict[str, Any]]:
    """In a process of its own: what is known of a class, as JSON; or the error."""
    try:
        cls = registry.resolve(kind, target, nested=nested)
        signature = inspect.signature(cls)
    except RavenError as error:
        return state, {"json": msgspec.json.encode(_told(error))}
    except ValueError:
        unsaid = SpecError(f"{kind} {target!r} does not say which parameters it takes")
        return state, {"json": msgspec.json.encode(_told(unsaid))}
    base = next((one for one in cls.__mro__ if issubclass(one, Component) and is_known(one)), None)
    known = {
        "stands_for": path_of(cls),
        "file": getattr(sys.modules[cls.__module__], "__file__", None) or "",
        "__module__": cls.__module__,
        "__doc__": cls.__doc__,
        "base": base and (base.__module__, base.__qualname__),
        "parameters": [
            (one.name, int(one.kind), None if one.default is one.empty else show(one.default))
            for one in signature.parameters.values()
        ],
        "attributes": _attributes(cls, base, vars(cls)) if base else {},
    }
    return state, {"json": msgspec.json.encode(known)}


def of_object(state: Any, kind: str, text: str, whole: bool) -> tuple[Any, dict[str, Any]]:
    """There: what is known of an object, by its printed form; or the error."""
    refused = None
    try:
        made = registry.again(kind, text, whole)
    except RavenError as error:
        return state, {"json": msgspec.json.encode(_told(error))}
    if not isinstance(made, Component):
        params = {name: show(value) for name, value in made.get_params(deep=False).items()}
        return state, {"json": msgspec.json.encode({"attributes": {}, "params": params})}
    try:
        made.require()
    except RavenError as error:
        refused = _told(error)
    base = next(one for one in type(made).__mro__ if is_known(one))
    calibrator = getattr(made, "default_calibrator", None)
    known = {
        "attributes": {
            name: value
            for name, value in _attributes(made, base, ("transductive", "symmetric")).items()
            if name not in made._parameters()
        },
        "require": refused,
        "model_digest": made.model_digest(),
        "reads_files": made.reads_files,
        "default_calibrator": calibrator and str(calibrator()),
    }
    return state, {"json": msgspec.json.encode(known)}


def _attributes(value: Any, base: type, names: Any) -> dict[str, PLAIN]:
    """Attributes that say what may be assumed of a class or an object."""
    values = {name: getattr(value, name, None) for name in names if not name.startswith("_")}
    declared = {name: one for name, one in values.items() if hasattr(base, name)}
    declared |= {name: values[name] for name in ("outside", "provenance") if name in values}
    return {name: one for name, one in declared.items() if isinstance(one, PLAIN)}
