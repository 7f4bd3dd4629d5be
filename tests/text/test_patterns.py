"""Every regular expression of the source takes time that grows as its text does, whatever the text.

All patterns are collected from the source, those that are put together of data with a word in the data's place. Each
is given texts of its own alphabet: what it looks for, cut short and repeated, with an end that does not fit. Of a text
four times as long it may take four times as long; backtracking, or looking again from every place, takes sixteen times.
"""

from __future__ import annotations

import ast
import importlib
import random
import re
import signal
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from re import _parser

import pytest

import ravenbench

ROOT = Path(ravenbench.__file__).parent
CALLS = ("compile", "search", "match", "fullmatch", "sub", "subn", "findall", "finditer", "split")
AT_ONE_PLACE = {"match", "fullmatch"}
SMALL, LARGE = 4_000, 16_000
FLOOR = 0.05
"""CPU seconds below which a ratio says nothing; a scan of the large text from each of its places takes 0.15."""
MOST = 8.0
"""Ratio of the two times; 4 is linear, 16 quadratic."""
MANY, SOME = 90, 12
"""How much is repeated for each pattern: in the slow test, and in the other."""
WORD = "word"


def _evaluated(node: ast.expr, space: dict[str, object]) -> str:
    """A pattern as the source has it, where its own names are known, and a word for what is only known later."""
    try:
        value = eval(compile(ast.Expression(node), "pattern", "eval"), space)
        return value.decode("latin-1") if isinstance(value, bytes) else value
    except Exception:
        if isinstance(node, ast.JoinedStr):
            return "".join(
                _evaluated(p.value if isinstance(p, ast.FormattedValue) else p, space)
                for p in node.values
            )
        if isinstance(node, ast.BinOp):
            return _evaluated(node.left, space) + _evaluated(node.right, space)
        return WORD


@cache
def collected() -> dict[str, tuple[str, int, bool]]:
    """Every pattern by its place: pattern, flags, and whether it is looked for anywhere in a text."""
    found: dict[str, tuple[str, int, bool]] = {}
    for path in sorted(ROOT.rglob("*.py")):
        if "re." not in (text := path.read_text("utf-8")):
            continue
        tree = ast.parse(text)
        nodes = [*ast.walk(tree)]
        name = ".".join(("ravenbench", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(
            ".__init__"
        )
        calls = [
            node
            for node in nodes
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in CALLS
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
        ]
        if not calls:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                space = vars(importlib.import_module(name))
            except Exception:  # an extra that is not here
                space = {"re": re}
        for call in calls:
            first = {"sub": 3, "subn": 3}.get(
                call.func.attr, 1 if call.func.attr == "compile" else 2
            )
            flags = [*call.args[first:], *(k.value for k in call.keywords if k.arg == "flags")]
            given = 0
            for flag in flags:
                with suppress(Exception):
                    given |= int(eval(compile(ast.Expression(flag), "flags", "eval"), space))
            anywhere = call.func.attr not in AT_ONE_PLACE
            if call.func.attr == "compile":
                anywhere = not _only_at_one_place(nodes, call)
            found[f"{path.relative_to(ROOT)}:{call.lineno}"] = (
                _evaluated(call.args[0], space),
                given,
                anywhere,
            )
        # Those that stand in lists, and are compiled from these.
        known = {pattern for pattern, _, _ in found.values()}
        for name, value in space.items():
            for one in _held_by(value):
                text = (
                    one.pattern.decode("latin-1") if isinstance(one.pattern, bytes) else one.pattern
                )
                if text not in known:
                    found[f"{path.relative_to(ROOT)}:{name} {text[:20]}"] = (
                        text,
                        one.flags & ~re.UNICODE,
                        True,
                    )
    return found


def _held_by(value: object) -> Iterator[re.Pattern]:
    """The patterns in a list, a table, or rows of one."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, tuple | list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _held_by(one)


def _only_at_one_place(nodes: list[ast.AST], call: ast.Call) -> bool:
    """Whether a compiled pattern has a name of its module's own, by which it is matched at one place alone."""
    names = [
        node.targets[0].id
        for node in nodes
        if isinstance(node, ast.Assign)
        and node.value is call
        and isinstance(node.targets[0], ast.Name)
    ]
    if not names or not names[0].startswith("_"):
        return False
    uses = [
        n
        for n in nodes
        if isinstance(n, ast.Name) and n.id == names[0] and isinstance(n.ctx, ast.Load)
    ]
    asked = [n for n in nodes if isinstance(n, ast.Attribute) and n.value in uses]
    return len(asked) == len(uses) and {n.attr for n in asked} <= AT_ONE_PLACE


def _sample(parsed: object, rng: random.Random, pieces: list[str]) -> str:
    """A text that a pattern finds, or nearly; what stands in its repeats is gathered."""
    made = ""
    for operation, value in parsed:
        name = str(operation)
        if name == "LITERAL":
            made += chr(value)
        elif name == "NOT_LITERAL":
            made += "a" if value != ord("a") else "b"
        elif name == "ANY":
            made += "a"
        elif name == "IN":
            made += _one_of(value, rng)
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            low, high, inner = value
            most = min(int(high), low + rng.choice((0, 1, 3)))
            units = [_sample(inner, rng, pieces) for _ in range(max(low, most))]
            pieces += units[:1]
            made += "".join(units)
        elif name == "SUBPATTERN":
            made += _sample(value[3], rng, pieces)
        elif name == "ATOMIC_GROUP":
            made += _sample(value, rng, pieces)
        elif name == "BRANCH":
            made += _sample(rng.choice(value[1]), rng, pieces)
        elif name == "ASSERT" and value[0] > 0 and rng.random() < 0.3:
            made += _sample(value[1], rng, pieces)
    return made


def _one_of(choices: list[tuple[object, object]], rng: random.Random) -> str:
    categories = {
        "DIGIT": "7",
        "NOT_DIGIT": "a",
        "SPACE": " ",
        "NOT_SPACE": "a",
        "WORD": "a",
        "NOT_WORD": ".",
    }
    shown = []
    for operation, value in choices:
        if str(operation) == "NEGATE":
            return next(c for c in "aB7 .-\n'\u00e9\u0300" if re.match(_class(choices), c))
        if str(operation) == "LITERAL":
            shown.append(chr(value))
        elif str(operation) == "RANGE":
            shown.append(chr(rng.randint(*value)))
        elif str(operation) == "CATEGORY":
            shown.append(categories[str(value).removeprefix("CATEGORY_")])
    return rng.choice(shown)


def _class(choices: list[tuple[object, object]]) -> str:
    parts = []
    categories = {
        "DIGIT": r"\d",
        "NOT_DIGIT": r"\D",
        "SPACE": r"\s",
        "NOT_SPACE": r"\S",
        "WORD": r"\w",
        "NOT_WORD": r"\W",
    }
    for operation, value in choices[1:]:
        if str(operation) == "LITERAL":
            parts.append(re.escape(chr(value)))
        elif str(operation) == "RANGE":
            parts.append("-".join(re.escape(chr(v)) for v in value))
        else:
            parts.append(categories[str(value).removeprefix("CATEGORY_")])
    return f"[^{''.join(parts)}]"


def texts(pattern: str, flags: int, size: int, most: int = MANY) -> Iterator[str]:
    """Texts of a pattern's own alphabet: what it looks for, in whole and in part, repeated and nested; ``most`` of what
    is repeated, drawn from all of it."""
    rng = random.Random(ascii(pattern))
    parsed = _parser.parse(pattern, flags)
    samples, pieces = [], list[str]()
    for _ in range(6):
        samples.append(_sample(parsed, rng, pieces))
    pumps: dict[tuple[str, str], None] = {}
    for sample in dict.fromkeys(samples):
        cuts = sorted({0, *(rng.randrange(len(sample) + 1) for _ in range(4)), len(sample)})
        for cut in cuts:
            pumps[sample[:cut], sample[cut : cut + 1] or "a"] = None
            pumps["", sample[:cut]] = None
            pumps["", sample[cut:]] = None
            pumps[sample[:cut], rng.choice(pieces or ["a"])] = None
            pumps["", sample[:cut] + " "] = None
            pumps["", sample[:cut] + "\n"] = None
    for piece in dict.fromkeys(pieces):
        pumps["", piece] = None
        pumps["\n", piece] = None
        for sample in samples:
            if piece in sample:
                pumps[sample[: sample.index(piece)], piece] = None
    for common in (" ", "\n", "a", "7", "\t \n", "a ", "a. "):
        pumps["", common] = None
    repeated = list(pumps)[:MANY]
    for before, pump in repeated if most >= len(repeated) else rng.sample(repeated, most):
        if pump:
            body = before + pump * (size // len(pump))
            for end in ("", "\0", "\n!"):
                yield body + end
    for sample in samples[:2]:
        half = len(sample) // 2
        if sample:
            many = size // len(sample)
            yield sample[:half] * many + sample[half:] * many


class _TooLong(BaseException):
    pass


def seconds(pattern: re.Pattern[str], text: str, *, anywhere: bool) -> float:
    """CPU seconds that it takes to look through a text."""
    began = time.process_time()
    if anywhere:
        for _ in pattern.finditer(text):
            pass
    else:
        pattern.fullmatch(text)
    return time.process_time() - began


def slow(
    pattern: str, flags: int, *, anywhere: bool, most: int = MANY, limit: float = 20
) -> tuple[str, float, float] | None:
    """The first text of which four times as much takes too long, and both times."""
    compiled = re.compile(pattern, flags)

    def ring(number: int, frame: object) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, limit)
    text = ""
    try:
        for text, longer in zip(
            *(texts(pattern, flags, size, most) for size in (SMALL, LARGE)), strict=True
        ):
            large = seconds(compiled, longer, anywhere=anywhere)
            if large < FLOOR:
                continue
            large = min(large, *(seconds(compiled, longer, anywhere=anywhere) for _ in range(2)))
            small = min(seconds(compiled, text, anywhere=anywhere) for _ in range(3))
            if large > FLOOR and large > MOST * small:
                return text, small, large
    except _TooLong:
        return text, 0.0, limit
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    return None


PARTS = 4
"""Slow tests that share the patterns, so that several workers may."""


def test_the_source_has_patterns():
    assert len(collected()) > 180 and sum(anywhere for _, _, anywhere in collected().values()) > 100


@pytest.mark.parametrize(
    ("part", "parts", "most"),
    [
        (0, 1, SOME),
        *(pytest.param(part, PARTS, MANY, marks=pytest.mark.slow) for part in range(PARTS)),
    ],
)
def test_patterns_take_time_as_their_texts_are_long(part, parts, most):
    wrong = []
    for place, (pattern, flags, anywhere) in list(collected().items())[part::parts]:
        if found := slow(pattern, flags, anywhere=anywhere, most=most):
            text, short, long = found
            wrong.append(
                f"{place}: {pattern!r} of {text[:60]!r} …: {short:.3f} s, of four times as much {long:.3f} s"
            )
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "pattern", [r"(a+)+$", r"[\w.]+@", r"<p.*?</p>", r"\A--\n(?:[\w-]+:.*\n(?:[ -].*\n)*){2,}--$"]
)
def test_a_pattern_that_looks_again_and_again_is_noticed(pattern):
    assert slow(pattern, re.DOTALL, anywhere=True, limit=0.3) is not None


def test_a_pattern_that_looks_once_is_not():
    assert slow(r"[a-z]+", re.DOTALL, anywhere=True, limit=0.6) is None
