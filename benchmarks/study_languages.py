"""What each verifier can do in a language. ``python -m benchmarks.study_languages [--write]``

The table of docs/languages.md, from what verifiers declare to read; with ``--write`` it is put there.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ravenbench import registry
from ravenbench.verifiers.contract.languages import table

PAGE = Path(__file__).parents[1] / "docs" / "languages.md"
BEGIN, END = (
    "<!-- verifiers: python -m benchmarks.study_languages --write -->",
    "<!-- end of verifiers -->",
)
HEADINGS = (
    "Verifier",
    "English",
    "Other languages with blanks",
    "Chinese, Japanese",
    "Thai, Lao, Khmer, Burmese",
)


def lines() -> str:
    """The table in Markdown, verifiers by what they can do; those that hold others can what all their parts can."""
    unfinished = {"calibrated", "meta", "stacked", "distorted", "masked", "command", "estimator"}
    specs = [name for name in registry.names("verifier") if name not in unfinished]
    specs += ["masked(ppm, posnoise)", "masked(ppm, frequency-mask)"]
    named = [(spec, registry.parse("verifier", spec)) for spec in specs]
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, *rest in table(named):
        alike.setdefault(tuple(rest), []).append(f"`{name}`")
    rows = [
        f"| {', '.join(names)} | {' | '.join(rest)} |"
        for rest, names in sorted(alike.items(), reverse=True)
    ]
    return "\n".join([f"| {' | '.join(HEADINGS)} |", "| --- " * len(HEADINGS) + "|", *rows])


if __name__ == "__main__":
    if "--write" in sys.argv:
        page = PAGE.read_text("utf-8")
        before, _, after = page.partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n{lines()}\n{END}{after.partition(END)[2]}", "utf-8")
    else:
        print(lines())
