"""Greedy and A* search for a text that is far enough from the author's profile."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass

import numpy as np

from ravenbench.obfuscation.recipes.bevendorff_2019_draft import Change, Draft
from ravenbench.obfuscation.recipes.bevendorff_2019_operators import acceptable, changes
from ravenbench.obfuscation.recipes.bevendorff_2019_profile import (
    add_window,
    author_profile,
    count_in,
    divergence,
    gain,
    plain_bytes,
)
from ravenbench.types import Floats, Ints

TRIGRAMS = 10
OCCURRENCES = 2
_OPEN_LIMIT, _OPEN_KEPT = 40_000, 10
_LEAST_GAIN = 1e-9
_IDLE_ROUNDS = 3


@dataclass(frozen=True, eq=False)
class Author:
    """The profile searched against, and which resources the operators have."""

    keys: Ints
    shares: Floats
    words: bool
    model: bool

    @classmethod
    def of(cls, known: str, words: bool, model: bool) -> Author:
        """The profile of concatenated known texts of at least three bytes."""
        return cls(*author_profile(plain_bytes(known)), words, model)


@dataclass(eq=False)
class State:
    """A draft with its counts of the author's trigrams, number of trigrams and distance."""

    author: Author
    draft: Draft
    counts: Ints
    n: int
    distance: float = 0.0
    own: float = 0.0

    @classmethod
    def of(cls, author: Author, draft: Draft) -> State:
        """The state of a draft of at least three bytes."""
        state = cls(author, draft, count_in(author.keys, draft.data), max(1, len(draft.data) - 2))
        state.measure()
        return state

    def measure(self) -> None:
        """Bring distance up to date with the counts."""
        jsd, self.own = divergence(self.author.shares, self.counts, self.n)
        self.distance = math.sqrt(2 * max(0.0, jsd))

    def gain(self, old: bytes, new: bytes) -> float:
        """Change of the divergence by an edit."""
        before, after = np.frombuffer(old, np.uint8), np.frombuffer(new, np.uint8)
        return float(gain(self.author.keys, self.author.shares, self.counts, self.n, self.own, before, after))

    def make(self, change: Change) -> None:
        """Apply an edit in place."""
        old, new = self.draft.windows(change)
        add_window(self.author.keys, self.counts, np.frombuffer(old, np.uint8), -1)
        add_window(self.author.keys, self.counts, np.frombuffer(new, np.uint8), 1)
        self.draft = self.draft.apply(change)
        self.n = max(1, len(self.draft.data) - 2)
        self.measure()

    def copy(self) -> State:
        """A state that can be edited apart."""
        return State(self.author, self.draft, self.counts.copy(), self.n, self.distance, self.own)

    def ranked(self, tired: set[int]) -> list[int]:
        """Indices of the shared trigrams with count ≥ 2 and P ≥ Q, largest P/Q first."""
        usable = (self.counts >= 2) & (self.author.shares * self.n >= self.counts)
        if tired:
            usable[list(tired)] = False
        index = np.flatnonzero(usable)
        ratio = self.author.shares[index] / self.counts[index]
        return [int(i) for i in index[np.argsort(-ratio, kind="stable")[:TRIGRAMS]]]

    def candidates(self, index: int, rng: np.random.Generator) -> list[tuple[float, Change]]:
        """Edits at two random occurrences of a trigram that raise the divergence and do not bring it back."""
        code = int(self.author.keys[index])
        gram = code.to_bytes(3, "big")
        places = self.draft.occurrences(gram)
        if len(places) > OCCURRENCES:
            places = [places[int(i)] for i in rng.choice(len(places), OCCURRENCES, replace=False)]
        out = []
        for place in places:
            start, end = self.draft.span(place, place + 3)
            # Operators often propose the same edit at different costs: it is weighed once.
            known: dict[tuple[int, int, str], float] = {}
            for change in changes(self.draft, start, end, self.author.words, self.author.model):
                edit = change.start, change.end, change.new
                won = known.get(edit)
                if won is None:
                    old, new = self.draft.windows(change)
                    back = new.count(gram) >= old.count(gram)
                    won = known[edit] = 0.0 if back else self.gain(old, new)
                if won > _LEAST_GAIN:
                    out.append((won, change))
        return out


def greedy(author: Author, draft: Draft, goal: float, rng: np.random.Generator, limit: int) -> State:
    """Round by round, at each of the ten ranked trigrams the edit that gains most for its cost.

    Ends at the goal, after ``limit`` edits, or when nothing helps any more.
    """
    state = State.of(author, draft)
    tired: set[int] = set()
    idle = made = 0
    while state.distance < goal and made < limit and idle < _IDLE_ROUNDS:
        before = made
        for index in state.ranked(tired):
            found = state.candidates(index, rng)
            found.sort(key=lambda c: (-c[0] / c[1].cost, c[1].start, c[1].new))
            best = next((change for _, change in found if acceptable(state.draft, change)), None)
            if best is None:
                tired.add(index)
                continue
            state.make(best)
            made += 1
            if state.distance >= goal or made >= limit:
                break
        if made == before:
            idle += 1
            tired.clear()
    return state


@dataclass(frozen=True, eq=False)
class Found:
    """What A* found, and how many nodes it expanded and created."""

    state: State
    cost: float
    reached: bool
    expanded: int
    created: int


def a_star(author: Author, draft: Draft, goal: float, rng: np.random.Generator, nodes: int) -> Found:
    """Best-first search over drafts by g + h, h = remaining distance · cost per distance gained so far.

    After ``nodes`` expansions the draft nearest to the goal is returned; when more than 40,000 nodes are open the
    best ten are kept and the closed ones forgotten.
    """
    root = State.of(author, draft)
    best, best_cost = root, 0.0
    # (f, order, parent, change, g): a child is built only when it is expanded.
    open_: list[tuple[float, int, State, Change | None, float]] = [(0.0, 0, root, None, 0.0)]
    closed: set[str] = set()
    created = expanded = 0
    while open_ and expanded < nodes:
        _, _, parent, change, cost = heapq.heappop(open_)
        state = parent
        if change is not None:
            state = parent.copy()
            state.make(change)
        if state.draft.text in closed:
            continue
        closed.add(state.draft.text)
        expanded += 1
        if state.distance > best.distance:
            best, best_cost = state, cost
        if state.distance >= goal:
            return Found(state, cost, True, expanded, created)
        for index in state.ranked(set()):
            for won, step in state.candidates(index, rng):
                if not acceptable(state.draft, step):
                    continue
                created += 1
                g = cost + step.cost
                jsd = state.distance**2 / 2 + won
                distance = math.sqrt(2 * max(0.0, jsd))
                h = max(0.0, goal - distance) * g / max(1e-6, distance - root.distance)
                heapq.heappush(open_, (g + h, created, state, step, g))
        if len(open_) > _OPEN_LIMIT:
            open_ = heapq.nsmallest(_OPEN_KEPT, open_)
            closed.clear()
    return Found(best, best_cost, best.distance >= goal, expanded, created)
