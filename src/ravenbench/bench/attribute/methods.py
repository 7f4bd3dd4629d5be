"""Attribution methods by name, and what decides the answers of each."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any

from ravenbench import registry
from ravenbench.components import Component, identity
from ravenbench.errors import SpecError
from ravenbench.store.records import VerifierRecord


def name_methods(methods: str | Sequence[Any]) -> dict[str, Any]:
    """Methods by the name they print; besides components these may be any estimators over texts.

    Raises
    ------
    SpecError
        If one does not parse, is no method, two print alike, or there is none.
    """
    parsed = registry.split(methods) if isinstance(methods, str) else methods
    named: dict[str, Any] = {}
    seen: set[str] = set()
    for entry in parsed:
        method = registry.parse("attributor", entry) if isinstance(entry, str) else entry
        printed = " ".join(str(method).split())
        # Objects that print their place in memory would have another name, and another folder, each time.
        plain = re.sub(r" at 0x[0-9a-fA-F]+", "", printed)
        if printed in seen:
            raise SpecError(f"the method {plain} is given twice")
        seen.add(printed)
        alike = sum(name.partition(" #")[0] == plain for name in named)
        name = f"{plain} #{alike + 1}" if alike else plain
        if not (hasattr(method, "fit") and hasattr(method, "predict")):
            raise SpecError(f"{name} is no attribution method", expected="fit(texts, authors) and predict(texts)")
        named[name] = method
    if not named:
        raise SpecError("no attribution method is given", expected=", ".join(registry.names("attributor")))
    return named


def method_identity(method: Any) -> Any:
    """JSON form of all that decides a method's answers.

    Other estimators than Raven's have no version: theirs is their class and a hash of their parameters, so that a
    change of their code is not noticed.
    """
    if isinstance(method, Component):
        try:
            return identity(method)
        except SpecError:
            # It holds an estimator that is no component.
            pass
    return {"class": f"{type(method).__module__}:{type(method).__qualname__}", "hash": _hash(method)}


def method_record(name: str, method: Any) -> VerifierRecord:
    """A method's entry in a plan."""
    return VerifierRecord(
        name=name,
        spec=name,
        identity=method_identity(method),
        version=getattr(method, "version", 1),
        provenance=getattr(method, "provenance", None),
    )


def _hash(method: Any) -> str:
    from pickle import PicklingError

    import joblib
    from joblib.externals.loky.backend.reduction import dumps
    from sklearn.base import clone

    fresh = clone(method)
    try:
        return str(joblib.hash(fresh))
    except (PicklingError, AttributeError, TypeError):
        # A function without a name, say: its code is all there is to go by.
        return hashlib.blake2b(bytes(dumps(fresh)), digest_size=16).hexdigest()
