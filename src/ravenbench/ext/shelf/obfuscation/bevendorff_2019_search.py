"""Searches edits that move a text away from its author's trigrams (Bevendorff et al. 2019), by greedy or A* search.

In: for ``greedy`` and ``a_star`` an ``Author`` (byte trigrams of the known texts, shares 0 to 1), an ``EditedText``, a
goal (a distance, 0 to √2), a random generator, maximum edits or nodes (counts). For ``changes`` and
``readable_changes`` an ``EditedText`` and a half-open span in characters, and whether WordNet and the model are installed.
Out: ``greedy`` gives a ``SearchState``: the edited text (``draft``) and its distance √(2 · divergence in bits), higher
= less alike; ``a_star`` a ``SearchResult`` with such a state and its cost (sum over edits, 2 to 40 each). ``changes``
and ``readable_changes`` give edits, ``acceptable`` bool. ``term``, ``divergence`` and ``gain`` are in bits;
``plain_bytes``, ``codes``, ``author_profile``, ``count_in`` and ``add_window`` make and count trigrams. MissingPart
without lemminflect.
"""

from __future__ import annotations

import heapq
import math
import re
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numba import njit

from ravenbench.obfuscation.guards import (
    Stretches,
    akin,
    is_english,
    opposite,
    relatives,
    same_form,
)
from ravenbench.obfuscation.parts import pack
from ravenbench.obfuscation.wording.resources import language_model, word_set
from ravenbench.obfuscation.wording.words import brown, match_case, related, usual_sense
from ravenbench.reading.pan_obfuscation import Part
from ravenbench.text.language_model import find
from ravenbench.types import Floats, Ints

_TABLE = str.maketrans(
    {
        "‘": "'",
        "’": "'",
        "‚": "'",
        "“": '"',
        "”": '"',
        "„": '"',
        "«": '"',
        "»": '"',
        "–": "-",
        "—": "-",
        "−": "-",
    }
    | {"…": "...", "\n": " ", "\r": " ", "\t": " "}
)


def plain_bytes(text: str) -> bytes:
    """Return UTF-8 with plain quotes, dashes and ellipses, and a space for every line break."""
    # What is plain already, as most single words are, needs no table.
    return (text if text.isascii() and text.isprintable() else text.translate(_TABLE)).encode()


def codes(data: bytes) -> Ints:
    """Return the trigram at each byte, as an integer below 2²⁴."""
    b = np.frombuffer(data, dtype=np.uint8).astype(np.int64)
    return (b[:-2] << 16) | (b[1:-1] << 8) | b[2:]


def author_profile(known: bytes) -> tuple[Ints, Floats]:
    """Return the author's trigrams ascending (int) and their shares (0 to 1), of the same shape."""
    keys, counts = np.unique(codes(known), return_counts=True)
    return keys, counts / max(1, counts.sum())


def count_in(keys: Ints, data: bytes) -> Ints:
    """Return how often each of the author's trigrams (``keys``) occurs, (len(keys),) int."""
    codes_here = codes(data)
    place = np.searchsorted(keys, codes_here)
    hit = (place < len(keys)) & (keys[np.minimum(place, len(keys) - 1)] == codes_here)
    return np.bincount(place[hit], minlength=len(keys)).astype(np.int64)


@njit(cache=True)
def term(p, q):  # type: ignore[no-untyped-def]
    """Return one trigram's share of the divergence, in bits."""
    middle = 0.5 * (p + q)
    total = 0.0
    if p > 0:
        total += p * np.log2(p / middle)
    if q > 0:
        total += q * np.log2(q / middle)
    return 0.5 * total


@njit(cache=True)
def divergence(shares, counts, n):  # type: ignore[no-untyped-def]
    """Return the Jensen–Shannon divergence in bits, and Σ q·log2(q/m), which shows how it decreases as n grows."""
    total = 0.0
    own = 0.0
    seen = 0
    for i in range(len(shares)):
        q = counts[i] / n
        seen += counts[i]
        total += term(shares[i], q)
        if q > 0:
            own += q * np.log2(2 * q / (shares[i] + q))
    rest = (n - seen) / n
    return total + 0.5 * rest, own + rest


@njit(cache=True)
def add_window(keys, counts, window, sign):  # type: ignore[no-untyped-def]
    """Add the trigrams of a few bytes to the counts, or subtract them."""
    for i in range(len(window) - 2):
        at = _place(keys, window, i)
        if at >= 0:
            counts[at] += sign


@njit(cache=True)
def gain(keys, shares, counts, n, own, old, new):  # type: ignore[no-untyped-def]
    """Return the change of the divergence, in bits, if the bytes ``old`` become ``new`` (both with two bytes of context on
    each side).

    Exact for edits that keep the length; the effect of another n on all other trigrams is a first-order
    approximation, d/dn = −own/(2n).
    """
    total = 0.0
    for window, sign in ((old, -1), (new, 1)):
        for i in range(len(window) - 2):
            at = _place(keys, window, i)
            if at >= 0:
                before = term(shares[at], counts[at] / n)
                counts[at] += sign
                total += term(shares[at], counts[at] / n) - before
            else:
                total += 0.5 * sign / n
    for window, sign in ((old, 1), (new, -1)):
        add_window(keys, counts, window, sign)
    return total - 0.5 * own / n * (len(new) - len(old))


@njit(cache=True)
def _place(keys, window, i):  # type: ignore[no-untyped-def]
    code = (np.int64(window[i]) << 16) | (np.int64(window[i + 1]) << 8) | np.int64(window[i + 2])
    return find(keys, code)


_PLAIN = str.maketrans(dict.fromkeys("‘’‚“”„«»–—−", "-"))


@dataclass(frozen=True)
class LetterChange:
    """A change: characters ``[start, end)`` of a draft are replaced by ``new``."""

    start: int
    end: int
    new: str
    operation: str
    cost: float


@dataclass(frozen=True, eq=False)
class EditedText:
    """``text`` with ``data``, its plain bytes, and ``origin``, the original place of each character
    (never decreasing); ``log`` has the original place and name of each edit; ``guarded`` is what to leave
    unchanged in the original, None if nothing.
    """

    text: str
    data: bytes
    origin: Ints
    log: tuple[tuple[int, str], ...] = ()
    guarded: Stretches | None = None

    @classmethod
    def of(cls, text: str, guarded: Stretches | None = None) -> EditedText:
        """Return a draft without edits."""
        return cls(text, plain_bytes(text), np.arange(len(text), dtype=np.int64), guarded=guarded)

    def may_touch(self, start: int, end: int) -> bool:
        """Return whether characters ``[start, end)`` may be changed."""
        if self.guarded is None or not len(self.origin):
            return True
        last = len(self.origin) - 1
        return not self.guarded.touch(
            int(self.origin[min(start, last)]), int(self.origin[min(max(start, end - 1), last)]) + 1
        )

    def occurrences(self, gram: bytes) -> list[int]:
        """Return the first bytes of a trigram's occurrences, including overlapping ones."""
        places = []
        place = self.data.find(gram)
        while place >= 0:
            places.append(place)
            place = self.data.find(gram, place + 1)
        return places

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the characters that bytes ``[start, end)`` belong to."""
        if len(self.data) == len(self.text):
            return start, end
        starts = self._starts()
        return int(np.searchsorted(starts, start, "right")) - 1, int(
            np.searchsorted(starts, end, "left")
        )

    def windows(self, change: LetterChange) -> tuple[bytes, bytes]:
        """Return the bytes of a change with two bytes of context on each side, before and after."""
        low = change.start
        high = change.end
        if len(self.data) != len(self.text):
            starts = np.append(self._starts(), len(self.data))
            low = int(starts[low])
            high = int(starts[high])
        left = self.data[max(0, low - 2) : low]
        right = self.data[high : high + 2]
        return left + self.data[low:high] + right, left + plain_bytes(change.new) + right

    def apply(self, change: LetterChange) -> EditedText:
        """Return the draft with this change."""
        low = change.start
        high = change.end
        here = int(self.origin[min(low, len(self.origin) - 1)]) if len(self.origin) else 0
        middle = np.full(len(change.new), here, dtype=np.int64)
        text = self.text[:low] + change.new + self.text[high:]
        origin = np.concatenate([self.origin[:low], middle, self.origin[high:]])
        return replace(
            self,
            text=text,
            data=plain_bytes(text),
            origin=origin,
            log=(*self.log, (here, change.operation)),
        )

    def parts(self, original: str) -> tuple[Part, ...]:
        """Return parts of the original with their rewriting."""
        spans = pack(original)
        ends = np.array([end for _, end in spans], dtype=np.int64)
        cuts = [0, *np.searchsorted(self.origin, ends, "left").tolist()]
        names: list[list[str]] = [[] for _ in spans]
        for place, name in self.log:
            names[min(int(np.searchsorted(ends, place, "right")), len(spans) - 1)].append(name)
        return tuple(
            Part(start, end, original[start:end], self.text[low:high], tuple(done))
            for (start, end), low, high, done in zip(spans, cuts[:-1], cuts[1:], names, strict=True)
        )

    def _starts(self) -> Ints:
        """The place of each character's first byte."""
        code = np.frombuffer(self.text.translate(_PLAIN).encode("utf-32-le"), dtype=np.uint32)
        size = 1 + (code >= 0x80) + (code >= 0x800) + (code >= 0x10000)
        return np.concatenate([[0], np.cumsum(size)[:-1]]).astype(np.int64)


TRIGRAM = 40.0
FLIP = 30.0
SYNONYM = 10.0
HYPERNYM = 6.0
REPLACEMENT = 4.0
DELETION = 2.0
PUNCTUATION = 3.0
SUCCESSORS = 6
"""Maximum number of results of one operator at one place."""
_SWAPS = {
    ",": (";", ""),
    ";": (",", "."),
    ":": (",", ";"),
    ".": ("!", ";"),
    "!": (".",),
    "?": ("!",),
    "-": (" ",),
}
_READABLE_SWAPS = {",": ("",), ";": (",",), ":": (",",), "!": (".",)}
_ARTICLES = (
    " the ",
    " my ",
    " his ",
    " her ",
    " its ",
    " our ",
    " their ",
    " your ",
    " this ",
    " that ",
)
_NEEDED = word_set("needed adverbs")
"""Adverbs without which a sentence says something else."""
_TOKEN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
_CONTEXT = 40
_LEAST_CHANGE = -0.5
"""log10 by which the context may become less likely through a checked replacement."""


def changes(
    draft: EditedText, start: int, end: int, words: bool, model: bool
) -> list[LetterChange]:
    """Return every operator's edits at characters ``[start, end)``.

    ``words`` and ``model`` say whether WordNet and the language model are installed.
    """
    if draft.guarded is not None:
        return readable_changes(draft, start, end, words, model)
    text = draft.text
    edits = [LetterChange(start, end, "", "delete trigram", TRIGRAM)]
    pair = text[start : start + 2]
    if len(pair) == 2 and pair[0] != pair[1] and pair.isalpha():
        edits.append(LetterChange(start, start + 2, pair[1] + pair[0], "flip", FLIP))
    for place in range(start, min(end, len(text))):
        edits += [
            LetterChange(place, place + 1, new, "punctuation", PUNCTUATION)
            for new in _SWAPS.get(text[place], ())
        ]
    for low, high in _words_at(text, start, end):
        word = text[low:high]
        sisters, parents = related(word.lower()) if words else ((), ())
        for names, operation, cost in (
            (sisters, "synonym", SYNONYM),
            (parents, "hypernym", HYPERNYM),
            (sisters + parents if model else (), "replacement", REPLACEMENT),
        ):
            edits += [
                LetterChange(low, high, match_case(word, name), operation, cost)
                for name in names[:SUCCESSORS]
            ]
        if model:
            tail = high + (text[high : high + 1] == " ")
            edits.append(LetterChange(low, tail, "", "delete word", DELETION))
    return edits


def acceptable(draft: EditedText, change: LetterChange) -> bool:
    """Return True if the context stays about as likely under the language model (for the two checked operators)."""
    if change.operation not in ("replacement", "delete word"):
        return True
    text = draft.text
    left = tuple(_TOKEN.findall(text[max(0, change.start - _CONTEXT) : change.start])[-3:])
    right = tuple(_TOKEN.findall(text[change.end : change.end + _CONTEXT])[:3])
    old = tuple(_TOKEN.findall(text[change.start : change.end]))
    new = tuple(_TOKEN.findall(change.new))
    if change.operation == "delete word":
        # Fewer words are always more likely: compare the rate.
        before, after = (_likelihood(left, middle, right) for middle in (old, new))
        return after / max(1, len(right)) >= before / (len(old) + len(right))
    return _likelihood(left, new, right) >= _likelihood(left, old, right) + _LEAST_CHANGE


@lru_cache(1 << 16)
def _likelihood(left: tuple[str, ...], middle: tuple[str, ...], right: tuple[str, ...]) -> float:
    """log10 probability of the middle and what follows, given what stands before."""
    model = language_model()
    ids = model.ids(brown([*left, *middle, *right]))[:-1]
    return float(model.log10_ids(ids)[len(left) :].sum())


def readable_changes(
    draft: EditedText, start: int, end: int, words: bool, model: bool
) -> list[LetterChange]:
    """Return the operators' edits at ``[start, end)`` that keep the text readable; arguments as in ``changes``.

    Letters are removed or exchanged only if this gives another word; a mark is replaced by another mark that is possible
    there; words are replaced by synonyms and hypernyms in an existing form, and only adverbs and attributes are deleted.
    """
    text = draft.text
    edits = [
        LetterChange(place, place + 1, new, "punctuation", PUNCTUATION)
        for place in range(start, min(end, len(text)))
        if text[place + 1 : place + 2] == " "
        and text[place - 1 : place].isalnum()
        and draft.may_touch(place, place + 1)
        for new in _READABLE_SWAPS.get(text[place], ())
    ]
    for low, high in _words_at(text, start, end):
        word = text[low:high]
        if (
            not draft.may_touch(low, high)
            or text[low - 1 : low] in ("'", "’", "-")
            or text[high : high + 1] in ("'", "’", "-")
        ):
            continue
        if low <= start and end <= high:
            for new, operation, cost in _respelt(text, low, high, start, end):
                edits.append(LetterChange(low, high, new, operation, cost))
        sense = usual_sense(word.lower()) if words else None
        if sense is None:
            continue
        pos = "a" if sense.pos() == "s" else sense.pos()
        sisters, parents = (
            [form for lemma in lemmas if (form := same_form(word.lower(), lemma, pos)) is not None]
            for lemmas in relatives(word.lower(), pos)
        )
        for names, operation, cost in (
            (sisters, "synonym", SYNONYM),
            (parents, "hypernym", HYPERNYM),
            (sisters + parents if model else [], "replacement", REPLACEMENT),
        ):
            edits += [
                LetterChange(low, high, match_case(word, name), operation, cost)
                for name in names[:SUCCESSORS]
            ]
        before = text[max(0, low - 8) : low].lower()
        loose = pos == "r" and word.lower() not in _NEEDED
        if (
            model
            and text[high : high + 1] == " "
            and (loose or (pos == "a" and before.endswith(_ARTICLES)))
        ):
            edits.append(LetterChange(low, high + 1, "", "delete word", DELETION))
    return edits


def _respelt(text: str, low: int, high: int, start: int, end: int) -> list[tuple[str, str, float]]:
    word = text[low:high]
    flipped = (
        text[low:start]
        + text[start + 1 : start + 2]
        + text[start : start + 1]
        + text[start + 2 : high]
    )
    options = [
        (text[low:start] + text[end:high], "delete trigram", TRIGRAM),
        (flipped, "flip", FLIP),
    ]
    return [
        (new, operation, cost)
        for new, operation, cost in options
        if len(new) > 2
        and word.islower()
        and new != word
        and is_english(new)
        and not akin(word, new)
        and not opposite(word, new)
    ]


def _words_at(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Whole words of letters that overlap ``[start, end)``, shorter than forty letters."""
    low = max(0, start - 40)
    high = min(len(text), end + 40)
    matches = re.finditer(r"[^\W\d_]+", text[low:high])
    spans = [(low + m.start(), low + m.end()) for m in matches]
    return [
        (a, b)
        for a, b in spans
        if a < end and start < b and a > low - (low == 0) and b < high + (high == len(text))
    ]


TRIGRAMS = 10
OCCURRENCES = 2
_OPEN_LIMIT = 40_000
_OPEN_KEPT = 10
_LEAST_GAIN = 1e-9
_IDLE_ROUNDS = 3


@dataclass(frozen=True, eq=False)
class Author:
    """The profile to move away from, and which resources the operators have."""

    keys: Ints
    shares: Floats
    words: bool
    model: bool

    @classmethod
    def of(cls, known: str, words: bool, model: bool) -> Author:
        """Return the profile of concatenated known texts of at least three bytes."""
        return cls(*author_profile(plain_bytes(known)), words, model)


@dataclass(eq=False)
class SearchState:
    """A draft with its counts of the author's trigrams, number of trigrams and distance."""

    author: Author
    draft: EditedText
    counts: Ints
    n: int
    distance: float = 0.0
    own: float = 0.0

    @classmethod
    def of(cls, author: Author, draft: EditedText) -> SearchState:
        """Return the state of a draft of at least three bytes."""
        state = cls(author, draft, count_in(author.keys, draft.data), max(1, len(draft.data) - 2))
        state.measure()
        return state

    def measure(self) -> None:
        """Update the distance from the counts."""
        jsd, self.own = divergence(self.author.shares, self.counts, self.n)
        self.distance = math.sqrt(2 * max(0.0, jsd))

    def gain(self, old: bytes, new: bytes) -> float:
        """Return the change of the divergence by an edit, in bits."""
        before = np.frombuffer(old, np.uint8)
        after = np.frombuffer(new, np.uint8)
        return float(
            gain(self.author.keys, self.author.shares, self.counts, self.n, self.own, before, after)
        )

    def make(self, change: LetterChange) -> None:
        """Apply an edit in place."""
        old, new = self.draft.windows(change)
        add_window(self.author.keys, self.counts, np.frombuffer(old, np.uint8), -1)
        add_window(self.author.keys, self.counts, np.frombuffer(new, np.uint8), 1)
        self.draft = self.draft.apply(change)
        self.n = max(1, len(self.draft.data) - 2)
        self.measure()

    def copy(self) -> SearchState:
        """Return a copy that can be edited separately."""
        return SearchState(
            self.author, self.draft, self.counts.copy(), self.n, self.distance, self.own
        )

    def ranked(self, tired: set[int]) -> list[int]:
        """Return the indices of the shared trigrams with count ≥ 2 and P ≥ Q, largest P/Q first."""
        usable = (self.counts >= 2) & (self.author.shares * self.n >= self.counts)
        if tired:
            usable[list(tired)] = False
        index = np.flatnonzero(usable)
        ratio = self.author.shares[index] / self.counts[index]
        return [int(i) for i in index[np.argsort(-ratio, kind="stable")[:TRIGRAMS]]]

    def candidates(self, index: int, rng: np.random.Generator) -> list[tuple[float, LetterChange]]:
        """Return edits at two random occurrences of a trigram that raise the divergence and do not restore the trigram."""
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


def greedy(
    author: Author, draft: EditedText, goal: float, rng: np.random.Generator, limit: int
) -> SearchState:
    """Search round by round: at each of the ten ranked trigrams, make the edit with the largest gain for its cost.

    The search ends at the goal, after ``limit`` edits, or when no edit helps.
    """
    state = SearchState.of(author, draft)
    tired: set[int] = set()
    idle = edits_made = 0
    while state.distance < goal and edits_made < limit and idle < _IDLE_ROUNDS:
        before = edits_made
        for index in state.ranked(tired):
            edits = state.candidates(index, rng)
            edits.sort(key=lambda c: (-c[0] / c[1].cost, c[1].start, c[1].new))
            best = next((change for _, change in edits if acceptable(state.draft, change)), None)
            if best is None:
                tired.add(index)
                continue
            state.make(best)
            edits_made += 1
            if state.distance >= goal or edits_made >= limit:
                break
        if edits_made == before:
            idle += 1
            tired.clear()
    return state


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The result of A*, and how many nodes it expanded and created."""

    state: SearchState
    cost: float
    reached: bool
    expanded: int
    created: int


def a_star(
    author: Author, draft: EditedText, goal: float, rng: np.random.Generator, nodes: int
) -> SearchResult:
    """Search drafts best-first by g + h, h = remaining distance · cost per distance gained so far.

    After ``nodes`` expansions, the draft nearest to the goal is returned; if more than 40,000 nodes are open, the
    best ten are kept and the closed nodes forgotten.
    """
    root = SearchState.of(author, draft)
    best = root
    best_cost = 0.0
    # (f, order, parent, change, g): a child is built only when it is expanded.
    open_: list[tuple[float, int, SearchState, LetterChange | None, float]] = [
        (0.0, 0, root, None, 0.0)
    ]
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
            best = state
            best_cost = cost
        if state.distance >= goal:
            return SearchResult(state, cost, True, expanded, created)
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
    return SearchResult(best, best_cost, best.distance >= goal, expanded, created)
