"""What mkdocs fills into pages: the help of every command, as text and tables that fit a page of any width."""

from __future__ import annotations

import html
import re
from typing import Any


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace ``{{ commands }}`` by what each command's ``--help`` says."""
    return (
        markdown.replace("{{ commands }}", _commands())
        if "{{ commands }}" in markdown
        else markdown
    )


def _commands() -> str:
    import typer

    from ravenbench.cli.main import build, commands

    parts = []
    for name, listed in commands().items():
        command = typer.main.get_command(build(name)).commands[name]
        parts.append(f"## raven {name}\n\n{listed.line}\n")
        for title, one in [
            (name, command),
            *((f"{name} {n}", c) for n, c in getattr(command, "commands", {}).items()),
        ]:
            if one is not command:
                parts.append(f"### raven {title}\n")
            parts += [_help(one.help or ""), _parameters(one)]
    return "\n".join(parts)


def _help(text: str) -> str:
    """Paragraphs as they are, examples as one block."""
    blocks = [block for block in text.split("\n\n") if block.strip()]
    examples = "\n".join(block.strip("\n") for block in blocks if block.startswith("    "))
    told = "\n\n".join(
        html.escape(block, quote=False) for block in blocks if not block.startswith("    ")
    )
    return f"{told}\n\n{examples}\n" if examples else f"{told}\n"


def _parameters(command: Any) -> str:
    rows = []
    for parameter in command.params:
        if getattr(parameter, "hidden", False) or parameter.name == "help":
            continue
        argument = parameter.param_type_name == "argument"
        names = [parameter.name] if argument else [*parameter.opts, *parameter.secondary_opts]
        value = (
            ""
            if argument or getattr(parameter, "is_flag", False)
            else parameter.metavar or _value(parameter)
        )
        told = re.sub(r"\s+", " ", parameter.help or "").replace("|", "\\|")
        shown = " ".join(filter(None, (", ".join(names), value))).replace("|", "\\|")
        rows.append(f"| `{shown}` | {html.escape(told, quote=False)} |")
    return "\n".join(["| option | what it means |", "| --- | --- |", *rows, ""]) if rows else ""


def _value(parameter: Any) -> str:
    """What stands for an option's value where it has no name of its own."""
    kind = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
    kind = kind or {"integer": int, "float": float}.get(
        getattr(getattr(parameter, "type", None), "name", ""), str
    )
    return {int: "N", float: "NUMBER"}.get(kind, "TEXT")
