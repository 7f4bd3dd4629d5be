"""Obfuscates only with safe edits, chosen by how far they reduce the similarity to the author's texts (``RavenHide``).

In: for ``obfuscate`` an ``ObfuscationTask`` (an English text and the author's known texts) and a seed; ``RavenHide``
has a goal of nearness (1 = as near as the known texts are to each other, 0 = as other authors', below 0 = beyond), a
limit of the cost in meaning for 100 words, and a folder of texts by other authors.
Out: a ``Rewriting`` in parts with counts of operations; its notes state the nearness reached. InputError for a folder
without texts, MissingPart without both a folder and Brown; SpecError for a limit not above 0, when it is made.

Ours. The text must stay the person's text: Raven makes only edits from a closed list (``raven_hide_edits``), each with
a cost in meaning, and stops when the goal is reached or the limit of cost allows no more. It does not ask verifiers but a
panel of fast measures (``raven_hide_panel``); compression, which is not in the panel, measures at the end how
recognisable the text is.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from ravenbench.errors import MissingPart, counted
from ravenbench.ext.shelf.obfuscation.raven_hide_edits import WHOLE, SafeEdit, safe_edits
from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, Rewriting, count_operations
from ravenbench.obfuscation.measures.soundness import SURVIVAL, content_lost
from ravenbench.obfuscation.parts import Edit, from_edits
from ravenbench.obfuscation.wording.resources import brown_texts
from ravenbench.reading.texts import plain_texts
from ravenbench.statistics.standing import NEAREST, Standing
from ravenbench.text.alignment import plain_words
from ravenbench.text.nltk_data import TAGGER, find, missing
from ravenbench.text.ppm import cross_entropies
from ravenbench.texts import TextTable
from ravenbench.types import Positive

if TYPE_CHECKING:
    from ravenbench.ext.shelf.obfuscation.raven_hide_panel import Crowd, HidingPanel

JITTER = 0.3
"""A gain varies by up to this share, by the seed; this mostly changes few edits, which are not secret."""
ROUND = 100
"""A crowd's pieces are cut at multiples of this many words, so that texts of similar length share them."""
MOST_LOST = SURVIVAL["words_lost"][1]
"""Maximum loss of content words in 100; with more, a text does not count as sound."""
MODEL = 30_000
"""Maximum characters of the texts that compression learns from."""
_SIGN = re.compile(r"[a-z]++| -- |[^a-z]")
"""What an edit of the whole text may change in the wording of another."""
LONGEST = 600
"""Maximum words of a crowd's piece."""


@dataclass(eq=False, repr=False)
class RavenHide(Obfuscator):
    """Makes edits that readers accept, until the text is as far from the author's other texts as the limit allows.

    Also called: hiding, style, anonymise.

    Contractions, marks, white space, spellings, words and phrases that mean the same, relative pronouns, *that* put in
    or left out, order of clauses and adverbs, joined and cut sentences. Without known texts it moves the text away from
    its usual habits.

    Parameters
    ----------
    goal : float
        Where to stop: 0 is as near to the known texts as other authors' texts are on average, 1 as near as they are to
        each other, −1 as far beyond.
    limit : float
        Maximum cost in meaning for a hundred words; a word with the same meaning costs .4, a contraction .2.
    background : str
        Folder of ``.txt`` files by other authors, of the text's kind; otherwise Brown.
    """

    name = "raven-hide"
    provenance = "ours"
    version = 10
    mode: ClassVar[str] = "repaired"

    goal: float = -1.0
    limit: Positive = 3.0
    background: str = ""

    def fit(self, tasks: Sequence[ObfuscationTask]) -> Self:
        """Load the texts by other authors. InputError if the background has no text; MissingPart if there is neither a
        background nor Brown."""
        if not self.background:
            try:
                find("brown")
            except MissingPart as error:
                fix = f"{error.fix}, or raven-hide(background='FOLDER of .txt by other authors')"
                raise MissingPart(
                    "raven-hide needs texts by other authors, and Brown is not installed", fix=fix
                ) from None
        _crowd_texts(self.background)
        return self

    def stamp(self) -> str:
        """Return a hash of the background's texts."""
        return (
            hashlib.sha256("\0".join(_crowd_texts(self.background)).encode()).hexdigest()
            if self.background
            else ""
        )

    def rewrite(self, task: ObfuscationTask, seed: int) -> Rewriting:
        from ravenbench.ext.shelf.obfuscation.raven_hide_panel import HidingPanel

        self.fit([task])
        text = task.questioned
        words = len(text.split())
        known = tuple(one for one in task.known if one.strip())
        size = min(LONGEST, max(ROUND, round(words / ROUND) * ROUND))
        panel = HidingPanel(known or (text,), _crowd(self.background, size), size)
        candidates = safe_edits(text)
        untagged = missing(TAGGER)
        notes = (
            []
            if untagged is None
            else [f"Raven left out edits that need parts of speech: {untagged}"]
        )
        chosen, reason = self._search(
            panel, text, candidates, words, self.draws(seed, task, "search")
        )
        parts = from_edits(text, _joined(text, chosen))
        cost = 100 * sum(one.cost for one in chosen) / max(1, words)
        new = "".join(part.obfuscation for part in parts)
        if known and len(panel.crowd.pieces[::2]) * NEAREST < 1:
            notes.append(
                "there are too few texts by other people to measure how recognisable the text is"
            )
        elif known:
            first, then, many = _standing(known, panel.crowd.pieces, text, new)
            before = Standing(first, many)
            notes += [
                f"before: {before.verdict} by compression, {first or 'none'} of {many}",
                f"now: {Standing(then, many).sentence('compression')}",
            ]
        else:
            notes.append(
                "no known texts: Raven moved the text away from its usual habits, but cannot"
                " measure how recognisable it is"
            )
        notes.append(
            f"{counted(len(chosen), 'edit')}, cost in meaning {cost:.1f} for 100 words (limit "
            f"{self.limit:g}); Raven stopped because {reason}"
        )
        left = ", ".join(f"“{word}”" for word in panel.telling(new)) if known else ""
        if left:
            notes.append(f"change these words by hand: {left}")
        return Rewriting(parts, tuple(notes), count_operations(parts))

    def _search(
        self,
        panel: HidingPanel,
        text: str,
        candidates: list[SafeEdit],
        words: int,
        rng: np.random.Generator,
    ) -> tuple[list[SafeEdit], str]:
        """The edits made, greedily by gain for cost, and why the search stopped."""
        if not candidates:
            return [], "there is no safe edit"
        search = panel.search(text, candidates)
        chosen = list[SafeEdit]()
        luck = rng.uniform(1 - JITTER, 1 + JITTER, len(candidates))
        cost = np.array([one.cost for one in candidates])
        lost = np.array([_lost(text, one) for one in candidates])
        open_ = np.ones(len(candidates), dtype=bool)
        now = panel.near(text)
        left = self.limit * words / 100
        may_lose = MOST_LOST * len(plain_words(text)) / 100
        while now > self.goal:
            near = search.near()
            gains = np.where(open_ & (cost <= left) & (lost <= may_lose), now - near, 0.0)
            if not (gains > 0).any():
                helpful = open_ & (now > near)
                short = f" before the goal was reached (nearness {self.goal:g}; the text reached {now:.1f})"
                if (helpful & (cost > left)).any():
                    return chosen, f"the limit of sense was reached{short}"
                losing = (
                    f"no edit helps without a loss of more than {MOST_LOST:g} content words in 100"
                )
                none = losing if helpful.any() else "no remaining safe edit helps"
                return chosen, none + short
            best = int(np.argmax(np.where(gains > 0, gains * luck / cost, 0.0)))
            search.make(best)
            chosen.append(candidates[best])
            left = left - cost[best]
            may_lose = may_lose - lost[best]
            now = float(near[best])
            open_[best] = False
            open_ &= np.array([not one.clashes(candidates[best]) for one in candidates])
        return chosen, f"the goal was reached (nearness {self.goal:g} or less)"


def _standing(known: Sequence[str], crowd: Sequence[str], *texts: str) -> tuple[int, ...]:
    """How many of a crowd's texts are as near to the known ones as each of these, by compression, and of how many.

    Bits a character under the known texts' model less those under that of other texts by the crowd.
    """
    pieces = crowd[::2]
    others = "\n\n".join(crowd[1::2])
    size = min(MODEL, sum(map(len, known)), len(others))
    table, rows = TextTable.collect(["\n\n".join(known)[:size], others[:size], *texts, *pieces])
    read = rows[2:]
    own, strange = (
        cross_entropies(table, np.full(len(read), row), read, both=False)[:, 0] for row in rows[:2]
    )
    far = own - strange
    return (*(int((far[len(texts) :] <= far[i]).sum()) for i in range(len(texts))), len(pieces))


def _lost(text: str, edit: SafeEdit) -> int:
    """Content words that edits take out of a text."""
    before = " ".join(text[one.start : one.end] for one in edit.edits)
    return content_lost(before, " ".join(one.new for one in edit.edits))


def _joined(text: str, chosen: Sequence[SafeEdit]) -> list[Edit]:
    """The edits chosen; those of the whole text give way to others, which take their signs and spellings."""
    in_order = sorted(chosen, key=lambda one: WHOLE.get(one.edits[0].operation, 0))
    signs = {
        old: edit.new
        for one in chosen
        if one.edits[0].operation in WHOLE
        for edit in one.edits
        if (old := text[edit.start : edit.end]).strip()
    }

    def agreeing(match: re.Match[str]) -> str:
        return signs.get(match.group(), match.group())

    joined = list[Edit]()
    for edit in (edit for one in in_order for edit in one.edits):
        if not any(edit.start < other.end and other.start < edit.end for other in joined):
            new = _SIGN.sub(agreeing, edit.new)
            joined.append(Edit(edit.start, edit.end, new, edit.operation))
    return joined


@lru_cache(4)
def _crowd_texts(background: str) -> tuple[str, ...]:
    if background:
        return tuple(text for text in plain_texts(Path(background)).values() if text.strip())
    return tuple(brown_texts().values())


@lru_cache(8)
def _crowd(background: str, words: int) -> Crowd:
    from ravenbench.ext.shelf.obfuscation.raven_hide_panel import Crowd

    return Crowd.of(_crowd_texts(background), words)
