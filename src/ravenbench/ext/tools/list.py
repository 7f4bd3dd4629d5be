"""Runs ``raven list``: prints what commands and specs can name, one in each line.

In: ``describe``: a kind and a name; ``described``: its result; ``search``: words to search for; ``command``: a kind, a
name or words, and options of the command line.
Out: ``describe``: a component as a dict of JSON values; ``described``: the same as lines; ``search``: (kind, name,
summary) for each match (possibly none); ``command`` prints these. SpecError if no component of the kind
has the name, from ``command`` also if a word is not a kind and finds nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from ravenbench import registry
from ravenbench.components import show
from ravenbench.errors import MissingPart, SpecError

_PROMISES = {
    "fold_free": "learns nothing from training; Raven computes its score of two texts once in a"
    " run",
    "symmetric": "exchanging the two texts of a pair changes nothing",
    "transductive": "an answer may depend on the other problems of its set",
    "english": "for English; texts in other languages stay unchanged",
    "sends_text": "texts leave this machine",
}


def describe(kind: str, name: str) -> dict[str, Any]:
    """Return a description of a component, without making it, as JSON values.

    ``name``, ``kind``, ``about`` (its docstring), ``parameters`` {name: default as in a spec, None if it must be
    given}, ``promises`` (sentences), ``needs`` (what is missing here and the command to install it, or None),
    ``source`` (module:Class). SpecError if nothing of this kind has this name.
    """
    known = registry.targets(kind)
    if name not in known:
        raise SpecError(f"unknown {kind} {name!r}", fix=registry.suggestion(kind, name))
    entry: dict[str, Any] = {"kind": kind, "name": name, "source": known[name], "needs": None}
    try:
        cls = registry.resolve(kind, name)
    except MissingPart as error:
        about = registry.docstring(known[name])
        return {**entry, "about": about, "parameters": {}, "promises": [], "needs": str(error)}
    given = (
        inspect.signature(cls).parameters.values() if cls.__init__ is not object.__init__ else ()
    )
    parameters = {
        p.name: None if p.default is inspect.Parameter.empty else show(p.default)
        for p in given
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    }
    promises = [text for flag, text in _PROMISES.items() if getattr(cls, flag, False) is True]
    return {
        **entry,
        "about": registry.docstring(known[name]),
        "parameters": parameters,
        "promises": promises,
    }


def described(entry: dict[str, Any]) -> str:
    """Return the description as lines for a terminal."""
    spoken = ", ".join(
        key if value is None else f"{key}={value}" for key, value in entry["parameters"].items()
    )
    lines = [f"{entry['name']}({spoken})" if spoken else entry["name"], "", entry["about"], ""]
    lines += [f"- {promise}" for promise in entry["promises"]]
    if entry["needs"]:
        lines += [entry["needs"]]
    return "\n".join([*lines, f"source: {entry['source']}"])


SHOWN = (
    "verifier",
    "attributor",
    "obfuscator",
    "translator",
    "sampler",
    "encoder",
    "pairs",
    "calibrator",
    "metric",
    "segmenter",
)


def command(
    kind: Annotated[
        str,
        typer.Argument(
            help="A kind, such as verifier, or a word to search for; default: all kinds."
        ),
    ] = "",
    name: Annotated[
        str, typer.Argument(help="A name of this kind: shows its parameters and source.")
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """List verifiers, attribution methods, obfuscators, samplers and all other components.

    Names may have parameters, as in 'char-ngram(n=3)'; raven list KIND NAME shows them.

        raven list verifier

        raven list verifier impostors      its parameters, requirements and source

        raven list delta                   components with this word in name or description
    """
    from ravenbench.cli.show import print_json, say
    from ravenbench.errors import did_you_mean

    kind = {"corpora": "corpus", **{f"{k}s": k for k in registry.KINDS}}.get(kind, kind)
    if kind and kind not in registry.KINDS:
        hits = search(f"{kind} {name}".strip())
        if not hits:
            near = did_you_mean(kind, registry.KINDS)
            raise SpecError(
                f"unknown kind {kind!r}, and no description contains this word", fix=near
            )
        columns = ("kind", "name", "about")
        if json:
            print_json({"found": [dict(zip(columns, hit, strict=True)) for hit in hits]})
        else:
            _print(hits, "kind", "name", "what it is")
        return
    if name:
        entry = describe(kind, name)
        print_json(entry) if json else say(described(entry))
        return
    kinds_shown = [kind] if kind else SHOWN
    if json:
        print_json(
            {
                k: {n: registry.summary(t) for n, t in sorted(registry.targets(k).items())}
                for k in kinds_shown
            }
        )
        return
    for shown in kinds_shown:
        names = sorted(registry.targets(shown).items())
        _print(((name, registry.summary(target)) for name, target in names), shown, "what it is")
    if kind == "translator":
        here = ((name, registry.resolve(kind, name).here()) for name, _ in names)
        _print(here, "translator", "what this machine can do")


def search(words: str) -> list[tuple[str, str, str]]:
    """Return kind, name and summary of all components that match these words: in the name, the summary or the line ``Also
    called`` of a docstring, otherwise anywhere in it."""
    wanted = words.casefold().split()
    near = []
    far = []
    for kind in SHOWN:
        for name, target in sorted(registry.targets(kind).items()):
            about = registry.docstring(target)
            first = f"{name} {about.partition(chr(10) * 2)[0]} {registry.called(target)}".casefold()
            hit = (kind, name, registry.summary(target))
            if all(word in first for word in wanted):
                near.append(hit)
            elif all(word in about.casefold() for word in wanted):
                far.append(hit)
    return near or far


def _print(rows: Iterable[tuple[str, ...]], *columns: str) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(*columns, box=None, header_style="bold", pad_edge=False)
    for row in rows:
        table.add_row(*row)
    Console().print(table, "", sep="\n")
