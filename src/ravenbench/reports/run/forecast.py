"""A forecast in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ravenbench.reports.run.probe import FEWEST_PAIRS
from ravenbench.reports.run.records import title
from ravenbench.reports.run.sweep_tables import planned_sweep
from ravenbench.reports.view import Column, Table, Value, figure, for_terminal

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ravenbench.bench.run.forecast import Forecast


def forecast_table(forecast: Forecast) -> Table:
    """Folds and pairs of each setup and of the probe."""
    parts = [(title(name), sizes) for name, sizes in forecast.setups.items()]
    if forecast.probe is not None:
        parts.append(("crossed probe", forecast.probe))
    if forecast.transplant is not None:
        parts.append(("other content", forecast.transplant))
    rows: list[tuple[Value, ...]] = [(n, s.folds, round(s.train), round(s.test)) for n, s in parts]
    columns = (Column("setup", text=True), Column("folds"), Column("pairs in train"), Column("pairs in test"))
    note = f"{forecast.documents:,} documents on {forecast.topics} topics. Pairs: means over folds."
    return Table("forecast", "This run would hold", columns, tuple(rows), note)


def cure(options: str | None) -> str:
    """What gives several pools, as ``bench.run.choice.pools_advice`` found it."""
    return f"give {options}" if options else "too few topics for several; name a level of more with --topic"


def lines(forecast: Forecast) -> list[RenderableType]:
    """What a run would hold, cost and show."""
    from rich.text import Text

    shares = ", ".join(f"{name} {value:.0f} s" for name, value in forecast.seconds.items())
    if forecast.untimed:
        shares += f"{', ' if shares else ''}outside programs and services not timed: {', '.join(forecast.untimed)}"
    shown: list[RenderableType] = [
        for_terminal(forecast_table(forecast)),
        *([] if forecast.sweep is None else [for_terminal(planned_sweep(forecast.sweep))]),
        Text(
            f"Cost: {forecast.fits} fits, {forecast.cells} cells, about {forecast.total:.0f} s on one core "
            f"({shares}, planning {forecast.planning:.0f} s, start and report {forecast.closing:.0f} s)."
        ),
    ]
    for name, told in forecast.asked.items():
        text = f"{name} would ask a service up to {told['questions']:,.0f} questions: about {told['tokens_in']:,.0f}"
        price = f", {told['cost']:.2f} at the given prices" if told["cost"] else ""
        shown.append(Text(f"{text} tokens to read, at most {told['tokens_out']:,.0f} to write{price}. None was asked."))
    if forecast.detectable is not None:
        text = f"HITS against Random would show a true difference of about {figure(forecast.detectable)} in AUC"
        shown.append(Text(f"{text} four times in five, were test pairs all that varies."))
    elif forecast.no_choice is not None:
        shown.append(Text(forecast.no_choice))
    elif forecast.topics:
        shown.append(
            Text(f"With one pool no difference between HITS and Random can be shown: {cure(forecast.more_pools)}.")
        )
    if forecast.transplant is not None:
        text = f"Content is transplanted in {forecast.transplant.folds} folds"
        shown.append(Text(f"{text} of {forecast.transplant.test:.0f} problems on average."))
    elif forecast.transplant_reason is not None:
        shown.append(Text(f"No verdict on content: {forecast.transplant_reason}."))
    if forecast.detectable_gain is not None:
        gain = figure(forecast.detectable_gain)
        text = f"The crossed probe would call a true gain of about {gain} in AUC dependence four"
        shown.append(
            Text(f"{text} times in five, of a verifier that varies as style-only does; of others a larger one.")
        )
        if forecast.probe is not None and forecast.probe.test / 2 < FEWEST_PAIRS:
            text = f"Its test sets would have about {forecast.probe.test / 2:.0f} pairs of a class; a verdict needs"
            shown.append(Text(f"{text} {FEWEST_PAIRS}: no verdict. More documents an author and topic would help."))
    elif forecast.probe_reason is not None:
        shown.append(Text(f"No crossed probe ({forecast.probe_reason}), so nothing on training domains."))
    return shown
