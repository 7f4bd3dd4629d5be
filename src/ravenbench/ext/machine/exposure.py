"""Exposure: has a language model read these texts?

A model that has read a text finds it likelier than its transplanted twin, the same text with content words of another
one. So it does of any text that somebody wrote, hence the comparison with *reference* texts of the same kind, written
after the model was made. Models behind endpoints give no log-probabilities; they are asked what they know by heart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ravenbench.errors import InputError, RavenError, SpecError
from ravenbench.ext.machine.causal import CausalLM, open_model
from ravenbench.ext.machine.exposure_spec import ExposureSpec
from ravenbench.formats.collector import checked_text, identity_key
from ravenbench.randomness import stream
from ravenbench.services import Model, begin_counting, chat, check_address
from ravenbench.statistics.estimates import Interval
from ravenbench.statistics.shares import auc_of
from ravenbench.text.splicing import Splicer
from ravenbench.texts import TextTable
from ravenbench.types import Floats

QUARTERS = ("whole", "first quarter", "second quarter", "third quarter", "last quarter")
"""Of the tokens that are read: what a model remembers, it remembers the better the more of a text it has seen."""
CONTINUE = (
    "Continue this published text word by word, exactly as it goes on, with the next {words} words and nothing else."
)
NAME = "A proper name of this published text is hidden behind [MASK]. Answer with that one word and nothing else."
_REFUSED = re.compile(
    r"\s*(?:sorry, (?:but )?i|i(?:['’]m| am) (?:sorry,? but|unable to|not able to)|as an ai\b|"
    r"i can(?:no|['’])t (?:help|assist|continue|complete|provide|reproduce|share|comply|recite|quote|do that))",
    re.IGNORECASE,
)
LEAST = 5
"""Texts on each side below which nothing is said."""
SHOWN = 30
"""Words that a model is shown, and as many that it is asked for; texts of less than twice as many are left out."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Exposure:
    """Chance that a text's gain over its twin (or what is said of it by heart) is higher than that of a reference text,
    in one part of the texts: .5 is no sign that the model has read them, 1 means that it tells all. ``interval`` is of
    95 %, over authors where they are known. Both are None where fewer than five texts of a side have an answer, the
    interval also where they are by one author."""

    part: str
    texts: int
    reference: int
    auc: float | None
    interval: Interval | None


class Side(NamedTuple):
    """Texts (n,) and their authors, None where one is not known."""

    texts: Sequence[str]
    authors: Sequence[str | None]


def exposure(spec: ExposureSpec, progress: Progress) -> list[Exposure]:
    """Compare texts that a language model may have read with others of the same kind that it cannot have read: on this
    machine the whole texts and each quarter of their tokens; of an endpoint ``continuation`` and ``masked name``.

    At least five texts a side, each of 60 words or more. InputError if there are too few, one stands on both sides, or
    their content words cannot be exchanged. RavenError if an endpoint does not answer: no result is made of a part of
    the texts, and answers are kept for the next attempt.
    """
    if spec.url:
        check_address(spec.url)
    sides = [_side("texts", spec.texts, spec), _side("reference", spec.reference, spec)]
    if shared := set.intersection(*({identity_key(text) for text in side.texts} for side in sides)):
        raise InputError(
            "texts stand among the reference texts too", found=len(shared), expected="texts that the model cannot know"
        )
    if not spec.url:
        return by_likelihood(open_model(spec.model, "auto"), *sides, longest=spec.longest, progress=progress)
    begin_counting()
    endpoint = Model("exposure", spec.url, spec.timeout, spec.retries, (spec.price_in, spec.price_out))
    return recited(endpoint, spec.model, *sides, progress=progress)


def _side(name: str, given: str | Path | Sequence[str], spec: ExposureSpec) -> Side:
    """Distinct texts that are long enough, at most so many."""
    from ravenbench.corpora.load import load_corpus

    most = spec.most
    if most < LEAST:
        raise SpecError("too few texts of a side to see exposure", found=f"--most {most}", expected=f"{LEAST} or more")
    if isinstance(given, str | Path):
        corpus = load_corpus(given, encoding=spec.encoding, pairs=False, level="extract()")  # topics need not be there
        every, authors = list(corpus.texts), list(corpus.author)
    else:
        every, authors = [checked_text(text) for text in given], [None] * len(given)
    first = {identity_key(text): i for i, text in reversed(list(enumerate(every))) if len(text.split()) >= 2 * SHOWN}
    if len(first) < LEAST:
        raise InputError(
            f"{name}: too few texts to see exposure", found=f"{len(first)} of {len(every)} have {2 * SHOWN} words",
            expected=f"at least {LEAST} different ones", file=given if isinstance(given, str | Path) else None,
        )  # fmt: skip
    rows = sorted(first.values())
    if len(rows) > most:
        rows = sorted(stream(spec.seed, "exposure", name).choice(rows, most, replace=False).tolist())
    return Side([every[row] for row in rows], [authors[row] for row in rows])


def by_likelihood(
    lm: CausalLM, texts: Side, reference: Side, *, longest: int = 256, progress: Progress | None = None
) -> list[Exposure]:
    """How much likelier a model on this machine finds texts than their twins, against reference texts; a twin takes the
    content words of the next text of its side. InputError if the content words of a text cannot be exchanged."""
    pairs = [pair for side in twins(texts.texts, reference.texts) for pair in side]
    gains = []
    for done, pair in enumerate(pairs, start=1):
        gains.append(np.subtract(*(_means(lm.logs(text, longest=longest).logs) for text in pair)))
        if progress is not None:
            progress("reading texts", done, len(pairs))
    return [compared(part, values, texts, reference) for part, values in zip(QUARTERS, np.array(gains).T, strict=True)]


def recited(
    model: Model, name: str, texts: Side, reference: Side, *, progress: Progress | None = None
) -> list[Exposure]:
    """What a model that gives no log-probabilities can say by heart, against reference texts.

    *Continuation*: shown the first words, how many of the next does it give in one run, less those that it gives of the
    next text, which stand for chance? *Masked name*: shown the words around a name, does it give the name? A text
    without a name is left out, and one of which the model refuses to speak. RavenError if it does not answer.
    """
    every = [*texts.texts, *reference.texts]
    following = [_words(" ".join(text.split()[SHOWN : 2 * SHOWN])) for text in every]
    n = len(texts.texts)
    others = [following[i] for i in (*range(1, n), 0, *range(n + 1, len(every)), n)]
    prompts = [(CONTINUE.format(words=SHOWN), " ".join(text.split()[:SHOWN]), 3 * SHOWN) for text in every]
    names = [_masked(text) for text in every]
    prompts += [(NAME, one[0], 20) for one in names if one is not None]
    requests = [chat(name, *one) for one in prompts]
    model.announce(model.estimate(requests), "at most ")
    said: dict[tuple[str, str, int], list[str] | None] = {}
    for done, (one, request) in enumerate(zip(prompts, requests, strict=True), start=1):
        text, reason = model.answer_of(request, bool), ""
        if text is None:
            text, reason = model.ask(request, lambda answer: (answer, ""), whole=False)
        if text is None and reason not in ("refused", "empty"):
            raise RavenError(f"the model does not answer: {reason}; repeat the command later, what came is kept")
        said[one] = None if text is None or _REFUSED.match(text) else _words(text)
        if progress is not None:
            progress("asking", done, len(prompts))

    def continued(i: int) -> float:
        words = said[prompts[i]]
        return float("nan") if words is None else _run(following[i], words) - _run(others[i], words)

    def hidden_name_said(one: tuple[str, str] | None) -> float:
        words = None if one is None else said[NAME, one[0], 20]
        return float("nan") if one is None or words is None else float(one[1] in words)

    return [
        compared("continuation", np.array([continued(i) for i in range(len(every))]), texts, reference),
        compared("masked name", np.array([hidden_name_said(one) for one in names]), texts, reference),
    ]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _run(words: list[str], said: list[str]) -> float:
    """Share of the words that is said in one run."""
    return SequenceMatcher(None, words, said, autojunk=False).find_longest_match().size / max(len(words), 1)


def _masked(text: str) -> tuple[str, str] | None:
    """Words around the longest name, which is hidden, and the name; None where there is none."""
    # A capital inside a sentence, and nowhere in lower case; the longest is the least common.
    names = {w for w in re.findall(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b", text) if not re.search(rf"\b{w.lower()}\b", text)}
    if not names:
        return None
    name = max(sorted(names), key=len)
    before, after = re.split(rf"\b{name}\b", text, maxsplit=1)
    shown = " ".join([*before.split()[-SHOWN:], "[MASK]", *after.split()[:SHOWN]])
    return re.sub(rf"\b{name}\b", "[MASK]", shown), name.casefold()


def compared(part: str, values: Floats, texts: Side, reference: Side) -> Exposure:
    """Texts, the first of these values, against reference texts; NaN where there is none."""
    read = np.arange(len(values)) < len(texts.texts)
    names = [name or f"\0{i}" for i, name in enumerate((*texts.authors, *reference.authors))]
    authors = np.unique(names, return_inverse=True)[1].astype(np.int64)
    finite = np.isfinite(values)
    read, values, authors = read[finite], values[finite], authors[finite]
    sizes = int(read.sum()), int((~read).sum())
    if min(sizes) < LEAST:
        return Exposure(part, *sizes, None, None)
    return Exposure(part, *sizes, *auc_of(read, values, np.stack([authors, authors], axis=1)))


def twins(*sides: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Each text with its twin, by side. InputError if no words can be exchanged."""
    table, rows = TextTable.collect([text for side in sides for text in side])
    splicer = Splicer(table)
    if splicer.refusal is not None:
        raise InputError("content words of these texts cannot be exchanged", found=splicer.refusal)
    begins = np.cumsum([0, *map(len, sides)])
    next_one = np.concatenate([np.roll(rows[a:b], -1) for a, b in pairwise(begins)])
    try:
        made = splicer.splice(
            [(splicer.cut(int(a)), [splicer.cut(int(b))]) for a, b in zip(rows, next_one, strict=True)]
        )
    except ValueError as error:
        raise InputError("content words of these texts cannot be exchanged", found=str(error)) from error
    both = [(table[int(row)], twin.decode()) for row, twin in zip(rows, made, strict=True)]
    return [both[a:b] for a, b in pairwise(begins)]


def _means(logs: Floats) -> Floats:
    """Mean log-probability of a text's tokens, of the whole and of quarters, (5,)."""
    if len(logs) < len(QUARTERS):
        raise InputError("a text is too short to be looked at in quarters", found=f"{len(logs)} tokens")
    return np.array([logs.mean(), *(part.mean() for part in np.array_split(logs, len(QUARTERS) - 1))])
