"""``raven problems``: verification problems cut from a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from ravenbench.engine.options import PATH, AtLeastOne, AtLeastTwo, CorpusSpec, Option, about
from ravenbench.engine.pool import Progress
from ravenbench.engine.task import Ending, Work
from ravenbench.errors import InputError


class ProblemsSpec(CorpusSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which problems are built of a corpus."""

    corpus: Annotated[str, about("A corpus by name, or a file with text, author and topic.", takes=PATH)]
    known: Annotated[str, about("Known documents in each problem: a number, or LEAST-MOST.")] = "1-5"
    match: Annotated[str, about("Columns in which all documents of a problem agree; 'none'.")] = "topic"
    cross: Annotated[
        str | None,
        about(
            "A column in which the questioned document differs from the known ones: COLUMN, or "
            "COLUMN=A:B for known ones of A and a questioned one of B. It is not matched."
        ),
    ] = None
    min_words: Annotated[int, about("Leave out shorter documents.", bounds=(0, None))] = 0
    words: Annotated[
        AtLeastOne | None,
        about("Cut every document to its first so many words; shorter ones are left out.", bounds=(1, None)),
    ] = None
    problems: Annotated[
        AtLeastTwo | None, about("Number of problems (even); default: as many as possible.", bounds=(2, None))
    ] = None
    reuse: Annotated[
        bool,
        about("A document in one positive and one negative problem, as in PAN-2014.", flags=("--reuse/--no-reuse",)),
    ] = True
    format: Annotated[
        Literal["folders", "pairs"], about("PAN13–15 folders, or PAN20–23 jsonl (pairs: one known document).")
    ] = "folders"
    genre: Annotated[str, about("What contents.json calls the genre.")] = "unknown"
    seed: Annotated[int, about("Decides every draw.")] = 0


class BuiltProblems(Work):
    """Build balanced verification problems as the PAN-2014 organisers did.

    Negative problems take their questioned document from another author of the same kind, so that neither the matched
    columns nor the number of known documents tells the truth.

        raven problems essays.csv -o essays/ --known 1-5 --min-words 500 --match term,age_band
        raven problems texts.csv -o mails/ --match none --cross genre=essay:email
        raven problems newsgroups -o across/ --cross topic --known 1
    """

    name = "problems"
    function = "build_problems"
    Spec = ProblemsSpec
    own = (Option("out", "A new folder.", takes=PATH, flags=("--out", "-o"), required=True),)
    arguments = ("corpus",)
    positional = ("corpus", "out")
    order = "corpus out"
    result = "dict[str, Any]"
    reports_progress = False

    @classmethod
    def work(cls, spec: ProblemsSpec, out: str | Path) -> dict[str, Any]:
        return build(spec, Path(out))

    @classmethod
    def ending(cls, values: Mapping[str, Any], progress: Progress) -> Ending:
        from ravenbench.ext.corpora.command import table_one_lines

        built = cls.call(values)
        lines = table_one_lines([(built["corpus"], built["table"])])
        lines += [f"{count:,} documents {reason}" for reason, count in built["dropped"].items() if count]
        return Ending(built, [*lines, f"written to {values['out']}"])


def build(spec: ProblemsSpec, out: Path) -> dict[str, Any]:
    """Build and write problems; what was made, as JSON values. Raises InputError if an option, the corpus or the place
    to write cannot be used.
    """
    from ravenbench.corpora.load import load_corpus
    from ravenbench.ext.corpora.summary import table_one
    from ravenbench.ext.problems.building import Cross, build_problems
    from ravenbench.formats.output import check_folder, fresh_folder
    from ravenbench.formats.problems import write_pan_pairs, write_pan_problems
    from ravenbench.problems.rewritten import FirstWords

    words = spec.words
    least, most = _range(spec.known)
    if spec.format == "pairs" and most > 1:
        raise InputError(
            "pairs have one known document", found=f"--known {spec.known}", fix="--known 1, or --format folders"
        )
    crossing = None if spec.cross is None else Cross.parse(spec.cross)
    check_folder(out, inputs=[spec.corpus], kind="problems")
    data = load_corpus(spec.corpus, **spec.reading())
    if crossing is not None:
        crossing = replace(crossing, column=data.role_of(crossing.column))
    columns = (
        [] if spec.match.strip().lower() == "none" else [part.strip() for part in spec.match.split(",") if part.strip()]
    )
    columns = [name for name in columns if crossing is None or name != crossing.column]
    built = build_problems(
        data,
        known=(least, most),
        match=columns,
        min_words=max(spec.min_words, words or 0),
        problems=spec.problems,
        reuse=spec.reuse,
        seed=spec.seed,
        cross=crossing,
    )
    written = built.problems if words is None else built.problems.map_texts(FirstWords(words))
    languages = () if data.language is None else data.language.names
    with fresh_folder(out, kind="problems") as place:
        if spec.format == "pairs":
            write_pan_pairs(place, written, built.same)
        else:
            write_pan_problems(place, written, built.same, ", ".join(languages) or "unknown", spec.genre)
    return {
        "folder": str(out), "corpus": data.name, "digest": data.digest(), "match": columns, "cross": spec.cross,
        "known": [least, most], "min_words": spec.min_words, "reuse": spec.reuse, "seed": spec.seed,
        "dropped": dict(built.dropped), "table": table_one(written),
    }  # fmt: skip


def _range(text: str) -> tuple[int, int]:
    parts = text.replace("–", "-").split("-")
    if not 1 <= len(parts) <= 2 or not all(part.strip().isdecimal() and len(part) < 10 for part in parts):
        raise InputError("--known is no range", found=text, expected="a number such as 1, or a range such as 1-5")
    return int(parts[0]), int(parts[-1])
