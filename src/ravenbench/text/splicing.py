"""Cuts texts into pieces, so that the content words of one can be put in the place of another's (ours).

In: ``Splicer``: a ``TextTable``, how many frequent words may stay, author and topic codes (n,) or None (−1 = unknown),
a ``Detected`` segmenter or None; ``cut``: a row number; ``splice``: pairs of a ``Cut`` and the ``Cut``s of the texts
that give words, and which of ``REPLACEMENTS``.
Out: ``cut`` a ``Cut`` (numbers of pieces and words, counts of content words by length in letters up to ``LONGEST``);
``splice`` new texts as UTF-8 bytes; ``topics_named`` two shares of texts, 0 to 1, or two None;
``case_of`` LOWER, CAPITAL or UPPER (0 to 2). ValueError if a text needs content words and its donors have none.

A text is a sequence of pieces: words (``text.segmenters`` finds them) and the pieces between them. A word with a digit
does not count as a word here. Of the others some frequent ones stay (``text.content_words`` says which), the rest are
*content words*; of one with an ending only the stem moves. A word in a new place takes the case of the previous word
there: lowercase, capitalised or upper case; for mixed case only the first letter counts.

Every replacement keeps something else constant. *Fitted* gives each place a word with the length and case of the
previous word; words with digits stay. *Free* gives the donor's words in the donor's order, of any length, in the case
that the donor writes them in, and words with digits by the donor's; sentences still open with a capital where they did.
*Names-only* replaces only content words that have a capital inside a sentence or are part of an address, and words with
digits, by the same kind of words of the donor. *Natural* gives each word one of its own part of speech and inflection,
as a tagger finds them. Both keep the case of the place.

Every distinct text is cut once and kept as piece numbers; new texts are then put together by a kernel, many at a
time.
"""

from __future__ import annotations

import copy
from array import array
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ravenbench.randomness import stream
from ravenbench.text import content_words as content
from ravenbench.text.segmenters import Detected, Segmenter, detect, is_word
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Int32s, Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_array


REPLACEMENTS = FITTED, FREE, NAMES, NATURAL = "fitted", "free", "names-only", "natural"
BOTH = {FITTED: "", FREE: "free_"}
"""The kinds of replacement that decide verdicts, and the prefix of names of their texts."""
LOWER, CAPITAL, UPPER = range(3)
ENDS, DIGITS, APART, ADDRESS = 1, 2, 4, 8
"""Kinds of pieces: between words and at the end of a sentence; a word with digits; a blank; a sign of an address."""
SENTENCE_ENDS = frozenset(".!?…:\n。！？")


def case_of(word: str) -> int:
    """Return LOWER, CAPITAL or UPPER; a single letter is never UPPER; mixed case counts by its first letter."""
    if len(word) > 1 and word.isupper():
        return UPPER
    return CAPITAL if word[:1].isupper() else LOWER


class Pieces(dict[str, int]):
    """The number of each piece; a new piece gets the next number. ``words`` are the numbers of lowercase words: a word
    with a digit is a piece but not a word."""

    def __init__(self, segmenter: Segmenter, table: TextTable) -> None:
        super().__init__()
        self.segmenter = segmenter
        self._table = table
        self.words: dict[str, int] = {}
        # Of each piece its word (−1: none), its case, its kind, where its stem begins and ends in UTF-8, and where it
        # ends; of each word three pieces by case, and characters of its stem.
        self._word = array("i")
        self._case = array("b")
        self._kind = array("b")
        self._ends = array("q", [0])
        self._data = bytearray()
        self._stem_begins = array("q")
        self._stem_ends = array("q")
        self._forms = array("i")
        self._size = array("i")
        self.texts: dict[int, Int32s] = {}
        self._room = MOST_PIECES

    def of(self, table: TextTable, row: int) -> Int32s:
        """The numbers of the pieces of a text, (p,). Those of this table are always the same, and kept in ``texts``, a
        new dict where there is no room; of another table's texts nothing is kept."""
        earlier = self.texts.get(row) if table is self._table else None
        if earlier is not None:
            return earlier
        pieces = np.array([self[piece] for piece in self.segmenter.pieces(table[row])], np.int32)
        if table is self._table:
            if len(pieces) > self._room:
                self.texts = {}
                self._room = MOST_PIECES
            self.texts[row] = pieces
            self._room -= len(pieces)
        return pieces

    def word_of(self, pieces: Int32s) -> Int32s:
        """Return the numbers of these pieces' words, −1 for pieces that are not words."""
        words: Int32s = np.frombuffer(self._word, np.int32)[pieces]
        return words

    def sizes(self, words: Int32s) -> Int32s:
        """Return the number of characters of these words' stems, same shape."""
        sizes: Int32s = np.frombuffer(self._size, np.int32)[words]
        return sizes

    def cases(self, pieces: Int32s) -> NDArray[np.int8]:
        """Return the case of each of these pieces."""
        cases: NDArray[np.int8] = np.frombuffer(self._case, np.int8)[pieces]
        return cases

    def are(self, kind: int, pieces: Int32s) -> Bools:
        """Return which of these pieces are of a kind."""
        kinds: Bools = (np.frombuffer(self._kind, np.int8)[pieces] & kind) > 0
        return kinds

    def forms(self, words: Int32s, cases: NDArray[np.int8]) -> Int32s:
        """Return the pieces that are these words in these cases."""
        forms: Int32s = np.frombuffer(self._forms, np.int32).reshape(-1, 3)[words, cases]
        return forms

    def texts_of(self, pieces: Int32s, new: Int32s, bounds: Ints) -> list[bytes]:
        """Return texts in UTF-8, from each bound to the next: for each of ``pieces`` the part before its stem, the stem
        of the piece in its place in ``new``, and the part after it."""
        from ravenbench.text.splicing_kernel import spliced  # numba takes a while

        piece_bounds = (
            np.frombuffer(bounds_buffer, np.int64)
            for bounds_buffer in (self._ends, self._stem_begins, self._stem_ends)
        )
        stops = np.zeros(len(bounds), np.int64)
        data = spliced(
            pieces, new, bounds, np.frombuffer(self._data, np.uint8), *piece_bounds, stops
        )
        return [data[stops[i] : stops[i + 1]].tobytes() for i in range(len(bounds) - 1)]

    def __missing__(self, piece: str) -> int:
        if not is_word(piece):
            number = self._add(piece, -1, LOWER, "")
            if any(map(str.isdigit, piece)):
                self._kind[number] = DIGITS
            else:
                self._kind[number] = (
                    ENDS * (not SENTENCE_ENDS.isdisjoint(piece))
                    + APART * any(map(str.isspace, piece))
                    + ADDRESS * ("@" in piece or "://" in piece)
                )
            return number
        lower = self.segmenter.lower(piece)
        number = self._add(piece, -1, case_of(piece), lower)
        self._word[number] = self._lowercase(lower)
        return number

    def _lowercase(self, lower: str) -> int:
        """The number of a lowercase word, with pieces for its three forms."""
        word = self.words.get(lower)
        if word is None:
            word = self.words[lower] = len(self.words)
            begin, end, upper = *self.segmenter.stem(lower), self.segmenter.upper
            self._size.append(end - begin)
            for case, form in enumerate((lower, upper(lower[:1]) + lower[1:], upper(lower))):
                self._forms.append(
                    self[form] if form in self else self._add(form, word, case, lower)
                )
        return word

    def _add(self, piece: str, word: int, case: int, lower: str) -> int:
        number = self[piece] = len(self)
        self._word.append(word)
        self._case.append(case)
        self._kind.append(0)
        begin, end = self.segmenter.stem(lower)
        # A letter may be two in the other case: what stands after the stem is counted from the end.
        end += len(piece) - len(lower)
        data_start = len(self._data)
        self._stem_begins.append(data_start + len(piece[:begin].encode()))
        self._stem_ends.append(data_start + len(piece[: max(begin, end)].encode()))
        self._data += piece.encode()
        self._ends.append(len(self._data))
        return number


FUNCTION_WORDS = 200
"""Largest number of frequent words that may stay."""
SAMPLE = 20_000
"""Number of texts in which the most frequent words are counted; if there are more, a seeded sample."""
COUNTED = 5_000
"""Number of frequent words whose spread over topics is measured."""
MOST_PIECES = 60_000_000
"""Number of pieces in memory at a time (a quarter of a gigabyte)."""
LONGEST = 24
"""Number of letters from which words count as equally long."""


class Cut(NamedTuple):
    """A text: ``pieces`` (p,) numbers, ``words`` (c,) numbers of the lowercase forms of its content words, ``lengths``
    (LONGEST + 1,) how many of their stems have so many letters, ``functions`` how many words stay, ``row`` which text.
    """

    pieces: Int32s
    words: Int32s
    lengths: Ints
    functions: int
    row: int = -1

    @property
    def contents(self) -> int:
        """Number of content words."""
        return len(self.words)


class Splicer:
    """Cuts the texts of a table and puts content words of one in the place of another's.

    ``functions`` are the lowercase words that stay, and ``by`` says what decided it; ``segmenter`` finds the words,
    ``segmented`` says why it was chosen, and ``refusal`` why it cannot; ``ranked`` are the most frequent words, the
    most frequent first, and ``spread`` how unevenly each spreads over topics, or over texts where these are unknown
    (``text.content_words``).

    Parameters
    ----------
    texts : TextTable
    function_words : int
        Most frequent words of the corpus, cases folded, that may stay where they are; equals in the order of code
        points.
    author, topic : (texts,) int64, optional
        Codes, −1 unknown: with both, words that depend on topic do not stay, however frequent.
    detected : Detected, optional
        The segmenter; by default the texts decide.
    tagger : component of the kind ``tagger``, optional
        Without it nothing is replaced naturally. Its ``tags`` gives for texts and their ``language`` (a code of ISO
        639, "" or None) of each where its words begin, in characters, and what each is.
    """

    _cuts: dict[int, Cut]
    _cut_from: dict[int, Int32s]

    def __init__(
        self,
        texts: TextTable,
        function_words: int = FUNCTION_WORDS,
        author: Ints | None = None,
        topic: Ints | None = None,
        detected: Detected | None = None,
        tagger: Any = None,
        language: str | None = None,
    ) -> None:
        self.texts = texts
        self.tagger = tagger
        self.language = language
        self._tags: dict[str, int] = {}
        self._tags_of: dict[int, Int32s] = {}
        self.segmenter, self.segmented, self.refusal = detected or detect(texts)
        self._pieces = Pieces(self.segmenter, texts)
        rows = np.arange(len(texts))
        if len(rows) > SAMPLE:
            rows = np.sort(stream(0, "splicing-sample").choice(len(rows), SAMPLE, replace=False))
        self._sample = rows
        self._author = author
        self._topic = topic
        counts, sizes = self._count()
        self.spread = content.spread_over_texts(counts, sizes)
        most_uneven = content.EVEN_OVER_TEXTS
        by = content.BY_TEXTS
        if author is not None and topic is not None:
            over_topics = content.spread_over_topics(counts, sizes, author[rows], topic[rows])
            if np.isfinite(over_topics).any():
                self.spread = over_topics
                most_uneven = content.EVEN
                by = content.BY_TOPICS
        self._even: Bools = self.spread <= most_uneven
        self.by = f"{by} and {content.BY_LIST}" if content.closed_class(self.ranked) else by
        self._keep(function_words)

    def keeping(self, function_words: int) -> Splicer:
        """Return a splicer of the same cut texts with another number of words that may stay."""
        splicer = copy.copy(self)
        splicer._keep(function_words)
        return splicer

    def topics_named(self, staying: bool) -> float | None:
        """Return the proportion of texts whose topic a classifier names from the words that stay, and from all frequent
        words, for authors outside its training. None if authors or topics are unknown."""
        if self._author is None or self._topic is None:
            return None
        counts = self._counts
        if staying:
            counts = counts[:, [word in self.functions for word in self.ranked]]
        return content.named_topics(counts, self._author[self._sample], self._topic[self._sample])

    def cut(self, row: int) -> Cut:
        """The pieces of one text, made once."""
        pieces = self._pieces.of(self.texts, row)
        if self._cut_from is not self._pieces.texts:
            self._cut_from = self._pieces.texts
            self._cuts = {}
        cut = self._cuts.get(row)
        if cut is None:
            words = self.content(self.texts, row)
            lengths = np.bincount(
                np.minimum(self._pieces.sizes(words), LONGEST), minlength=LONGEST + 1
            )
            functions = len(self.words(self.texts, row)) - len(words)
            cut = self._cuts[row] = Cut(pieces, words, lengths, functions, row)
        return cut

    def splice(
        self, pairs: Sequence[tuple[Cut, Sequence[Cut]]], replacement: str = FITTED
    ) -> list[bytes]:
        """For each pair the first text with content words of the second, its donors, in UTF-8.

        *Fitted*: every place gets a word of the donors of its own length, in their order, while there is one; the
        places that are left get, in order, the nearest in length of the words that are left. Otherwise places get the
        donors' words in the donors' order, and digits become zeros where donors have none. *Free*: a word that opens a
        sentence of the donor gets the case that it has inside of sentences, and one that opens a sentence of the new
        text a capital. *Names-only*: where donors have no names, names stay. *Natural*: where donors have no word of a
        kind, words of any kind are taken. Where no more words are left, all are given again. ValueError if a donor has
        no content word and one is needed.
        """
        pieces, bounds = _flat([recipient.pieces for recipient, _ in pairs])
        moves = self._moving(pieces)
        replaced_words, begins = _flat([recipient.words for recipient, _ in pairs])
        words, ends = _flat([cut.words for _, donors in pairs for cut in donors])
        starts = ends[np.cumsum([0, *(len(donors) for _, donors in pairs)])]
        if ((np.diff(begins) > 0) & (np.diff(starts) == 0)).any():
            raise ValueError("the donors have no content words")
        new = pieces.copy()
        if replacement == FITTED:
            from ravenbench.text.splicing_kernel import fitted  # numba takes a while

            sizes = self._pieces.sizes
            fitting = fitted(sizes(replaced_words), begins, words, sizes(words), starts, LONGEST)
            new[moves] = self._pieces.forms(fitting, self._pieces.cases(pieces[moves]))
        else:
            self._put(pairs, replacement, new, bounds, moves)
        return self._pieces.texts_of(pieces, new, bounds)

    def _put(
        self,
        pairs: Sequence[tuple[Cut, Sequence[Cut]]],
        replacement: str,
        new: Int32s,
        bounds: Ints,
        moves: Bools,
    ) -> None:
        """Put donors' words and numbers into the ``new`` pieces, those that are words where they ``move``."""
        donors = [cut for _, cuts in pairs for cut in cuts]
        given, donor_bounds = _flat([cut.pieces for cut in donors])
        owner = np.repeat(np.arange(len(pairs)), np.diff(bounds))
        giver_of = np.repeat(np.arange(len(pairs)), [len(cuts) for _, cuts in pairs])
        giver = np.repeat(giver_of, np.diff(donor_bounds))
        gives = self._moving(given)
        digits, given_digits = (self._pieces.are(DIGITS, part) for part in (new, given))
        groups = [(owner, giver)]
        if replacement == NAMES:
            moves = moves & self._named(new, bounds)
            gives &= self._named(given, donor_bounds)
        elif replacement == NATURAL:
            tags, given_tags = self._tagged([into for into, _ in pairs]), self._tagged(donors)
            kinds = len(self._tags)
            groups.append((owner * kinds + tags, giver * kinds + given_tags))
        numbers = _in_order(groups, digits, given_digits)
        new[digits] = np.append(given, self._pieces["0"])[numbers]
        source = _in_order(groups, moves, gives)
        moves[moves] = source >= 0
        source = source[source >= 0]
        cases = self._pieces.cases(new[moves])
        if replacement == FREE:
            words = self._pieces.word_of(given[source])
            cases = self._pieces.cases(given[source]).copy()
            inside = self._opens(given, donor_bounds)[source] & (cases == CAPITAL)
            cases[inside] = self._usual_case[np.minimum(words[inside], len(self._usual_case) - 1)]
            cases[self._opens(new, bounds)[moves] & (cases == LOWER)] = CAPITAL
        new[moves] = self._pieces.forms(self._pieces.word_of(given[source]), cases)

    def _named(self, pieces: Int32s, bounds: Ints) -> Bools:
        """Which of these pieces have a capital inside of a sentence, or stand in an address."""
        address = np.cumsum(self._pieces.are(APART, pieces))
        signs = np.bincount(address, self._pieces.are(ADDRESS, pieces))
        capital: Bools = (self._pieces.cases(pieces) != LOWER) & ~self._opens(pieces, bounds)
        return capital | (signs[address] > 0)

    def _tagged(self, cuts: Sequence[Cut]) -> Int32s:
        """Numbers of what the pieces of these texts are by part of speech and inflection, one text after another."""
        missing = sorted({cut.row for cut in cuts} - self._tags_of.keys())
        texts = [self.texts[row] for row in missing]
        tagged = self.tagger.tags(texts, self.language)
        for row, text, tags in zip(missing, texts, tagged, strict=True):
            begins = np.cumsum([0, *map(len, self.segmenter.pieces(text))])[:-1]
            last = np.searchsorted([begin for begin, _ in tags], begins, "right") - 1
            self._tags_of[row] = np.array(
                [self._tags.setdefault(tags[at][1], len(self._tags)) for at in last], np.int32
            )
        return _flat([self._tags_of[cut.row] for cut in cuts])[0]

    def _opens(self, pieces: Int32s, bounds: Ints) -> Bools:
        """Which of these pieces stand first in their text, or after one that ends a sentence."""
        opens: Bools = np.zeros(len(pieces), dtype=np.bool_)
        opens[1:] = self._pieces.are(ENDS, pieces[:-1])
        starts = bounds[:-1]
        opens[starts[starts < len(pieces)]] = True
        return opens

    @cached_property
    def _usual_case(self) -> NDArray[np.int8]:
        """The case, LOWER or CAPITAL, that each word has mostly where it opens no sentence of the texts counted."""
        flat, bounds = _flat([self._pieces.of(self.texts, row) for row in self._sample.tolist()])
        words = self._pieces.word_of(flat)
        counted = (words >= 0) & ~self._opens(flat, bounds)
        size = len(self._pieces.words) + 1
        every = np.bincount(words[counted], minlength=size)
        capitals = np.bincount(
            words[counted & (self._pieces.cases(flat) == CAPITAL)], minlength=size
        )
        return np.where(2 * capitals > every, CAPITAL, LOWER).astype(np.int8)

    def words(self, table: TextTable, row: int) -> Int32s:
        """Return the numbers of the words of a text, in order."""
        words = self._pieces.word_of(self._pieces.of(table, row))
        return words[words >= 0]

    def left(self, table: TextTable, row: int) -> Int32s:
        """Return what a replacement leaves of a text, in order: numbers of the pieces that stay, and below 0 the length
        and case of each content word."""
        pieces = self._pieces.of(table, row)
        moves = self._moving(pieces)
        words = self._pieces.word_of(pieces[moves])
        left = pieces.copy()
        left[moves] = -1 - 3 * self._pieces.sizes(words) - self._pieces.cases(pieces[moves])
        return left

    def content(self, table: TextTable, row: int) -> Int32s:
        """Return the numbers of the content words of a text, in order."""
        pieces = self._pieces.of(table, row)
        return self._pieces.word_of(pieces[self._moving(pieces)])

    def _moving(self, pieces: Int32s) -> Bools:
        """Which of these pieces are words that do not stay, as those do not that were met after the count."""
        words = self._pieces.word_of(pieces)
        return (words >= 0) & ~self._stays[np.minimum(words, len(self._stays) - 1)]

    def named(self, first: int) -> list[str]:
        """Return the lowercase words with this number or a higher one."""
        return list(islice(self._pieces.words, first, None))

    def content_counts(self, rows: Iterable[int]) -> tuple[Ints, Int32s, int]:
        """Return content words of some texts: bounds (n + 1,), word numbers in order of the texts, and their number."""
        flat, bounds = _flat([self.cut(row).words for row in rows])
        return bounds, flat, len(self._pieces.words)

    def _keep(self, function_words: int) -> None:
        self.functions = content.keep(self.ranked, self._even, function_words)
        self._stays: Bools = np.zeros(len(self._pieces.words) + 1, dtype=np.bool_)
        self._stays[[self._pieces.words[word] for word in self.functions]] = True
        self._cuts = {}
        self._cut_from = self._pieces.texts

    def _count(self) -> tuple[csr_array, Floats]:
        """Rank the words of the sample; counts of the most frequent in its texts, (n, ranked), and all words of each,
        (n,)."""
        from scipy.sparse import csr_array

        flat, bounds = _flat([self.words(self.texts, row) for row in self._sample.tolist()])
        words = self._pieces.words
        shape = len(self._sample), len(words)
        counts = csr_array((np.ones(len(flat)), flat, bounds), shape=shape)
        total = counts.sum(axis=0).tolist()
        self.ranked = sorted(words, key=lambda word: (-total[words[word]], word))[:COUNTED]
        self._counts = counts[:, [words[word] for word in self.ranked]]
        self._counts.sum_duplicates()
        return self._counts, np.diff(bounds).astype(np.float64)


def _in_order(groups: Sequence[tuple[Any, Any]], places: Bools, gives: Bools) -> Ints:
    """For each of the ``places`` the piece that it gets: of those that give within its group in their order, all again
    where no more are left; by the last of the ``groups``, of places and of what gives, that has any, −1 where none has.
    """
    pieces = np.full(int(places.sum()), -1, dtype=np.int64)
    giving = np.flatnonzero(gives)
    if not len(giving):
        return pieces
    for group, given_group in groups:
        wanted = group[places]
        order = np.argsort(wanted, kind="stable")
        number = np.empty(len(wanted), dtype=np.int64)
        number[order] = np.arange(len(order)) - np.searchsorted(wanted[order], wanted[order])
        there = given_group[giving]
        giving_order = np.argsort(there, kind="stable")
        begin, end = (
            np.searchsorted(there[giving_order], wanted, side) for side in ("left", "right")
        )
        place = begin + number % np.maximum(end - begin, 1)
        by_group = giving[giving_order[np.minimum(place, len(giving) - 1)]]
        pieces = np.where(end > begin, by_group, pieces)
    return pieces


def _flat(arrays: Sequence[Int32s]) -> tuple[Int32s, Ints]:
    """Arrays one after the other, and where each begins and the last ends."""
    bounds = np.zeros(len(arrays) + 1, np.int64)
    np.cumsum([len(part) for part in arrays], out=bounds[1:])
    return np.concatenate([np.empty(0, np.int32), *arrays]), bounds
