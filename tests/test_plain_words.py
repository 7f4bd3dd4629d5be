"""Words and constructions that do not come back (docs/words.md), in everything that a person reads.

``python tests/test_plain_words.py [PATH …]`` lists them for some files or folders.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src/ravenbench"
FOLDERS = ("src/ravenbench", "docs")
BARRED = {
    "note:": (r"\bmind:", r"\bmind (?:that|the)\b"),
    "is not a …": (
        r"(?<!there )\b(?:is|was) no\b(?! (?:longer|more|less|better|worse|larger|smaller))",
    ),
    "file not found": (
        r"\bthere is no (?:file|folder|column|table|such)\b",
        r"\bis no (?:file|folder)\b",
    ),
    "duplicate id": (r"\b(?:stands?|occurs?|given) twice\b",),
    "is in, shows, is": (
        r"\b(?:stands?|stood|standing)\b(?! for\b)",
        r"\b(?:lies|lie|lay|lain)\b",
    ),
    "shows, contains, includes": (
        r"(?<!with)\bholds?\b(?!-)",
        r"(?<!with)\bheld\b(?![- ]out)",
        r"\bbears?\b",
    ),
    "says, shows": (
        r"\b(?:is|are|was|were|be|not) told\b",
        r"\btells? (?:of|apart|nothing|them)\b",
        r"\bspeaks?\b",
    ),
    "a noun before who": (
        r"(?:^|[.,;:(—–] ?|\b(?:for|to|of|by|that|and|or|from|if) )who (?!wrote)"
        r"(?:\w+s|have|are|do|does|could|would|should|can)\b",
    ),
    "the person, the text": (
        r"\b(?:whoever|whatever|whichever|whatsoever|nobody's)\b",
        r"\bone's own\b",
    ),
    "questioned text": (r"\b(?:texts?|documents?) in question\b",),
    "same-author pair": (
        r"\bpairs? by (?:one|two|different|the same)\b(?! (?:authors?|candidates?))",
    ),
    "proportion": (r"\bin a share of\b", r"\bshares? of (?:0?\.\d|\{)"),
    "because": (
        r", for (?:it|they|he|she|this|these|there|that|we|you|its|their)\b",
        r", for (?:no|none|nothing|then)\b",
    ),
    "although": (r", though\b(?! \w+ing)", r"\bthough (?:it|they|the|this|these|not)\b"),
    "if, of which": (
        r"\b(?:none|some|all|most|many|one) of which\b",
        r"\bas such\b",
        r"\b(?:is|are) to be\b",
        r"\bbe it\b",
    ),
    "no inversion": (
        r"\b[Ff]irst come\b",
        r"\bwhether it was\b",
        r"\bonly then (?:is|are|does|do)\b",
        r"\b(?:[Nn]either|[Nn]or) (?:is|are|was|were|does|do|has|have)\b",
    ),
    "a common word": (
        r"\b(?:amid|amongst|whence|thereof|therein|whereof|wherein)\b",
        r"\b(?:thereby|whereby|hereby|nought|albeit|lest|oneself|anew|asunder|thrice)\b",
    ),
    "1 text": (
        r"(?<![\d.,])\b1 (?:texts|authors|pairs|problems|folds|documents|words|topics)\b",
        r"(?<![\d.,])\b1 (?:verifiers|cases|files|cells|lines|rows|candidates|runs|seeds)\b",
        r"\} \w+\(s\)",
    ),
}
PATTERNS = {what: re.compile("|".join(parts)) for what, parts in BARRED.items()}
CODE = re.compile(
    r"``.+?``|`[^`\n]+`|\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|<[^>]*>|https?://\S+|```.*?```", re.DOTALL
)


def is_sentence(text: str) -> bool:
    """Say whether people read a string: three words or more, and no pattern of characters."""
    return len(text.split()) >= 3 and not re.search(r"\(\?[:P<!=i]|\\[bdws]", text)


def read(path: Path) -> Iterator[tuple[int, str]]:
    """Line and text of everything in a file that people read."""
    if path.suffix != ".py":
        yield from enumerate(CODE.sub(blanks, path.read_text(encoding="utf-8")).splitlines(), 1)
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    hidden = {
        id(n.body[0].value)
        for n in ast.walk(tree)
        if isinstance(n, ast.FunctionDef | ast.ClassDef)
        and n.name.startswith("_")
        and isinstance(n.body[0], ast.Expr)
    }
    inside = {id(v) for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for v in n.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            text = "".join(
                str(getattr(v, "value", "")) if isinstance(v, ast.Constant) else "{}"
                for v in node.values
            )
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in inside | hidden
        ):
            text = node.value
        else:
            continue
        if is_sentence(text):
            yield node.lineno, " ".join(CODE.sub(blanks, text).split())


def blanks(match: re.Match[str]) -> str:
    """What stands for code: its lines, so that numbers of lines stay."""
    return "…" + "\n" * match[0].count("\n")


def hits(path: Path) -> list[str]:
    """Every barred construction of a file: place, what to write, what was found."""
    place = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    return [
        f"{place}:{line}: write {what!r}: …{text[max(0, m.start() - 40) : m.end() + 30]}…"
        for line, text in read(path)
        for what, pattern in PATTERNS.items()
        for m in pattern.finditer(text)
    ]


def files(places: list[Path]) -> list[Path]:
    """All files with text that people read, but for the page that lists the barred words."""
    return sorted(
        path
        for place in places
        for path in (place.rglob("*") if place.is_dir() else [place])
        if path.suffix in {".py", ".j2", ".md"} or path.name == "sentences.toml"
        if path.name != "words.md"
    )


def test_barred_words_and_constructions_do_not_come_back() -> None:
    found = [hit for path in files([ROOT / folder for folder in FOLDERS]) for hit in hits(path)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("sentence", "advice"),
    [
        ("mind: two texts are equal", "note:"),
        ("an id stands twice", "duplicate id"),
        ("this is no folder", "is not a …"),
        ("for who has a method, or answers to judge", "a noun before who"),
        ("no answer, for it has 4 words", "because"),
        ("6 texts by 1 authors", "1 text"),
    ],
)
def test_a_barred_sentence_is_found(sentence: str, advice: str, tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text(sentence, encoding="utf-8")
    assert any(f"write {advice!r}" in hit for hit in hits(file))


if __name__ == "__main__":
    places = [Path(name).resolve() for name in sys.argv[1:]] or [ROOT / name for name in FOLDERS]
    print("\n".join(hit for path in files(places) for hit in hits(path)))
