"""What decides where changes are seen."""

from __future__ import annotations

from typing import Annotated

from ravenbench.engine.options import PATH, AllowShared, CorpusSpec, about


class ChangesSpec(CorpusSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is answered, and what is learned from."""

    problems: Annotated[str, about("A folder or zip of problem-1.txt …, with truth or without.", takes=PATH)]
    train: Annotated[str | None, about("Problems with truth, of the same form, to learn from.", takes=PATH)] = None
    background: Annotated[
        str | None, about("Instead: texts by known authors, as raven compare takes them.", takes=PATH)
    ] = None
    year: Annotated[int | None, about("Whose form and measures, where no truth shows it.")] = None
    seed: Annotated[int, about("Seed of every random choice.")] = 0
    allow_shared: AllowShared = False
