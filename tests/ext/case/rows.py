"""Rows of this extension in the bench's tables (``tests/extensions.py``)."""

from pathlib import Path
from typing import Any

from ravenbench.ext.case.compare.material import read_material
from ravenbench.ext.case.compare.spec import build

SMALL = ("--verifiers", "char-ngram", "--authors", "32", "--folds", "2", "--donors", "1")
FOLDER = (
    "--questioned",
    "$data/questioned.txt",
    "--known",
    "$data/known",
    "--background",
    "$data/others",
)
TABLES_GIVEN = {
    ("validate", "texts", "--conditions", "HERE"),
    ("compare", "--batch", "HERE", "--background", "texts"),
}
LOOPS = {("advise", "loop", "--known", "loop", "--background", "loop")}
COLUMNS = {"compare", "validate"}
NOT_ON_ITS_PAGE = {"compare": {"cases"}}
WAYS_TO_GIVE_A_CORPUS = {"raven run texts/ --topic 'extract(clusters=6)'"}
NAMES = {"advise", "compare", "validate"}
SPEAK_OF_PYTHON = {"compare"}
TASKS = {
    "compare": {"told": (*FOLDER, *SMALL), "data": ("others", "known", "questioned.txt")},
    "validate": {
        "told": ("$data/others", "--conditions", "$data/conditions.csv", *SMALL),
        "data": ("others", "conditions.csv"),
    },
}
SHOWN = ("--questioned", "$questioned", "--known", "$known", "--background", "$data/others")
ALONE = ("--workers", "1")
ESCAPES = {
    "compare": [(*SHOWN, *SMALL, *ALONE, "--out", "$out"), (*SHOWN, *SMALL, *ALONE, "--plan")],
    "validate": [
        ("$data/others", "--conditions", "$data/conditions.csv", *SMALL, *ALONE, "--out", "$out")
    ],
    "advise": [
        (
            "$questioned",
            "--known",
            "$known",
            "--background",
            "$data/others",
            "--verifiers",
            "length",
            "-o",
            "$out",
        )
    ],
}
OUTPUTS = {
    ("advise", "out"): (
        (
            "$data/questioned.txt",
            "--known",
            "$data/known",
            "--background",
            "$data/others",
            "--verifiers",
            "length",
        ),
        ("questioned.txt", "known", "others", "toy"),
        True,
    ),
    ("validate", "propose"): (("$data/others",), ("others", "corpus.jsonl")),
}
READING = {
    "compare": (
        "compare",
        "--questioned",
        "$questioned",
        "--known",
        "$known",
        "--background",
        "$corpus",
        *SMALL,
        "--plan",
    ),
    "validate": ("validate", "$corpus", "--conditions", "$conditions", *SMALL, "--plan"),
    "sample": ("sample", "$corpus", "--topic", "extract(clusters=4)", "--topics", "2"),
}
READING_FAULTS = {
    "compare": READING["compare"],
    "advise": ("advise", "$questioned", "--known", "$known", "--background", "$corpus"),
}
READ_PROBLEMS = {"advise"}
GOLDEN = {
    "compare": (
        (
            "compare",
            "--questioned",
            "questioned.txt",
            "--known",
            "known",
            "--background",
            "others",
            *SMALL,
            "--out",
            "run",
            *ALONE,
        ),
        ("report", "run", "--json"),
    ),
    "advise": (
        ("advise", "questioned.txt", "--known", "known", "--background", "others", "--json"),
        ("advise", "questioned.txt", "--known", "known", "--background", "others"),
    ),
    "validate": (
        ("validate", "others", "--conditions", "conditions.csv", *SMALL, "--out", "run", *ALONE),
        ("report", "run", "--json"),
    ),
}
GOLDEN_WITH_WORDNET = ("advise",)
READERS = {
    "batch": (
        lambda path: read_material(build({"batch": path, "background": "others"})),
        "raven compare --batch",
    )
}
COMPONENTS = {"topics": ["extract(within='group', clusters=5)"]}


def people(pages: Any) -> Path:
    """Texts of the people of a case: a candidate's, others', and the one that is asked about."""
    from ravenbench.testing import toy_problems

    problems, same = toy_problems(56, known=2, seed=5)
    authors = pages.place / "authors"
    for i in range(0, len(same), 2):  # every other problem is by one author
        for row in (*problems.known(i), problems.questioned_index[i]):
            place = authors / str(problems.ids[i]) / f"{row}.txt"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(problems.texts[row])
    candidate = (authors / str(problems.ids[0])).rename(pages.place / "candidate")
    max(candidate.iterdir()).rename(pages.place / "questioned.txt")
    return authors


def compare(pages: Any) -> Path:
    pages("people")
    pages.raven(
        "compare",
        "--questioned",
        pages.place / "questioned.txt",
        "--known",
        pages.place / "candidate",
        "--background",
        pages.place / "authors",
        "--out",
        pages.place / "compare",
        "--folds",
        3,
        "--donors",
        2,
        "--workers",
        1,
        "--verifiers",
        "char-ngram, function-words",
    )
    return pages.report("compare")


def validate(pages: Any) -> Path:
    pages("people")
    conditions = pages.place / "conditions.csv"
    conditions.write_text("questioned,known,texts\n60,60,1\n4000,4000,2\n")
    pages.raven(
        "validate",
        pages.place / "authors",
        "--conditions",
        conditions,
        "--out",
        pages.place / "validate",
        "--folds",
        3,
        "--donors",
        2,
        "--workers",
        1,
        "--verifiers",
        "char-ngram, function-words",
    )
    return pages.report("validate")


def advise(pages: Any) -> Path:
    pages("people")
    pages.raven(
        "advise",
        pages.place / "questioned.txt",
        "--known",
        pages.place / "candidate",
        "--background",
        pages.place / "authors",
        "--verifiers",
        "function-words",
        "--out",
        pages.place / "advise",
    )
    return pages.place / "advise" / "index.html"


PAGES_NEED = {"people": people}
PAGES = {"compare": compare, "validate": validate, "advise": advise}
