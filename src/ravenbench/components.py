"""Defines ``Component``, the base class of everything named in a spec: its printed form can be parsed back (contract
10).

In: for a ``Component`` its parameters by name; for the functions a component, or an estimator of scikit-learn
(``seeded``: and a seed). Out: ``show`` and ``printed`` (which refuses a form that cannot be parsed back) give the
printed form as text, ``identity`` the JSON form that enters keys, ``identity_hash`` its hash (32 hexadecimal digits),
``source_hash`` SHA-256 in hexadecimal, or None; ``seeded`` a copy with this seed; ``inner_components`` and ``parts``
lists; ``is_estimator`` and ``reaches_out`` bool. SpecError for a parameter that does not exist, is not as declared, or
cannot be written.

As in scikit-learn, ``__init__`` only stores its arguments, learned state ends in ``_``, ``clone`` works.
"""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import json
import operator
import os
import reprlib
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import entry_points
from numbers import Integral, Real
from pathlib import Path
from types import FunctionType, GetSetDescriptorType, NoneType, SimpleNamespace, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    Self,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from ravenbench.errors import SpecError, check_number, did_you_mean, writable

_PLAIN: dict[type, tuple[type, str]] = {
    int: (Integral, "a whole number"),
    float: (Real, "a number"),
    str: (str, "text"),
    bool: (bool, "True or False"),
    NoneType: (NoneType, "None"),
}
_BOUNDS = {
    "ge": (operator.ge, "at least"),
    "gt": (operator.gt, "above"),
    "le": (operator.le, "at most"),
    "lt": (operator.lt, "below"),
}


@cache
def _signature(kind: type) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(kind).parameters
    return {
        k: parameter
        for k, parameter in parameters.items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    }


@cache
def _hints(kind: Any) -> dict[str, Any]:
    """What the parameters of a class are declared to be, as far as the names in their annotations are known."""
    hints: dict[str, Any] = {}
    for name, parameter in _signature(kind).items():
        with suppress(Exception):  # a name that only type checkers know
            alone = SimpleNamespace(__annotations__={name: parameter.annotation})
            names = getattr(inspect.unwrap(kind.__init__), "__globals__", {})
            hints |= get_type_hints(alone, names, include_extras=True)
    return hints


def _misfit(value: Any, hint: Any) -> str:
    """What a value should be and is not, in words; "" where it is as declared."""
    origin = get_origin(hint)
    inner = get_args(hint)
    if origin is Annotated:
        bounds = [
            (*sign, bound)
            for name, sign in _BOUNDS.items()
            if (bound := getattr(inner[1], name)) is not None
        ]
        misfit = _misfit(value, inner[0])
        fits = not misfit and all(holds(value, bound) for holds, _, bound in bounds)
        return (
            ""
            if fits
            else " and ".join(
                [
                    *([misfit] if misfit else []),
                    *(f"{words} {bound:,}" for _, words, bound in bounds),
                ]
            )
        )
    if origin in (Union, UnionType):
        misfits = [_misfit(value, alternative) for alternative in inner]
        return " or ".join(dict.fromkeys(misfits)) if all(misfits) else ""
    if origin is Literal:
        return (
            ""
            if any(type(value) is type(allowed) and value == allowed for allowed in inner)
            else " or ".join(map(repr, inner))
        )
    if origin in (list, tuple, Sequence):
        misfits = (
            [_misfit(item, inner[0]) for item in value]
            if isinstance(value, list | tuple)
            else ["what fits"]
        )
        return f"a list in which each item is {''.join(misfits[:1])}" if any(misfits) else ""
    if hint in _PLAIN:
        fits = isinstance(value, _PLAIN[hint][0]) and (hint is bool or not isinstance(value, bool))
        return "" if fits else _PLAIN[hint][1]
    part = isinstance(hint, type) and issubclass(hint, Component)
    return (
        f"a component ({hint.__name__})"
        if part and not isinstance(value, Component) and not is_estimator(value)
        else ""
    )


class Component:
    """Base of samplers, encoders, pair rules, verifiers, calibrators, obfuscators.

    ``str(component)`` omits defaults; ``identity(component)`` contains everything that decides its answers.
    """

    name: ClassVar[str] = ""
    version: ClassVar[int] = 1
    """Raised by hand whenever answers change (contract 4)."""
    reads: ClassVar[str] = ""
    """What texts are to it, which decides the languages it can read (``verifiers.contract.languages``): ``characters``,
    ``words``, ``both``, ``units`` (its parameter of that name decides), ``blanks`` (the characters between words) or
    ``English``; empty where it is not declared."""
    reads_grammar: ClassVar[bool] = False
    """Whether it reads parts of speech, parses or running text, which replaced content words break."""
    trains_long: ClassVar[bool] = False
    """Whether it learns for minutes, on toy problems too, so that it is not tried on them beforehand."""
    not_in_key: ClassVar[tuple[str, ...]] = ()
    """Parameters that say under what conditions it works and never decide its answers: no part of its identity."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Check the values given, however the class sets its parameters. SpecError if one is not what it is declared
        to be, or a number that cannot be meant."""
        if cls.__init__ is object.__init__ and (
            args or kwargs
        ):  # as Python says it where a class has no __new__
            raise TypeError(f"{cls.__name__}() takes no arguments")
        cls._check_values(dict(zip(cls._parameters(), args, strict=False)) | kwargs)
        return super().__new__(cls)

    @classmethod
    def _check_values(cls, values: Mapping[str, Any]) -> None:
        kind: Any = cls
        for name, parameter in cls._parameters().items():
            value = values.get(name, parameter.default)
            default = parameter.default
            if value is default or (type(value) is type(default) is float and value == default):
                continue
            label = f"{cls.name or cls.__qualname__}: {name}"
            hint = _hints(kind).get(name)
            if misfit := _misfit(value, hint):
                raise SpecError(f"{label} must be {misfit}", found=value)
            check_number(label, value)
            if name.endswith("seed") and isinstance(value, int) and value < 0:
                raise SpecError(f"{label} must be at least 0", found=value)

    @classmethod
    def _parameters(cls) -> dict[str, inspect.Parameter]:
        kind: type = cls
        return {} if cls.__init__ is object.__init__ else dict(_signature(kind))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; with ``deep``, those of nested components as ``outer__inner``."""
        params = {name: getattr(self, name) for name in self._parameters()}
        if deep:
            for name, value in list(params.items()):
                if hasattr(value, "get_params") and not isinstance(value, type):
                    params |= {
                        f"{name}__{k}": nested_value
                        for k, nested_value in value.get_params().items()
                    }
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name (``outer__inner`` reaches into a nested component).

        SpecError for an unknown parameter.
        """
        for key, value in params.items():
            outer, _, inner = key.partition("__")
            if outer not in self._parameters():
                raise unknown_parameter(type(self), outer)
            if inner:
                getattr(self, outer).set_params(**{inner: value})
            else:
                self._check_values({key: value})
                setattr(self, outer, value)
        return self

    def require(self) -> None:
        """Check before any work that everything this component needs is installed, including the components in it.
        MissingPart if a package, a model or an endpoint is missing, with the command that installs it.
        """
        for part in inner_components(self):
            part.require()

    def model_digest(self) -> str:
        """Return the hash of the model files on this machine that it reads; empty without a model."""
        return ""

    @property
    def reads_files(self) -> bool:
        """Whether a parameter names files that it reads; by default whether it has a ``model_digest``."""
        return type(self).model_digest is not Component.model_digest

    def copies(self) -> dict[str, Any]:
        """Return what ``fit`` copies (components, estimators, or lists of them), by the attribute of the fitted copy.

        A verifier is loaded only with what this method returns; nothing else in it may run a program, use a service or
        read files of others.
        """
        return {}

    def __str__(self) -> str:
        shown = []
        positional = True
        for name, parameter in self._parameters().items():
            value = getattr(self, name)
            if parameter.default is not inspect.Parameter.empty and show(parameter.default) == show(
                value
            ):
                positional = False
                continue
            bare = positional and isinstance(value, Component)
            shown.append(show(value) if bare else f"{name}={show(value)}")
            positional = bare
        return _printed_name(type(self)) + (f"({', '.join(shown)})" if shown else "")

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and identity(self) == identity(other)

    def __hash__(self) -> int:
        return hash(json.dumps(identity(self), sort_keys=True))


# What has no __init__ takes no parameters.
_ONLY_THE_CLASS = [inspect.Parameter("cls", inspect.Parameter.POSITIONAL_ONLY)]
Component.__new__.__signature__ = inspect.Signature(_ONLY_THE_CLASS)  # type: ignore[attr-defined]


def inner_components(component: Component) -> list[Component]:
    """Return the components among the parameters of a component."""
    values = (getattr(component, name) for name in component._parameters())
    listed = (
        part
        for value in values
        for part in (value if isinstance(value, list | tuple) else (value,))
    )
    return [part for part in listed if isinstance(part, Component)]


def parts(component: Component) -> list[Component]:
    """Yield a component and all components in it, at any depth."""
    return [component, *(inner for part in inner_components(component) for inner in parts(part))]


def is_estimator(value: Any) -> bool:
    """Say whether a parameter is an estimator or transformer like those of scikit-learn, and not a component."""
    return (
        hasattr(value, "get_params")
        and hasattr(value, "fit")
        and not isinstance(value, type | Component)
    )


def reaches_out(value: Any) -> bool:
    """Say whether a component or an estimator itself runs a program, uses a service or reads files that a parameter
    names."""
    if is_estimator(value):
        params = value.get_params(deep=False)
        return params.get("memory") is not None or params.get("input", "content") != "content"
    return isinstance(value, Component) and (getattr(value, "outside", False) or value.reads_files)


def _set(estimator: Any) -> dict[str, Any]:
    """The parameters of an estimator that are not at their defaults."""
    kind: type = type(estimator)
    params = estimator.get_params(deep=False)
    defaults = _signature(kind)
    return {
        k: given_value
        for k, given_value in params.items()
        if k not in defaults or show(defaults[k].default) != show(given_value)
    }


def show(value: Any) -> str:
    """Return a parameter value as it is written in a spec."""
    if isinstance(value, Component):
        return str(value)
    if is_estimator(value):
        return (
            f"{path_of(type(value))}("
            f"{', '.join(f'{k}={show(item)}' for k, item in _set(value).items())})"
        )
    if isinstance(value, list | tuple):
        inner = ", ".join(show(item) for item in value)
        if isinstance(value, tuple):
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        return f"[{inner}]"
    return repr(value)


def printed(value: Any) -> str:
    """Return ``show`` of a value that can be parsed back. SpecError, as from ``identity``, if a parameter cannot."""
    identity(value)
    return show(value)


def identity(value: Any) -> Any:
    """Return the JSON form of a component with every parameter and version, which enters a key (contract 3).

    SpecError if a parameter is neither a literal, a component nor an estimator, or cannot be written as UTF-8.
    """
    if isinstance(value, Component):
        params = {
            name: identity(getattr(value, name))
            for name in value._parameters()
            if name not in value.not_in_key
        }
        return {
            "component": identity(own_name(type(value))),
            "version": value.version,
            "params": params,
        }
    if is_estimator(value):
        return {
            "component": path_of(type(value)),
            "params": {k: identity(inner_value) for k, inner_value in _set(value).items()},
        }
    if isinstance(value, list | tuple):
        return [identity(item) for item in value]
    if isinstance(value, dict):
        return {identity(str(k)): identity(item) for k, item in value.items()}
    if isinstance(value, str) and not writable(value):
        raise SpecError("a name or parameter cannot be written as UTF-8", found=value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise SpecError(
        "a parameter must be a number, text, a list of these, a component, or an estimator of"
        " scikit-learn",
        found=value,
        fix=(
            "take as parameters only what the object needs, build the object in fit and keep"
            " it under a name that ends in _; instead of a function write a class with fit"
            " and transform"
        ),
    )


def identity_hash(value: Any) -> str:
    """Return the hash of ``identity(value)``: BLAKE2b, 32 hexadecimal digits."""
    text = json.dumps(identity(value), sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def seedless(identity: Any) -> Any:
    """Return an ``identity`` without seeds: equal for runs of one method that differ only in their seeds."""
    if isinstance(identity, dict):
        return {key: seedless(value) for key, value in identity.items() if key != "seed"}
    return [seedless(value) for value in identity] if isinstance(identity, list) else identity


def foreign(component: Any) -> list[str]:
    """Return the modules of the classes of a component or estimator, without Raven's own and scikit-learn's."""
    return sorted({kind.__module__ for kind in foreign_kinds(component)})


def foreign_kinds(component: Any) -> set[type]:
    """These classes."""
    checked_parts = parts(component) if isinstance(component, Component) else [component]
    held_values = [value for part in checked_parts for value in (part, *part.get_params().values())]
    kinds = {
        type(value)
        for value in leaves(held_values)
        if isinstance(value, Component) or is_estimator(value)
    }
    return {kind for kind in kinds if not is_known(kind)}


def leaves(value: Any) -> list[Any]:
    """Yield the items of lists, tuples and dicts, at any depth; else the value."""
    if isinstance(value, dict):
        value = [*value.values()]
    if isinstance(value, list | tuple):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


def is_known(kind: type) -> bool:
    """Say whether a class is Raven's or scikit-learn's by the files of all its functions, not by its own claim."""
    resolved = getattr(sys.modules.get(kind.__module__), kind.__qualname__, None)
    values = [value for base in kind.__mro__[:-1] for value in vars(base).values()]
    return (
        resolved is kind
        and kind.__module__.startswith(("ravenbench.", "sklearn."))
        and all(map(_written_here, values))
    )


def _written_here(value: Any) -> bool:
    """Say whether an attribute of a class is not code, or from a file of Raven or scikit-learn, or written by
    ``dataclass``."""
    function = getattr(value, "__func__", getattr(value, "fget", getattr(value, "func", value)))
    if hasattr(function, "__wrapped__") and not _written_here(function.__wrapped__):
        return False
    if not isinstance(function, FunctionType):
        described = callable(value) or hasattr(type(value), "__get__")
        return not described or isinstance(value, GetSetDescriptorType) or is_known(type(value))
    packages = filter(None, map(sys.modules.get, ("ravenbench", "sklearn")))
    folders = tuple(f"{path}{os.sep}" for package in packages for path in package.__path__)
    file = function.__code__.co_filename
    generated = file == "<string>" and function.__code__.co_qualname.startswith("__create_fn__.")
    return generated or file in (dataclasses.__file__, reprlib.__file__) or file.startswith(folders)


def source_hash(component: Component) -> str | None:
    """Return a SHA-256 of the files of the classes of a component, without Raven's own, and of the models that it
    reads; None without files. If there is only a model, its own hash."""
    models = [digest for part in parts(component) if (digest := part.model_digest())]
    # What stands for a class (``engine.strangers``) says its file, for its module is not here.
    files_of_modules = {
        kind.__module__: getattr(sys.modules.get(kind.__module__, kind), "__file__", None)
        for kind in foreign_kinds(component)
    }
    files = [file for _, file in sorted(files_of_modules.items()) if file]
    text = b"\0".join(Path(file).read_bytes() for file in files if Path(file).is_file())
    if not text and len(models) == 1:
        return models[0]
    text += "".join(models).encode()
    return hashlib.sha256(text).hexdigest() if text else None


def seeded(component: Component, seed: int) -> Component:
    """Return the component with this seed, in it and in its inner components, if their ``seed`` has its default value.
    Other seeds stay.
    """
    changes: dict[str, Any] = {}
    for name, parameter in component._parameters().items():
        value = getattr(component, name)
        if isinstance(value, Component):
            changes[name] = seeded(value, seed)
        elif isinstance(value, list | tuple):
            changes[name] = type(value)(
                seeded(item, seed) if isinstance(item, Component) else item for item in value
            )
        elif name == "seed" and value == parameter.default:
            changes[name] = seed
    return type(component)(**{**component.get_params(deep=False), **changes})


def each_seeded(components: Mapping[str, Component], seed: int) -> dict[str, Component]:
    """Return components by name with this seed, as ``seeded``; those that differ only in seeds do not change, because
    two could become the same."""
    keys = {
        name: identity_hash(seedless(identity(component))) for name, component in components.items()
    }
    count = Counter(keys.values())
    return {
        name: seeded(component, seed) if count[keys[name]] == 1 else component
        for name, component in components.items()
    }


def unknown_parameter(cls: type[Component], name: str) -> SpecError:
    """Return the error for a parameter that a component does not have."""
    parameters = list(cls._parameters())
    return SpecError(
        f"{cls.name or cls.__qualname__} has no parameter {name!r}",
        expected=", ".join(parameters) if parameters else "no parameters",
        fix=did_you_mean(name, parameters, listing=False),
    )


def path_of(cls: type) -> str:
    """Return the path ``module:Class`` by which a class is named and saved; for scikit-learn, that of its public
    module."""
    module = (
        cls.__module__.partition("._")[0]
        if cls.__module__.startswith("sklearn.")
        else cls.__module__
    )
    return f"{module}:{cls.__qualname__}"


def own_name(cls: type[Component]) -> str:
    """Return the name of a class, or its path without a name; outside Raven an inherited name belongs to another class."""
    inherited = not cls.__module__.startswith("ravenbench.") and "name" not in vars(cls)
    return path_of(cls) if inherited or not cls.name else cls.name


def _printed_name(cls: type[Component]) -> str:
    """The name under which a class is found again: its path if it is outside Raven and no package provides it."""
    name = own_name(cls)
    if cls.__module__.startswith("ravenbench.") or any(
        _is(target, cls) for target in _provided(name)
    ):
        return name
    return path_of(cls) if _is(path_of(cls), cls) else name


def _is(target: str, cls: type) -> bool:
    module, _, attribute = target.partition(":")
    here = getattr(sys.modules.get(module), attribute, None) is cls
    return here or target in getattr(cls, "stands_for", ())


@cache
def _provided(name: str) -> list[str]:
    """Return what outside packages provide under a name, of any kind."""
    return [
        point.value for point in entry_points(name=name) if point.group.startswith("ravenbench.")
    ]
