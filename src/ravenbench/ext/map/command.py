"""Runs ``raven map`` and ``ravenbench.map_texts``: many texts in pictures, and how much of their grouping is topic.

In: ``DrawnMap`` (``ravenbench.map_texts``): a corpus (path, name or texts in Python) and the options of a ``MapSpec``
by name; the command also a folder to write.
``TextsOnAPage`` is the base of this command and of ``raven contrast``.
Out: in Python a ``TextMap`` (figures, tables, sentences); the command writes a folder with a page, and prints findings
or JSON; ``preview``: what would be drawn. InputError for a corpus, option or folder that cannot be used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ravenbench.engine.options import Option, plain_of
from ravenbench.engine.pool import Progress
from ravenbench.engine.task import Ending, Preview, Work, slug
from ravenbench.ext.map.spec import FIGURES, MapSpec, build

if TYPE_CHECKING:
    from ravenbench.ext.map.report import TextMap


class TextsOnAPage(Work):
    """A command with options of stylo, which writes a page on texts."""

    shows_defaults = False

    @classmethod
    def usual_folder(cls, values: Mapping[str, Any]) -> str:
        """Return the folder of the page if none is given."""
        raise NotImplementedError

    @classmethod
    def inputs(cls, values: Mapping[str, Any]) -> list[Any]:
        """Return the places that the command reads."""
        raise NotImplementedError

    @classmethod
    def ending(cls, values: Mapping[str, Any], progress: Progress) -> Ending:
        from ravenbench.outputs import check_folder
        from ravenbench.reports.report import forms_of
        from ravenbench.reports.view import for_terminal

        given = {name: value for name, value in values.items() if value is not False}
        out = given.pop("out", None) or cls.usual_folder(given)
        figures = forms_of(given.pop("figures", ""))
        check_folder(out, inputs=cls.inputs(given), kind=cls.name)
        made: Any = cls.call({**given, "progress": progress})
        page = made.write(out, figures)
        tables = [for_terminal(one) for one in made.brief() if one.rows]
        parts = [*made.sentences[1:], *made.analysis.notes, *tables]
        return Ending({**made.to_json(), "page": str(page)}, parts, page, made.finding())


class DrawnMap(TextsOnAPage):
    """Draw many texts: dendrogram, consensus tree, maps in two dimensions, network of neighbours, rolling
    attribution.

    Next to every picture is the same picture with content words masked; numbers show how much of the grouping is topic.
    Options have the same names as in the R package stylo, with hyphens instead of dots.

        raven map corpus/

        raven map corpus/ --analysis-type BCT --mfw-min 100 --mfw-max 1000 --distance-measure wurzburg

        raven map corpus/ --rolling Anonymous_Play --slice-size 2000 --out play/
    """

    name = "map"
    in_spec = (
        "mfw_incr culling_min culling_max culling_incr start_at mfw_list_cutoff "
        "preserve_case delete_pronouns sampling sample_size sample_overlap "
        "number_of_samples linkage consensus_strength linked_neighbors slice_overlap text "
        "author topic encoding skip_faulty"
    )
    first = "analysis_type distance_measure mfw_min mfw_max rolling out"
    function = "map_texts"
    Spec = MapSpec
    own = (
        Option(
            "corpus",
            "Texts: a folder or zip (author/text.txt, author/topic/text.txt, Author_Title.txt), a"
            " table, or a corpus by name.",
            takes="str | Path | Mapping[str, str] | Corpus",
            required=True,
        ),
        Option(
            "out",
            "Folder for the page, tables and figures; Raven replaces an earlier map. Default:"
            " map-CORPUS.",
            function=False,
        ),
        FIGURES,
    )
    arguments = ("corpus",)
    order = "corpus"
    note = "Options have the same names as in stylo, with ``_`` instead of ``.``."
    result = "TextMap"
    plan_help = "Only show what Raven would draw, and at what cost; write nothing."

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> MapSpec:
        return build(plain_of(MapSpec, values))

    @classmethod
    def work(cls, spec: MapSpec, corpus: Any, progress: Progress) -> TextMap:
        from ravenbench.ext.map.analysis import analyse_map
        from ravenbench.ext.map.report import TextMap

        return TextMap(analyse_map(corpus, spec, progress))

    @classmethod
    def preview(cls, values: Mapping[str, Any]) -> Preview:
        from ravenbench.ext.map.analysis import preview_map

        given = {
            name: value
            for name, value in values.items()
            if value is not False and name not in ("out", "figures")
        }
        corpus = given.pop("corpus")
        return preview_map(corpus, cls.read(given), values.get("out") or cls.usual_folder(values))

    @classmethod
    def usual_folder(cls, values: Mapping[str, Any]) -> str:
        return f"map-{slug(values['corpus']) or 'texts'}"

    @classmethod
    def inputs(cls, values: Mapping[str, Any]) -> list[Any]:
        return [values["corpus"]]
