"""Stands for verifiers of others' classes where a run's data are: their code runs in other processes alone.

In: ``module:Class``; nothing of that module is imported here.
Out: ``stand_in`` gives a class whose objects have the parameters, the printed form and the identity of those that they
stand for, and are sent as their printed form, from which the process that is sent one makes the real one. They learn and
answer there: scores and answers (n,), or features (n, f), higher = same author. SpecError with what the class itself
raises.

What is said of a class (its parameters, attributes, file) and of an object (whether it can work, the hash of its model)
is asked in a process behind walls (``engine.apart``) that sees no text.
"""

from __future__ import annotations

import inspect
import re
import sys
from functools import lru_cache
from typing import Any, Self

import msgspec
import numpy as np

from ravenbench import registry
from ravenbench.components import Component, is_known, path_of, show
from ravenbench.engine import apart, walls
from ravenbench.errors import MissingPart, RavenError, SpecError
from ravenbench.types import Bools, Floats, Problems

KIND = "verifier"
"""The one kind of components that is stood for."""
PLAIN = bool | int | float | str | None
SAID = ("transductive", "symmetric", "outside", "provenance")
"""Attributes that an object may say of itself where its class does not."""
NAMED = ("__module__", "__qualname__", "__doc__", "__file__")
"""What a class says of itself under names that Python may give a meaning; it may say nothing else under such."""


class StandIn:
    """What stands for an object of a class of others: a component, or an estimator among the parameters of one."""

    stands_for: tuple[str, ...] = ()
    was_here = False
    """Whether the class was imported in a process of Raven's after all, for another component of its module."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        given = dict(zip(inspect.signature(type(self)).parameters, args, strict=False)) | kwargs
        texts = (f"{name}={show(value)}" for name, value in given.items() if value is not ...)
        nested = not isinstance(self, Component)
        made = self._made = _asked(f"{self.stands_for[-1]}({', '.join(texts)})", nested)
        self._params = {name: _read(text) for name, text in made["params"]} | given
        self.__dict__.update(dict(zip(SAID, made["said"], strict=True)) | self._params)
        self.given_ = given

    def __reduce__(self) -> tuple[Any, ...]:
        return again, (show(self), not isinstance(self, Component), apart.ran_here(self))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in self._params}

    def require(self) -> None:
        """As ``Component.require``, asked where the object is."""
        _refuse(*self._made["require"])

    def model_digest(self) -> str:
        """As ``Component.model_digest``."""
        return str(self._made["model_digest"])

    def default_calibrator(self) -> Any:
        """As ``Scorer.default_calibrator``."""
        return _read(self._made["default_calibrator"])

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Learn from training problems and their truth, in a process that sees nothing else."""
        handed, order = apart.handed(problems)
        self.learned_ = apart.Apart.learned(self, None, learn, self, handed, same[order])
        return self

    def score(self, problems: Problems) -> Floats:
        """As ``Scorer.score``."""
        every = [np.arange(len(problems))]
        run: Any = None
        arrays, _ = apart.answered(self.learned_, run, "", problems, calls=every, answers=answer)
        return arrays["values"]

    verify = score


def again(text: str, nested: bool, here: bool) -> Any:
    """An object of a printed form, or what stands for it, which keeps that its class was imported ``here``."""
    made = registry.parse(KIND, text, nested)
    if isinstance(made, StandIn):
        made.was_here = here
    return made


def learn(state: Any, method: Any, train: Problems, same: Bools) -> apart.Given:
    """In a process of its own: a method as it is, without a calibrator, that learns from these problems."""
    return method.fit(train, same), {}


def answer(state: Any, problems: Problems, each: bool) -> apart.Given:
    """There: what it gives for these problems."""
    values = (state.score if hasattr(state, "score") else state.verify)(problems)
    return state, {"values": np.asarray(values)}


def stand_in(target: str, nested: bool) -> type:
    """The class that stands for ``module:Class``; errors are those of ``registry.resolve``."""
    seen = _asked(target, nested)
    with registry.importing("nowhere"):
        bases = [registry.load(KIND, one) for one in seen["base"]]
    parameters = [
        inspect.Parameter(
            name,
            inspect._ParameterKind(number),
            default=inspect.Parameter.empty if text is None else _read(text),
        )
        for name, number, text in seen["signature"]
    ]
    named = {
        name: one
        for name, one in seen["attributes"].items()
        if name in NAMED or not name.startswith("_")
    }
    named["stands_for"] = f"{named['__module__']}:{named['__qualname__']}", target
    named["__signature__"] = inspect.Signature(parameters)
    return type(named["__qualname__"], (StandIn, *bases), named)


def _read(text: str) -> Any:
    """A value as others' code printed it, for which nothing of others is imported; an ellipsis of one that cannot be
    written."""
    try:
        with registry.importing("nowhere"):
            return registry.value(KIND, text)
    except SpecError:
        return ...


@lru_cache(maxsize=512)
def _asked(text: str, nested: bool) -> dict[str, Any]:
    """What ``known`` gives in a process of its own; SpecError with what is raised there."""
    modules = re.findall(r"(?<![\w.])([\w.]++):[A-Za-z_]", text)
    quoted = [one for _, one in re.findall(r"(['\"])(.+?)\1", text)]
    try:
        with apart.process(walls.view(modules, quoted, None)) as process:
            reply = process.ask(known, text, nested)["json"]
    except RavenError as error:
        raise SpecError(f"{KIND} {text!r} cannot be created", found=str(error)) from error
    answer: dict[str, Any] = msgspec.json.decode(reply)
    _refuse(*answer.get("refused", ()))
    return answer


def _refuse(why: str = "", missing: bool = False) -> None:
    """Raise the error that was raised elsewhere, if one was."""
    if why:
        raise (MissingPart if missing else SpecError)(why)


def _refused(error: RavenError) -> tuple[str, bool]:
    return str(error), isinstance(error, MissingPart)


def known(state: Any, text: str, nested: bool) -> apart.Given:
    """There: what is known of a class, or of the object of a printed form, as JSON; or why it is refused."""
    try:
        if "(" in text:
            reply = _of_object(registry.parse(KIND, text, nested))
        else:
            reply = _of_class(registry.resolve(KIND, text, nested=nested))
    except RavenError as error:
        reply = {"refused": _refused(error)}
    return state, {"json": msgspec.json.encode(reply)}


def _of_class(cls: Any) -> dict[str, Any]:
    ours = [path_of(one) for one in cls.__mro__ if issubclass(one, Component) and is_known(one)]
    theirs = [base for base in reversed(cls.__mro__) if not is_known(base)]
    values = {k: v for base in theirs for k, v in vars(base).items() if isinstance(v, PLAIN)}
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    named = cls.__module__, cls.__qualname__, cls.__doc__, file
    return {
        "base": ours[:1],
        "signature": [
            (one.name, int(one.kind), None if one.default is one.empty else show(one.default))
            for one in inspect.signature(cls).parameters.values()
        ],
        "attributes": values | dict(zip(NAMED, named, strict=True)),
    }


def _of_object(made: Any) -> dict[str, Any]:
    params = made.get_params(deep=False)
    said = [getattr(made, name, None) for name in SAID]
    reply = {
        "params": [(name, show(value)) for name, value in params.items()],
        "said": [one if isinstance(one, PLAIN) else None for one in said],
    }
    if isinstance(made, Component):
        calibrator = getattr(made, "default_calibrator", str)
        reply |= {"require": (), "model_digest": made.model_digest()}
        reply["default_calibrator"] = str(calibrator())
        try:
            made.require()
        except RavenError as error:
            reply["require"] = _refused(error)
    return reply
