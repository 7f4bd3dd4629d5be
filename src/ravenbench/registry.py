"""Finds components by name, built-ins and plugins alike: ``char-ngram(n=3)`` becomes an object (contract 10).

In: a kind (``verifier``, ``corpus``, ``metric`` …: a key of ``METHODS``); ``parse``: also a printed form (text);
``parse_list``: several with commas; ``named``: these, or a list of names and components; ``resolve`` and ``load``: a
name or ``module:Class``. ``docstring``, ``summary`` and ``called``: a ``module:Class`` alone.
Out: a component (``parse``), several (``parse_list``; ``named``: by name), a class (``resolve``, checked; ``load``,
unchecked), all names (``names``) or places by name (``targets``), a docstring or parts of it, a ``suggestion`` (text or
None). SpecError if nothing has the name, it does not parse or is of another kind; MissingPart if it needs a package
that is not installed.

A target is "module:attribute". Outside packages name theirs through entry points in the group
``ravenbench.<kind>`` (``ravenbench.verifier`` …); both go through ``resolve``. Nothing is evaluated:
parameters are Python literals read by ``ast``, nested components, or lists of them.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ravenbench.builtin import BUILTIN
from ravenbench.components import Component, identity_hash, unknown_parameter
from ravenbench.errors import (
    ELSEWHERE,
    MissingPart,
    RavenError,
    SpecError,
    did_you_mean,
    remark,
    said,
    writable,
)
from ravenbench.files import stands_alone
from ravenbench.seams import present_points

METHODS: dict[str, tuple[tuple[str, ...], ...]] = {
    "corpus": (("load",),),
    "encoder": (("encode",),),
    "topics": (("labels",),),
    "sampler": (("select",),),
    "pairs": (("draw",),),
    "verifier": (("fit", "score"), ("fit", "verify")),
    "calibrator": (("fit", "transform"),),
    "transform": (("fit", "transform"),),
    "attributor": (("fit", "predict"),),
    "segmenter": (("pieces",),),
    "obfuscator": (("obfuscate",),),
    "translator": (("translate",),),
    "tagger": (("tags",),),
    "metric": (("value",),),
    "retriever": (("embed",), ("ask",)),
}
"""The kinds, and the methods by which one of them is known: any one of the sets given."""

SPOKEN = {"pairs": "pair rule"}
"""What messages call a kind whose name would not read well."""

_BASES = {
    "verifier": "ravenbench.Scorer and give it score(problems)",
    "metric": "ravenbench.Metric and give it value(truth, answers)",
    "retriever": "ravenbench.Retriever and give it embed(texts)",
}


def importable(kind: str, module: str) -> None:
    """Refuse a module that cannot contain a component, before it is imported.

    SpecError for modules of Python itself and for ``__main__`` modules, which do their work when they are imported.
    """
    names = module.split(".")
    if names[0] in sys.stdlib_module_names or "__main__" in names[1:]:
        raise SpecError(
            f"{module} contains no {SPOKEN.get(kind, kind)}: it is a part of Python, or a program",
            expected="a name, or module:Class of a component; Raven calls nothing else",
        )


def check_kind(kind: str, name: str, part: Any, *, nested: bool = False) -> None:
    """Refuse an object that is not a class of the required kind, before it is called.

    ``kind`` is one of ``METHODS``. A part that is ``nested`` in another component's parameters may be of any kind; that
    component checks the rest. SpecError if it is not such a class.
    """
    spoken = SPOKEN.get(kind, kind)
    if not isinstance(part, type):
        raise SpecError(
            f"{spoken} {name!r} is not a class, so Raven does not call it",
            found=part,
            fix=(
                "give the class; in Python you can also give an object, and an estimator as"
                " ravenbench.Estimator(…)"
            ),
        )
    ours = issubclass(part, Component)
    estimator = all(callable(getattr(part, method, None)) for method in ("fit", "get_params"))
    if not ours and not (estimator and (nested or kind == "attributor")):
        if estimator and kind == "verifier":
            raise SpecError(
                f"{name!r} is an estimator, so Raven does not call it",
                fix=f"write estimator({name}(…)); in Python ravenbench.Estimator(…)",
            )
        base = _BASES.get(kind)
        raise SpecError(
            f"{spoken} {name!r} is not one of Raven's components, so Raven does not call it",
            fix=(
                f"derive it from {base}"
                if base
                else "derive it from ravenbench.components.Component"
            ),
        )
    method_sets = [
        methods for k, sets in METHODS.items() if nested or k == kind for methods in sets
    ]
    if not any(
        all(callable(getattr(part, method, None)) for method in methods) for methods in method_sets
    ):
        expected = " or ".join(
            " and ".join(f"{method}(…)" for method in methods) for methods in METHODS[kind]
        )
        raise SpecError(
            f"{name!r} is not of kind {spoken}, so Raven does not call it",
            expected=f"a class with {expected}",
        )


KINDS = tuple(METHODS)

_WITHIN = {"obfuscator": ("translator",)}
"""Kinds that are looked for first among a component's parameters: an obfuscator does not contain another."""

_RANGE = re.compile(r"(?<!\w)(\w++)\s*+=\s*+(-?\d{1,19}+)\.\.(-?\d{1,19}+)")
MOST_SEEDS = 100
"""How many seeds a range may name."""
DEEPEST = 30
"""How deep brackets may be nested in a component's printed form."""
OWN = "Write a class in FILE.py of the current folder as FILE:CLASS"
_NAME = re.compile(r"[A-Za-z_][\w.\-@]*(:[A-Za-z_]\w*)?\Z")


@cache
def targets(kind: str) -> dict[str, str]:
    """Return every known name of a kind and its target. SpecError if two installed packages have the same name, or one
    has the name of a built-in.
    """
    classes = dict(BUILTIN[kind])
    for point in present_points(f"ravenbench.{kind}"):
        if classes.setdefault(point.name, point.value) != point.value:
            raise SpecError(
                f"two packages provide a {kind} named {point.name!r}",
                found=f"{classes[point.name]} and {point.value}",
                fix="uninstall one of them, or use module:Class instead of the name",
            )
    return classes


def names(kind: str) -> list[str]:
    """Return the names of all components of a kind, sorted."""
    return sorted(targets(kind))


def resolve(kind: str, name: str, *, nested: bool = False) -> type[Any]:
    """Return the class of a name or a ``module:Class``, after checking its kind and without calling it.

    ``nested``: it is a parameter of another component, and may be of another kind. SpecError if nothing has this name
    (with a suggestion), the target cannot be imported or is not a class of the kind; MissingPart if it needs an extra
    that is not installed.
    """
    if kind == "verifier" and (cls := _stand_in(name, nested)) is not None:
        return cls
    cls = load(kind, name)
    check_kind(kind, name, cls, nested=nested)
    return cls  # type: ignore[no-any-return]


STAND_INS = dict[tuple[str, bool], type[Any]]()
"""What stands for classes of others, and for those of their parts, in this process."""
_IMPORTS: ContextVar[str] = ContextVar("imports", default="elsewhere")
OURS = ("ravenbench.", "sklearn.")
STRANGERS = "ravenbench.engine.strangers"
"""The module that makes what stands for others' classes."""


@contextmanager
def importing(where: str) -> Iterator[None]:
    """Set how verifiers of other authors are imported meanwhile: in this process ("here"), as saving and loading need
    it; only if their module is already imported ("nothing"), otherwise SpecError; or only in a separate process,
    represented by its replies ("nowhere")."""
    token = _IMPORTS.set(where)
    try:
        yield
    finally:
        _IMPORTS.reset(token)


def _stand_in(name: str, nested: bool) -> type[Any] | None:
    """What stands for the class of a verifier, or of a part of one, whose code runs in other processes alone; None for
    Raven's, scikit-learn's and what is imported here already."""
    target = name if ":" in name else targets("verifier").get(name, "")
    module = target.partition(":")[0]
    ours = module.startswith(OURS) or module in sys.modules or not module
    if ours or stands_alone() or _IMPORTS.get() == "here":
        return None
    if _IMPORTS.get() != "nothing" and (target, nested) not in STAND_INS:
        make = importlib.import_module(STRANGERS).stand_in
        STAND_INS[target, nested] = make(target, nested)
    return STAND_INS.get((target, nested))


def load(kind: str, name: str) -> Any:
    """Return the object for a name or a ``module:Class``, unchecked; errors are those of ``resolve``."""
    targets_by_name = {} if ":" in name else targets(kind)
    target = name if ":" in name else targets_by_name.get(name)
    if target is None:
        raise SpecError(
            f"unknown {SPOKEN.get(kind, kind)} {name!r}",
            expected=f"a name, or MODULE:CLASS. {OWN}",
            fix=suggestion(kind, name),
        )
    module, _, attribute = target.partition(":")
    barred = _IMPORTS.get() in ("nothing", "nowhere") and not module.startswith(OURS)
    if barred and module not in sys.modules:
        raise SpecError(f"{kind} {name!r}: module {module} not found")
    importable(kind, module)
    try:
        # What a module prints while it is imported is no result.
        with redirect_stdout(sys.stderr):
            return getattr(importlib.import_module(module), attribute)
    except ModuleNotFoundError as error:
        if error.name and module.startswith(error.name):
            file, py, _ = module.partition(".py")
            road = (
                f"write {file}:{attribute}, without .py"
                if py
                else f"is the package installed? {OWN}"
            )
            raise SpecError(
                f"{kind} {name!r}: module {error.name!r} not found", fix=road
            ) from error
        if error.name and error.name.partition(".")[0] == "ravenbench":
            raise SpecError(
                f"{kind} {name!r} imports {error.name!r}, which this version of Raven has in"
                " another place or no longer has",
                found=module,
                fix=(
                    "install a version of the package for this version of Raven; CHANGELOG.md"
                    " lists what changed"
                ),
            ) from error
        raise MissingPart(
            f"{kind} {name!r} needs {error.name!r}, which is not installed",
            fix=f"pip install {error.name}",
        ) from error
    except AttributeError as error:
        near = did_you_mean(attribute, dir(sys.modules.get(module)), listing=False)
        raise SpecError(f"{kind} {name!r}: {module} has no {attribute!r}", fix=near) from error
    except RavenError:
        raise
    except (Exception, SystemExit) as error:  # a module may do anything while it is imported
        reason = f"{type(error).__name__}: {said(error)}"
        raise SpecError(f"{kind} {name!r}: {module} cannot be imported", found=reason) from error


def summary(target: str) -> str:
    """Return the first paragraph of the docstring of ``module:Class``, on one line."""
    return docstring(target).partition("\n\n")[0].replace("\n", " ")


def docstring(target: str) -> str:
    """Return the docstring of ``module:Class``, read from its source, so no extra is needed."""
    module, _, name = target.partition(":")
    # find_spec would import the parents, and with them what an extra brings.
    spec = find_spec(module.partition(".")[0])
    if spec is None or not spec.submodule_search_locations:
        return ""
    path = Path(next(iter(spec.submodule_search_locations))).joinpath(*module.split(".")[1:])
    source = next(
        (file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None
    )
    if source is None:
        return ""
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return ast.get_docstring(node) or ""
    return ""


def called(target: str) -> str:
    """Return the line of a docstring with other names of a component; empty if there is none."""
    return next(
        (line for line in docstring(target).split("\n\n") if line.startswith("Also called")), ""
    )


def suggestion(kind: str, name: str) -> str | None:
    """Return a suggestion for an unknown name: a component with this other name, one that begins with it (at the start
    or after a hyphen), or one with similar spelling; if none is near, all names.
    """
    folded = name.casefold()
    if folded in ELSEWHERE:
        return ELSEWHERE[folded]
    targets_by_name = targets(kind)
    near: list[str] = []
    if len(folded) > 2:
        near = [
            n
            for n in targets_by_name
            if any(part.startswith(folded) for part in (n, *n.split("-")))
        ]
        near = near or [
            n for n in targets_by_name if f" {folded}" in called(targets_by_name[n]).casefold()
        ]
    return did_you_mean(name, near, cutoff=0) if near else did_you_mean(name, targets_by_name)


def parse(kind: str, text: str, nested: bool = False) -> Any:
    """Return the component of a printed form, e.g. ``distorted(char-ngram(n=3), variant='sa')``, or one that is
    ``nested`` in another component.

    No class is called before it is known to be a component of the kind. SpecError if it cannot be parsed, has an
    unknown name or another kind, has an unknown parameter or one of another type, or nests brackets deeper than
    ``DEEPEST``.
    """
    if kind not in KINDS:
        raise SpecError("unknown kind of component", found=kind, expected=", ".join(KINDS))
    if not isinstance(text, str):
        raise SpecError(
            f"the {kind} must be text", found=text, expected="its name, with parameters"
        )
    text = text.strip()
    if not writable(text):
        raise SpecError("this text cannot be written as UTF-8", found=text)
    if _depth(text) > DEEPEST:
        raise SpecError(
            "brackets are nested too deeply",
            found=text,
            expected=f"at most {DEEPEST} within one another",
        )
    return _parse(kind, text, nested=nested)


def _depth(text: str) -> int:
    """How deep brackets are nested, counted without regard to quotes."""
    depth = deepest = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    return deepest


def _parse(kind: str, text: str, *, nested: bool = False) -> Any:
    head, bracket, tail = text.partition("(")
    head = head.strip()
    if not _NAME.match(head) or (bracket and not tail.endswith(")")):
        raise SpecError(
            f"{text!r} is not a {kind}",
            expected="NAME, NAME(parameter=value, …) or module:Class(…)",
        )
    cls = resolve(kind, head, nested=nested)
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for part in split(tail[:-1]) if bracket else []:
        key, equals, given = part.partition("=")
        if equals and key.strip().isidentifier():
            if key.strip() in kwargs:
                raise SpecError(f"{head}: duplicate parameter {key.strip()!r}")
            kwargs[key.strip()] = value(kind, given)
        elif kwargs:
            raise SpecError(f"{text!r}: a value without a name follows a named value", found=part)
        else:
            args.append(value(kind, part))
    if issubclass(cls, Component):
        for key in kwargs:
            if key not in cls._parameters():
                raise unknown_parameter(cls, key)
    try:
        signature = inspect.signature(cls)
    except ValueError as error:
        raise SpecError(f"{kind} {head!r} does not declare its parameters") from error
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        plain_signature = signature.replace(
            parameters=[
                parameter.replace(annotation=parameter.empty)
                for parameter in signature.parameters.values()
            ],
            return_annotation=signature.empty,
        )
        raise SpecError(f"{head}: {error}", expected=f"{head}{plain_signature}") from error
    try:
        return cls(*args, **kwargs)
    except RavenError:
        raise
    except (Exception, SystemExit) as error:  # whatever a class from outside does when it is made
        raise SpecError(
            f"{text!r} cannot be created", found=f"{type(error).__name__}: {said(error)}"
        ) from error


def parse_list(kind: str, text: str) -> list[Any]:
    """Return the components of a comma-separated list, in its order."""
    return [parse(kind, part) for part in split(text)]


def named(
    kind: str,
    given: str | Sequence[str | Component] | None,
    aliases: Mapping[str, str] | None = None,
    default: str | None = None,
) -> dict[str, Component]:
    """Return components by their displayed names, in the order given. SpecError if one cannot be parsed or has no
    identity, two have the same name, or the list is empty; MissingPart if one needs a missing package, model or
    endpoint.

    Parameters
    ----------
    kind : str
        What is listed: one of ``KINDS``.
    given : str or sequence, optional
        A comma-separated list, or names and components; None stands for ``default``.
    aliases : mapping, optional
        Names that you choose for printed forms; other components are shown by their printed form.
    default : str, optional
        The list to use if none is given. Raven leaves out its components that belong to a missing extension, and says
        so.
    """
    listed = (default or "") if given is None else given
    if default is not None and listed == default:
        targets_by_name = targets(kind)
        absent = [item for item in split(default) if item.partition("(")[0] not in targets_by_name]
        if absent:
            listed = [item for item in split(default) if item not in absent]
            spoken = SPOKEN.get(kind, kind)
            remark(
                [
                    (
                        f"Raven leaves out these default {spoken}s, because they are not"
                        f" installed: {', '.join(absent)}"
                    )
                ]
            )
    form_of_alias = aliases or {}
    components: dict[str, Component] = {}
    aliased: list[tuple[str | None, str | Component]] = []
    for entry in split(listed) if isinstance(listed, str) else listed:
        if isinstance(entry, str):
            shown = entry if entry in form_of_alias else None
            aliased += [
                (shown and f"{shown}{mark}", form)
                for mark, form in seeds(form_of_alias.get(entry, entry))
            ]
        else:
            aliased.append((None, entry))
    for alias, form in aliased:
        component = parse(kind, form) if isinstance(form, str) else form
        name = alias or str(component)
        if alias in targets(kind) and type(component) is not resolve(kind, alias):
            raise SpecError(
                f"{alias!r} is the name of another {SPOKEN.get(kind, kind)}", found=form
            )
        if name in components:
            raise SpecError(f"duplicate {SPOKEN.get(kind, kind)} {name!r}")
        identity_hash(component)
        component.require()
        components[name] = component
    if not components:
        expected = ", ".join(names(kind)) if default is None else "a comma-separated list"
        raise SpecError(f"no {SPOKEN.get(kind, kind)} is given", expected=expected, fix=default)
    return components


def seeds(text: str) -> list[tuple[str, str]]:
    """Return a printed form for each seed of its range, ``net(seed=0..4)``, with the seed that distinguishes it; the
    form itself if it has no range.

    SpecError if a range is empty, is not a range of seeds, or is one of several.
    """
    ranges = list(
        _RANGE.finditer(re.sub(r"'[^']*'|\"[^\"]*\"", lambda quoted: "_" * len(quoted[0]), text))
    )
    if not ranges:
        return [("", text)]
    (key, first, last), end = ranges[0].groups(), ranges[0].end()
    if len(ranges) > 1 or key != "seed" or not 0 <= int(last) - int(first) < MOST_SEEDS:
        expected = f"one range of seeds, such as seed=0..4, of at most {MOST_SEEDS}"
        raise SpecError("Raven cannot use this range", found=text, expected=expected)
    start = ranges[0].start(2)
    numbers = range(int(first), int(last) + 1)
    return [(f"(seed={n})", f"{text[:start]}{n}{text[end:]}") for n in numbers]


def split(text: str) -> list[str]:
    """Return the parts of a text between commas outside brackets and quotes, without empty parts.

    SpecError if a bracket or a quote is not closed.
    """
    items = []
    depth = 0
    quote = ""
    start = 0
    skip = False
    for i, character in enumerate(text):
        if skip:
            skip = False
        elif quote:
            if character == "\\":
                skip = True
            elif character == quote:
                quote = ""
        elif character in "'\"":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
            if depth < 0:
                break
        elif character == "," and depth == 0:
            items.append(text[start:i])
            start = i + 1
    if depth or quote:
        raise SpecError(f"{text!r} has an unclosed bracket or quote")
    items.append(text[start:])
    return [part.strip() for part in items if part.strip()]


def value(kind: str, text: str) -> Any:
    """Return the value of a parameter as it is written in a spec."""
    text = text.strip()
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError):
        pass
    except (RecursionError, MemoryError):
        raise SpecError("this value is too complex", found=text) from None
    if text.startswith(("[", "(")) and text.endswith(("]", ")")):
        items = [value(kind, part) for part in split(text[1:-1])]
        return items if text[0] == "[" else tuple(items)
    head = text.partition("(")[0].strip()
    if not _NAME.match(head):
        fix = (
            "a range of seeds is possible only in a list of verifiers"
            if _RANGE.match(f"seed={text}")
            else "put text in quotes"
        )
        raise SpecError(f"{text!r} is neither a Python literal nor a component", fix=fix)
    for candidate in dict.fromkeys((*_WITHIN.get(kind, ()), kind, *KINDS)):
        if ":" in head or head in targets(candidate):
            return _parse(candidate, text, nested=True)
    if did_you_mean(head, targets(kind), listing=False) is None:
        raise SpecError(
            f"{text!r} is not a number, text in quotes, or the name of a component",
            fix="put text in quotes",
        )
    return _parse(kind, text)
