"""``raven report``: rebuild what is derived from a run's store."""

from __future__ import annotations

from typing import Annotated

import typer

from ravenbench.errors import InputError


def command(
    run: Annotated[str, typer.Argument(help="A run's folder or URL.")],
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Rebuild a run's tables and page from its store; nothing is fitted again."""
    from ravenbench.bench.shared.store import Store

    store = Store.open(run)
    if "corpora" in store.plan:
        from ravenbench.cli import pan14

        pan14.report(pan14.analysed(store), json)
    elif "setups" in store.plan:
        from ravenbench.cli.run import report

        report(store, json)
    else:
        raise InputError(
            "this folder holds answers alone", file=run, fix="raven evaluate TRUTH ANSWERS scores what verify wrote"
        )
