"""``raven exposure`` and ``ravenbench.exposure``: has a language model read these texts?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ravenbench.engine.options import checked
from ravenbench.engine.pool import Progress
from ravenbench.engine.task import Ending, Work
from ravenbench.ext.machine.exposure_spec import ExposureSpec

if TYPE_CHECKING:
    from ravenbench.ext.machine.exposure import Exposure


class ComparedExposure(Work):
    """Has a language model read these texts? A verifier on it is then better there than elsewhere.

    raven exposure essays.csv --reference essays-of-this-year.csv --model FOLDER

    Each text is compared with its twin, the same text with content words of another one: a model prefers a text that it
    has read by more.
    """

    name = "exposure"
    first = "reference model"
    Spec = ExposureSpec
    arguments = ("texts",)
    positional = ("texts", "reference")
    note = "Each side needs five texts of 60 words or more. The first row is of the whole texts."
    result = "list[Exposure]"
    device = True

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> ExposureSpec:
        return checked({name: value for name, value in values.items() if value is not None}, ExposureSpec)

    @classmethod
    def work(cls, spec: ExposureSpec, progress: Progress) -> list[Exposure]:
        from ravenbench.ext.machine.exposure import exposure

        return exposure(spec, progress)

    @classmethod
    def ending(cls, values: Mapping[str, Any], progress: Progress) -> Ending:
        from ravenbench.ext.machine.exposure import exposure_table, finding
        from ravenbench.reports.view import for_terminal, rows_json

        rows, model = cls.call({**values, "progress": progress}), values["model"]
        shown, sentence = exposure_table(rows), finding(rows, model)
        made = {"model": model, "finding": sentence, "rows": rows_json(shown)}
        return Ending(made, [for_terminal(shown)], finding=sentence)
