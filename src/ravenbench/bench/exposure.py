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

from ravenbench.errors import InputError, RavenError
from ravenbench.randomness import stream
from ravenbench.services import Model, Request, begin_counting
from ravenbench.statistics.estimates import Interval, Units, estimate, influence, placements, within
from ravenbench.statistics.validation import wilson
from ravenbench.text.splicing import Splicer
from ravenbench.texts import TextTable
from ravenbench.topics.causal import SMALL, CausalLM, opened
from ravenbench.types import Floats

QUARTERS = ("whole", "first quarter", "second quarter", "third quarter", "last quarter")
"""Of the tokens that are read: what a model remembers, it remembers the better the more of a text it has seen."""
CONTINUE = (
    "Continue this published text word by word, exactly as it goes on, with the next {words} words and nothing else."
)
NAME = "A proper name of this published text is hidden behind [MASK]. Answer with that one word and nothing else."
_REFUSED = re.compile(r"\s*(?:i(?:['’]m| am) (?:sorry|unable|not able)|i can(?:no|['’])t|as an ai\b)", re.IGNORECASE)
LEAST = 5
"""Texts on each side below which nothing is said."""
SHOWN = 30
"""Words that a model is shown, and as many that it is asked for; texts of less than twice as many are left out."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Exposure:
    """Chance that a text's gain over its twin (or what is said of it by heart) is higher than that of a reference text,
    in one part of the texts: .5 is no sign that the model has read them, 1 means that it tells all. ``interval`` is of
    95 %, over authors where they are known. None where fewer than five texts of a side have an answer."""

    part: str
    texts: int
    reference: int
    auc: float | None
    interval: Interval | None


class Side(NamedTuple):
    """Texts (n,) and their authors, None where one is not known."""

    texts: Sequence[str]
    authors: Sequence[str | None]


def exposure(
    texts: str | Path | Sequence[str], reference: str | Path | Sequence[str], *, model: str = SMALL, url: str = "",
    most: int = 200, longest: int = 256, price_in: float = 0.0, price_out: float = 0.0, timeout: float = 120.0,
    retries: int = 2, encoding: str | None = None, seed: int = 0, device: str = "auto",
    progress: Progress | None = None,
) -> list[Exposure]:  # fmt: skip
    """Compare texts that a language model may have read with others of the same kind that it cannot have read.

    Parameters
    ----------
    texts, reference : str, path or sequence of str
        A corpus, as ``raven run`` takes it, or texts. At least five each of 60 words or more.
    model : str
        On this machine, as in the verifier ``causal-lm``; with ``url`` as the endpoint names it.
    url : str
        Base address of an OpenAI-compatible endpoint. Only where it is given here do texts leave this machine.
    most : int
        Texts of a side that are drawn at most.
    longest : int
        Tokens of a text that are read, on this machine.
    price_in, price_out : float
        Of a million tokens, for the estimate that is printed first.
    timeout, retries : float, int
        Seconds and further attempts of a call.
    progress : callable, optional
        Called with (stage, done, total).

    Returns
    -------
    list of Exposure
        On this machine, of the whole texts and of each quarter of their tokens; of an endpoint, ``continuation`` and
        ``masked name``.

    Raises
    ------
    InputError
        If there are too few texts, one stands on both sides, or their content words cannot be exchanged.
    RavenError
        If an endpoint does not answer: no result is made of a part of the texts. Answers are kept for the next attempt.
    """
    from ravenbench.obfuscation.recipes.llm import check_model, model_of

    check_model("exposure", model, url)
    sides = [_side(name, given, most, encoding, seed) for name, given in (("texts", texts), ("reference", reference))]
    if shared := {text.strip() for text in sides[0].texts} & {text.strip() for text in sides[1].texts}:
        raise InputError(
            "texts stand among the reference texts too", found=len(shared), expected="texts that the model cannot know"
        )
    if not url:
        return by_likelihood(opened(model, device), *sides, longest=longest, progress=progress)
    begin_counting()
    endpoint = model_of("exposure", model, url, timeout, retries, (price_in, price_out))
    return recited(endpoint, model, *sides, progress=progress)


def _side(name: str, given: str | Path | Sequence[str], most: int, encoding: str | None, seed: int) -> Side:
    """Distinct texts that are long enough, at most so many."""
    from ravenbench.corpora.load import load_corpus

    if isinstance(given, str | Path):
        corpus = load_corpus(given, encoding=encoding, pairs=False)
        every, authors = list(corpus.texts), list(corpus.author)
    else:
        every, authors = list(given), [None] * len(given)
    first = {text.strip(): i for i, text in reversed(list(enumerate(every))) if len(text.split()) >= 2 * SHOWN}
    if min(len(first), most) < LEAST:
        raise InputError(
            f"{name}: too few texts to see exposure", found=f"{len(first)} of {len(every)} have {2 * SHOWN} words",
            expected=f"at least {LEAST} different ones", file=given if isinstance(given, str | Path) else None,
        )  # fmt: skip
    rows = sorted(first.values())
    if len(rows) > most:
        rows = sorted(stream(seed, "exposure", name).choice(rows, most, replace=False).tolist())
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


class _Test(NamedTuple):
    """The task, what is shown, most tokens of an answer, and from the answer's words how well it knows the text."""

    task: str
    shown: str
    most: int
    score: Callable[[list[str]], float]


def recited(
    model: Model, called: str, texts: Side, reference: Side, *, progress: Progress | None = None
) -> list[Exposure]:
    """What a model that gives no log-probabilities can say by heart, against reference texts.

    *Continuation*: shown the first words, how many of the next does it give in one run? *Masked name*: shown a sentence
    in which a name is hidden, does it give the name? A text without a name is left out, and one of which the model
    refuses to speak. RavenError if it does not answer.
    """
    every = [*texts.texts, *reference.texts]
    tests: dict[str, list[_Test | None]] = {
        "continuation": [_continuation(text) for text in every],
        "masked name": [_masked(text) for text in every],
    }
    asked = [test for part in tests.values() for test in part if test is not None]
    requests = {id(test): _request(called, test) for test in asked}
    model.announce(model.estimate(requests.values()), "at most ")
    done = 0

    def answer(test: _Test | None) -> float:
        nonlocal done
        if test is None:
            return float("nan")
        request = requests[id(test)]
        text, reason = model.kept(request, bool), ""
        if text is None:
            text, reason = model.ask(request, lambda said: (said, ""), whole=False)
        if text is None and reason != "refused":
            raise RavenError(f"the model does not answer: {reason}; repeat the command later, what came is kept")
        done += 1
        if progress is not None:
            progress("asking", done, len(asked))
        return float("nan") if text is None or _REFUSED.match(text) else test.score(re.findall(r"\w+", text.casefold()))

    return [compared(part, np.array([answer(t) for t in of]), texts, reference) for part, of in tests.items()]


def _request(model: str, test: _Test) -> Request:
    messages = [{"role": "system", "content": test.task}, {"role": "user", "content": test.shown}]
    return {"model": model, "messages": messages, "temperature": 0, "max_tokens": test.most}


def _continuation(text: str) -> _Test:
    words = text.split()
    following = re.findall(r"\w+", " ".join(words[SHOWN : 2 * SHOWN]).casefold())

    def run(said: list[str]) -> float:
        match = SequenceMatcher(None, following, said, autojunk=False).find_longest_match()
        return match.size / max(len(following), 1)

    return _Test(CONTINUE.format(words=SHOWN), " ".join(words[:SHOWN]), 3 * SHOWN, run)


def _masked(text: str) -> _Test | None:
    # A capital inside a sentence, and nowhere in lower case; the longest is the least common.
    found = {w for w in re.findall(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b", text) if not re.search(rf"\b{w.lower()}\b", text)}
    if not found:
        return None
    name = max(sorted(found), key=len)
    place = re.search(rf"[^.!?]*\b{name}\b[^.!?]*[.!?]?", text)
    hidden = re.sub(rf"\b{name}\b", "[MASK]", place[0] if place else text)
    return _Test(NAME, hidden.strip(), 20, lambda said: float(name.casefold() in said))


def compared(part: str, values: Floats, texts: Side, reference: Side) -> Exposure:
    """Texts, the first of these values, against reference texts; NaN where there is none."""
    read = np.arange(len(values)) < len(texts.texts)
    names = [name or f"\0{i}" for i, name in enumerate((*texts.authors, *reference.authors))]
    authors = np.unique(names, return_inverse=True)[1].astype(np.int64)
    kept = np.isfinite(values)
    read, values, authors = read[kept], values[kept], authors[kept]
    sizes = int(read.sum()), int((~read).sum())
    if min(sizes) < LEAST:
        return Exposure(part, *sizes, None, None)
    auc, placement = placements(read, values, values)
    units = Units(np.stack([authors, authors], axis=1), np.arange(len(authors)))
    found = within(estimate(auc, influence(read, auc, placement), units), 0.0, 1.0)
    # Where nothing varies, as when all texts are told from all, the smaller side says how much that is worth.
    worth = min(len(np.unique(authors[side])) for side in (read, ~read))
    return Exposure(part, *sizes, auc, found.interval if found.error else wilson(auc, worth))


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
