"""Components made in Python hold their values to what their parameters are declared to be, whoever wrote them."""

import inspect
import warnings
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import pytest
from msgspec import Meta

from ravenbench import registry
from ravenbench.components import Component
from ravenbench.errors import RavenError, SpecError
from ravenbench.registry import METHODS
from ravenbench.testing import toy_problems, toy_tasks

WRONG = [None, "x", float("nan"), float("inf"), -1, 10**30, [], object()]
TEXTS = ["the cat sat on the mat", "a dog barked at a cat", "stones roll down hills"]
SLOW = {
    "moreau-2014",
    "raven-2026",
    "bagnall-2015",
    "bagnall-2015-transductive",
    "encoder",
    "luar",
    "o2d2",
}
"""Methods that learn for minutes or by torch, so that they are only made here."""


def parameters(kind: str) -> list[tuple[type, dict, inspect.Parameter]]:
    """Every parameter of every component of a kind that is here, with what the others without a default may be."""
    found = []
    inner = {"verifier": "length", "attributor": "nb"}.get(kind, "length")
    for name in registry.names(kind):
        try:
            cls = registry.resolve(kind, name)
        except RavenError:
            continue
        every = [
            p
            for p in inspect.signature(cls).parameters.values()
            if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        ]
        given = {
            "inner": registry.parse(kind if kind == "attributor" else "verifier", inner),
            "scorer": registry.parse("verifier", "length"),
            "mask": registry.parse("transform", "distortion"),
            "members": [registry.parse("verifier", one) for one in ("length", "char-ngram")],
            "column": "text",
            "command": "true",
            "model": "m",
            "folder": "f",
        }
        needed = {p.name: given[p.name] for p in every if p.default is p.empty and p.name in given}
        found += [(cls, needed, p) for p in every]
    return found


def use(kind: str, component) -> None:
    """Fit it and ask it, as far as toys reach."""
    component.require()
    draw = np.random.default_rng(0)
    if kind == "verifier":
        train, same = toy_problems(8)
        component.fit(train, same)
        ask = component.verify if hasattr(component, "verify") else component.score
        ask(toy_problems(4, seed=2)[0].blind())
    elif kind == "obfuscator":
        component.obfuscate(toy_tasks(1)[0])
    elif kind == "calibrator":
        component.fit(np.linspace(0, 1, 20), np.arange(20) % 2 == 0).transform(np.linspace(0, 1, 5))
    elif kind == "encoder":
        component.encode(TEXTS * 5)
    elif kind == "segmenter":
        component.pieces("the cat sat on the mat. a dog barked.")
    elif kind == "metric":
        component.value(np.arange(20) % 2 == 0, np.linspace(0, 1, 20))
    elif kind == "attributor":
        component.fit(TEXTS[:2] * 6, ["a", "b"] * 6)
        component.predict(TEXTS[:1])
    elif kind == "sampler":
        similarity = draw.random((8, 8))
        component.select((similarity + similarity.T) / 2, 3, draw)
    elif kind == "pairs":
        component.draw(np.arange(60), np.arange(60) % 6, np.arange(60) % 5, draw, 10)
    elif kind == "transform":
        component.fit(TEXTS).transform(TEXTS)


@pytest.mark.parametrize("kind", METHODS)
def test_no_component_is_made_of_what_its_declaration_excludes(kind):
    plain = {"int", "float", "str", "bool"}
    for cls, needed, parameter in parameters(kind):
        for value in WRONG:
            made = True
            try:
                cls(**needed | {parameter.name: value})
            except RavenError as error:
                made = False
                assert parameter.name in str(error) or "found" in str(error) or "fix" in str(error)
            except TypeError as error:
                assert "missing" in str(error), (
                    cls,
                    parameter,
                    value,
                )  # another one that has no default
                made = False
            if str(parameter.annotation) in plain and value is not parameter.default:
                fits = {"int": (int,), "float": (int,), "str": (str,)}.get(parameter.annotation, ())
                assert not made or (isinstance(value, fits) and value != 10**30), (
                    cls,
                    parameter,
                    value,
                )


@pytest.mark.slow
@pytest.mark.parametrize("kind", METHODS)
def test_whatever_a_component_is_made_of_its_use_ends_without_a_bare_error(kind):
    for cls, needed, parameter in parameters(kind):
        for value in WRONG:
            if cls.name in SLOW or (value is None and parameter.default is None):
                continue
            try:
                component = cls(**needed | {parameter.name: value})
            except (RavenError, TypeError):
                continue
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    use(kind, component)
            except RavenError:
                continue
            except Exception as error:
                raise AssertionError(
                    f"{cls.name}({parameter.name}={value!r}) ends in {error!r}"
                ) from error


@pytest.mark.parametrize(
    ("kind", "method"),
    [
        ("verifier", "satyam-2014(segment=1)"),
        ("verifier", "satyam-2014(lengths=[2147483647])"),
        ("verifier", "layton-2014(lengths=[2147483647])"),
        ("verifier", "mayor-2014(items=-1)"),
        ("verifier", "frery-2014(size=-1)"),
        ("verifier", "modaresi-2014(restarts=100000)"),
        ("verifier", "unmasking(runs=100000)"),
        ("attributor", "koppel-2011(repeats=100000)"),
        ("attributor", "escalante-2011(n=-1)"),
    ],
)
def test_values_with_which_no_method_ends_are_refused(kind, method):
    if method.partition("(")[0] not in registry.names(kind):
        pytest.skip("an extension is not here")
    with pytest.raises(SpecError, match="must be"):
        registry.parse(kind, method)


class Strangers(Component):
    name = "stranger"

    def __init__(
        self,
        n: Annotated[int, Meta(ge=2, le=9)] = 4,
        form: Literal["a", "b"] = "a",
        many: "tuple[int, ...]" = (),
        inner: "Component | None" = None,
        unknown: "NotHere" = 3,  # noqa: F821
        bare=None,
        limit: float = float("inf"),
    ) -> None:
        self.n, self.form, self.many, self.inner = n, form, many, inner
        self.unknown, self.bare, self.limit = unknown, bare, limit


@dataclass
class Record(Strangers):
    rate: float = 0.5


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"n": 1}, "stranger: n must be at least 2 and at most 9"),
        ({"n": "x"}, "stranger: n must be a whole number and at least 2 and at most 9"),
        ({"form": "c"}, "stranger: form must be 'a' or 'b'"),
        ({"many": ["x"]}, "stranger: many must be a list in which each item is a whole number"),
        ({"inner": "length"}, r"stranger: inner must be a component \(Component\) or None"),
        ({"unknown": float("nan")}, "stranger: unknown: this number is out of range"),
        ({"bare": [1, 10**30]}, "stranger: bare: this number is out of range"),
    ],
)
def test_a_strangers_class_is_held_to_its_annotations(values, message):
    with pytest.raises(SpecError, match=message):
        Strangers(**values)
    with pytest.raises(SpecError, match=message):
        Strangers().set_params(**values)
    positional = [
        values.get(name, p.default) for name, p in inspect.signature(Strangers).parameters.items()
    ]
    with pytest.raises(SpecError, match=message):
        Strangers(*positional)


def test_good_values_are_taken():
    assert (
        Strangers(
            n=np.int64(3), many=[1], inner=Strangers(), unknown=object(), limit=float("inf")
        ).n
        == 3
    )
    with pytest.raises(SpecError, match="stranger: rate must be a number"):
        Record(rate="x")
    assert Record(rate=1).rate == 1
    with pytest.raises(TypeError, match="takes no arguments"):
        registry.resolve("sampler", "hits")(3)
