"""``raven changes`` and ``ravenbench.detect_changes``: where does the author change in problems of several authors?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ravenbench.engine.options import PATH, Option
from ravenbench.engine.pool import Progress
from ravenbench.engine.task import Ending, Preview, Work, content_hash
from ravenbench.ext.changes.spec import ChangesSpec

if TYPE_CHECKING:
    from ravenbench.ext.changes.report import Changes


class DetectedChanges(Work):
    """Say where the author changes in PAN's problems of several authors, 2018 to 2026.

    raven changes pan24/ --train pan24/

    raven changes problems/ --background others/ -o answers

    Writes answers in PAN's form. Where truth lies beside the problems, a page has the year's measures with intervals,
    what trivial answers reach, and how much of the answers is topic: the same with other content words, by style alone,
    by content alone.
    """

    name = "changes"
    first = "train background out"
    function = "detect_changes"
    Spec = ChangesSpec
    own = (
        Option(
            "out",
            "The folder of answers and page; default raven-runs/changes-<hash>.",
            takes=PATH,
        ),
    )
    arguments = ("problems",)
    positional = ("problems", "train", "background")
    order = "problems train background out"
    result = "Changes"
    plan_help = "Only show what would be learned from and answered; nothing is written."

    @classmethod
    def work(cls, spec: ChangesSpec, progress: Progress, out: str | Path | None = None) -> Changes:
        from ravenbench.ext.changes.report import detect_changes

        return detect_changes(spec, out, progress)

    @classmethod
    def preview(cls, values: Mapping[str, Any]) -> Preview:
        from ravenbench.ext.changes.report import preview_changes

        return preview_changes(cls.read(values), cls._place(values))

    @classmethod
    def ending(cls, values: Mapping[str, Any], progress: Progress) -> Ending:
        from ravenbench.reports.view import for_terminal

        out = cls._place(values)
        changes: Changes = cls.call({**values, "out": out, "progress": progress})
        page = out / "index.html"
        parts = [*changes.sentences, *([for_terminal(changes.table)] if changes.rows else [])]
        return Ending({**changes.to_json(), "page": str(page)}, parts, page)

    @classmethod
    def _place(cls, values: Mapping[str, Any]) -> Path:
        if "out" in values:
            return Path(values["out"])
        given = [str(values.get(name)) for name in ("problems", "train", "background", "year", "seed")]
        given += [f"{name}={value}" for name, value in cls.read(values).reading().items() if value is not None]
        return Path("raven-runs") / f"changes-{content_hash(given)}"
