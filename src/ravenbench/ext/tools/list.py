"""``raven list``: what can be named in commands and specs, a line each."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ravenbench import registry
from ravenbench.components import show
from ravenbench.errors import MissingPart, SpecError

if TYPE_CHECKING:
    from rich.table import Table


_PROMISES = {
    "fold_free": "learns nothing from training; its scores of two texts are computed once a run",
    "symmetric": "exchanging the two texts of a pair changes nothing",
    "transductive": "an answer may depend on the other problems of its set",
    "english": "for English; other languages are left alone",
    "sends_text": "texts leave this machine",
}


def describe(kind: str, name: str) -> dict[str, Any]:
    """What can be said of a component without making one.

    ``name``, ``kind``, ``about`` (its docstring), ``parameters`` {name: default as in a spec, None where it must be
    given}, ``promises`` (sentences), ``needs`` (what is missing here and the command that brings it, or None),
    ``source`` (module:Class). Raises SpecError if nothing of this kind has this name.
    """
    known = registry.targets(kind)
    if name not in known:
        raise SpecError(f"there is no {kind} named {name!r}", fix=registry.suggestion(kind, name))
    entry: dict[str, Any] = {"kind": kind, "name": name, "source": known[name], "needs": None}
    try:
        cls = registry.resolve(kind, name)
    except MissingPart as error:
        about = registry.docstring(known[name])
        return {**entry, "about": about, "parameters": {}, "promises": [], "needs": str(error)}
    given = inspect.signature(cls).parameters.values() if cls.__init__ is not object.__init__ else ()
    parameters = {
        p.name: None if p.default is inspect.Parameter.empty else show(p.default)
        for p in given
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    }
    promises = [text for flag, text in _PROMISES.items() if getattr(cls, flag, False) is True]
    return {**entry, "about": registry.docstring(known[name]), "parameters": parameters, "promises": promises}


def described(entry: dict[str, Any]) -> str:
    """The description as lines for a terminal."""
    spoken = ", ".join(key if value is None else f"{key}={value}" for key, value in entry["parameters"].items())
    lines = [f"{entry['name']}({spoken})" if spoken else entry["name"], "", entry["about"], ""]
    lines += [f"- {promise}" for promise in entry["promises"]]
    if entry["needs"]:
        lines += [entry["needs"]]
    return "\n".join([*lines, f"source: {entry['source']}"])


SHOWN = (
    "verifier", "attributor", "obfuscator", "translator", "sampler", "encoder", "pairs", "calibrator", "metric",
    "segmenter", "detector",
)  # fmt: skip


def command(
    kind: Annotated[
        str, typer.Argument(help="A kind, such as verifier, or a word to look for; without it, all kinds.")
    ] = "",
    name: Annotated[str, typer.Argument(help="A name of this kind: shows its parameters and source.")] = "",
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """List verifiers, attribution methods, obfuscators, samplers and whatever else takes a name.

    Names take parameters, as in 'impostors(variant="seidman")'; raven list KIND NAME shows them.

        raven list verifier

        raven list verifier impostors      its parameters, what it needs, where it comes from

        raven list delta                   whatever is called so, or described by this word
    """
    from rich.console import Console
    from rich.table import Table

    from ravenbench import registry
    from ravenbench.cli.show import print_json, say
    from ravenbench.errors import SpecError, did_you_mean

    kind = {"corpora": "corpus", **{f"{k}s": k for k in registry.KINDS}}.get(kind, kind)
    if kind and kind not in registry.KINDS:
        hits = search(f"{kind} {name}".strip())
        if not hits:
            near = did_you_mean(kind, registry.KINDS)
            raise SpecError(f"there is no kind {kind!r}, and nothing here is described by that word", fix=near)
        _show_hits(hits, json)
        return
    if name:
        entry = describe(kind, name)
        print_json(entry) if json else say(described(entry))
        return
    kinds_shown = [kind] if kind else SHOWN
    if json:
        print_json({k: {n: registry.summary(t) for n, t in sorted(registry.targets(k).items())} for k in kinds_shown})
        return
    console = Console()
    for shown in kinds_shown:
        table = Table(shown, "what it is", box=None, title_justify="left", header_style="bold", pad_edge=False)
        for name, target in sorted(registry.targets(shown).items()):
            table.add_row(name, registry.summary(target))
        console.print(table)
        if shown == kind == "translator":
            console.print()
            console.print(_translators_here())
        console.print()


def search(words: str) -> list[tuple[str, str, str]]:
    """Kind, name and summary of all that these words name: in the name, in the summary or in the line ``Also called``
    of a docstring, else anywhere in it."""
    wanted, near, far = words.casefold().split(), [], []
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


def _show_hits(hits: list[tuple[str, str, str]], json: bool) -> None:
    from rich.console import Console
    from rich.table import Table

    from ravenbench.cli.show import print_json

    if json:
        print_json({"found": [dict(zip(("kind", "name", "about"), hit, strict=True)) for hit in hits]})
        return
    table = Table("kind", "name", "what it is", box=None, header_style="bold", pad_edge=False)
    for hit in hits:
        table.add_row(*hit)
    Console().print(table)


def _translators_here() -> Table:
    """What each translator can do on this machine."""
    from rich.table import Table

    from ravenbench import registry

    table = Table("translator", "what this machine can do", box=None, header_style="bold", pad_edge=False)
    for name in sorted(registry.targets("translator")):
        table.add_row(name, registry.resolve("translator", name).here())
    return table
