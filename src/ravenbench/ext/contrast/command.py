"""Runs ``raven contrast`` and ``ravenbench.contrast``: which words one group of texts prefers to another.

In: ``ContrastedTexts`` (``ravenbench.contrast``): two groups of texts (paths or texts; where a corpus is given too,
values of its column ``by``), perhaps texts to test, and the options of a ``ContrastSpec`` by name; the command also a
folder to write.
Out: in Python a ``TextContrast``; the command writes a folder with a page, and prints findings or JSON; zeta is from −1
to 1, above 0 for the first group. InputError for texts, options or a folder that cannot be used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ravenbench.engine.options import Option, plain_of
from ravenbench.engine.pool import Progress
from ravenbench.engine.task import Preview, slug
from ravenbench.ext.contrast.spec import CORPUS, PRIMARY, SECONDARY, TEST, ContrastSpec, build
from ravenbench.ext.map.command import TextsOnAPage
from ravenbench.ext.map.spec import FIGURES

if TYPE_CHECKING:
    from ravenbench.ext.contrast.report import TextContrast

OUT = Option(
    "out",
    "Folder for the page, tables and figures; Raven replaces an earlier contrast. Default:"
    " contrast-PRIMARY.",
    function=False,
)


class ContrastedTexts(TextsOnAPage):
    """Show which words each of two groups of texts prefers: Zeta (Burrows, Craig, Eder) and keyness, with intervals.

    Raven marks words that may be topic. Options have the same names as in stylo's oppose(), with hyphens instead of
    dots.

        raven contrast austen/ others/

        raven contrast Dickens Trollope --corpus novels/

        raven contrast her_letters/ his_letters/ --test anonymous.txt
    """

    name = "contrast"
    in_spec = (
        "text author skip_faulty text_slice_length text_slice_overlap rare_occurrences_threshold"
        " zeta_filter_threshold"
    )
    first = "corpus by test oppose_method out"
    Spec = ContrastSpec
    own = (PRIMARY, SECONDARY, CORPUS, TEST, OUT, FIGURES)
    arguments = ("primary", "secondary")
    positional = ("primary", "secondary")
    order = "primary secondary corpus test"
    note = "Options have the same names as in stylo's ``oppose``, with ``_`` instead of ``.``."
    result = "TextContrast"
    plan_help = "Only show what Raven would compare, and at what cost; write nothing."

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> ContrastSpec:
        return build(plain_of(ContrastSpec, values))

    @classmethod
    def work(
        cls,
        spec: ContrastSpec,
        primary: Any,
        progress: Progress,
        secondary: Any = None,
        corpus: Any = None,
        test: Any = None,
    ) -> TextContrast:
        from ravenbench.ext.contrast.analysis import analyse_contrast
        from ravenbench.ext.contrast.report import TextContrast

        return TextContrast(analyse_contrast(primary, secondary, corpus, test, spec, progress))

    @classmethod
    def preview(cls, values: Mapping[str, Any]) -> Preview:
        from ravenbench.ext.contrast.analysis import preview_contrast

        own = {option.name: values[option.name] for option in cls.own if option.name in values}
        spec = cls.read(
            {
                name: value
                for name, value in values.items()
                if value is not False and name not in own
            }
        )
        primary = own["primary"]
        place = own.get("out") or cls.usual_folder(own)
        return preview_contrast(primary, own.get("secondary"), own.get("corpus"), spec, place)

    @classmethod
    def usual_folder(cls, values: Mapping[str, Any]) -> str:
        return f"contrast-{slug(values['primary']) or 'texts'}"

    @classmethod
    def inputs(cls, values: Mapping[str, Any]) -> list[Any]:
        one = values.get("corpus") is not None
        names = ("corpus", "test") if one else ("primary", "secondary", "test")
        return [place for name in names if (place := values.get(name))]
