"""Verifiers with parameters are tried on toy problems before anything is planned: what cannot work fails at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from ravenbench.bench.shared.care import guarded, stdout_kept
from ravenbench.bench.shared.units import answer
from ravenbench.bench.shared.work import one_thread
from ravenbench.components import Component, parts
from ravenbench.errors import CorpusError, InputError, SpecError, said
from ravenbench.verifiers.contract.base import as_verifier, fresh

SLOW = "ravenbench.verifiers.neural."
"""Methods of this room train for minutes, on toy problems too."""


def runs_program(component: Component) -> bool:
    """Whether a method or one within it runs an outside program or asks a service: nothing but the run itself may."""
    return any(getattr(part, "outside", False) for part in parts(component))


def try_out(components: Mapping[str, Component]) -> None:
    """Fit and ask each of Raven's own verifiers whose parameters were given on toy problems.

    One that runs an outside program or asks a service is fitted, which looks for it, and not asked. Not tried are
    verifiers at their defaults, neural ones, and those of strangers, of whom nobody knows what they need.

    Raises
    ------
    InputError
        If one cannot work; nothing was planned or written then.
    """
    tried = {name: c for name, c in components.items() if "(" in str(c) and all(map(_ours, parts(c)))}
    for name, component in tried.items():
        try:
            _on_toys(component)
        except CorpusError:
            # Toy problems can be too few for a method, real ones need not be.
            continue
        except InputError as error:
            raise type(error)(
                f"{name} cannot work: {error.problem}", found=error.found, expected=error.expected, fix=error.fix
            ) from error
        except Exception as error:
            raise SpecError(
                f"{name} cannot work: on toy problems it fails", found=f"{type(error).__name__}: {said(error)}",
                fix="look at its parameters: raven list verifier, and the docstring of the method",
            ) from error  # fmt: skip


def rehearsable(components: Mapping[str, Component]) -> list[Component]:
    """Raven's own verifiers among these: to import others where their output is not watched would mix it with ours."""
    return [c for c in components.values() if all(map(_ours, parts(c))) and not runs_program(c)]


def rehearse(components: Sequence[Component]) -> None:
    """Fit and ask verifiers on toy problems, so that their kernels are compiled; errors say nothing."""
    for component in components:
        with suppress(Exception):
            _on_toys(component)


def _on_toys(component: Component) -> None:
    from ravenbench.testing import toy_problems

    with one_thread(), stdout_kept(), guarded():
        verifier = as_verifier(fresh(component)).fit(*toy_problems(60, seed=1))
        if not runs_program(component):
            answer(verifier, toy_problems(20, seed=2)[0].blind())


def _ours(component: Component) -> bool:
    module = type(component).__module__
    return module.startswith("ravenbench.") and not module.startswith(SLOW)
