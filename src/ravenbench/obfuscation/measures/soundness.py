"""Soundness: whether a rewriting still says what the original said.

Similarity says how close the wording is, not whether the meaning held; the preservation measures look where meaning is
lost without much change of wording. Never rely on a single similarity.

References
----------
Potthast et al. 2016, section 3.3; Papineni et al. 2002 (BLEU); Popović 2015 (chrF); Snover et al. 2006 (TER);
Banerjee & Lavie 2005 (METEOR); Chen & Dolan 2011 (PINC).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ravenbench.errors import install
from ravenbench.formats.pan_obfuscation import Part
from ravenbench.obfuscation.guards import antonyms
from ravenbench.obfuscation.parts import PART_WORDS, sentences
from ravenbench.obfuscation.wording import resources
from ravenbench.text.alignment import align_sentences, changed, edits, match, pieces, plain_words, runs
from ravenbench.text.nltk_data import missing
from ravenbench.text.tokens import tokens

_LONG = 2 * PART_WORDS

Pairs = Sequence[tuple[str, str]]
Similarity = Callable[[Pairs], Sequence[float]]
"""Pairs of texts → cosine of their embeddings, each."""


class MeaningModel(NamedTuple):
    """A kind of model of meaning, as a package registers it in ``ravenbench.meaning``.

    ``folder`` takes a model by name or folder and says where its files lie; nothing is loaded, and it raises
    MissingPart, FormatError or InputError where the model cannot be used. ``load`` gives a ``Similarity`` (registered
    as ``encoder``).
    """

    folder: Callable[[str], Path]
    load: Callable[[str], Any]


def aligned_parts(parts: Sequence[Part]) -> list[tuple[str, str]]:
    """Pairs (original, rewriting) that tile both texts: a rewriting's parts, long ones cut by aligned sentences.

    A stretch without a counterpart joins its neighbour, so that only an empty text gives an empty side.
    """
    pairs: list[tuple[str, str]] = []
    for part in parts:
        long = len(plain_words(part.original)) > _LONG
        pairs += aligned_texts(part.original, part.obfuscation) if long else [(part.original, part.obfuscation)]
    return _joined(pairs)


def aligned_texts(original: str, rewritten: str) -> list[tuple[str, str]]:
    """Pairs of aligned sentences that tile both texts; one side may be empty."""
    a = [original[x:y] for x, y in sentences(original)]
    b = [rewritten[x:y] for x, y in sentences(rewritten)]
    beads = align_sentences(a, b)
    return [("".join(a[x.a_start : x.a_stop]), "".join(b[x.b_start : x.b_stop])) for x in beads]


def _joined(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    joined: list[tuple[str, str]] = []
    for a, b in pairs:
        if joined and (not a.strip() or not b.strip() or not joined[-1][0].strip() or not joined[-1][1].strip()):
            joined[-1] = (joined[-1][0] + a, joined[-1][1] + b)
        else:
            joined.append((a, b))
    return joined


def efficiency(parts: Sequence[Part]) -> dict[str, float | None]:
    """``changes_per_1000`` words of the original, and the share of both texts' words that an edit touched.

    A maximal run of inserted, deleted and substituted words is one change; changes of white space and punctuation
    alone are none. None for a text without words.
    """
    count = touched = before = after = 0
    for original, rewritten in aligned_parts(parts):
        a, b = plain_words(original), plain_words(rewritten)
        here, words = changed(a, b)
        count, touched, before, after = count + here, touched + words, before + len(a), after + len(b)
    return {
        "changes_per_1000": 1000 * count / before if before else None,
        "edited_share": touched / (before + after) if before + after else None,
    }


_TOKEN = re.compile(r"\d[\d.,]*\d|\d|[^\W\d_]+(?:['’][^\W\d_]+)*")
_NAME = re.compile(r"(?<=[a-z,;:’'\-]\s)[A-Z][a-z]+\b")
_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: i for i, word in enumerate(_UNITS.split())}
_SMALL |= {word: 10 * i for i, word in enumerate(_TENS.split(), start=2)}
_LARGE = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_NEGATING = "not no never none nobody nothing nowhere neither nor cannot without non hardly scarcely barely"
_NEGATIVE = frozenset(_NEGATING.split())


class Preserved(NamedTuple):
    """How many of something were kept, and how many there could have been."""

    preserved: int
    total: int

    def __add__(self, other: object) -> Preserved:
        if not isinstance(other, Preserved):
            return NotImplemented
        return Preserved(self.preserved + other.preserved, self.total + other.total)

    @property
    def share(self) -> float | None:
        """The share that was kept; None where there was nothing to keep."""
        return self.preserved / self.total if self.total else None


def numbers(original: str, rewritten: str) -> Preserved:
    """Numbers on both sides, as digits or words, of all that stand on either: 3 and "three" are one number."""
    before, after = number_values(original), number_values(rewritten)
    return Preserved((before & after).total(), (before | after).total())


def names_kept(original: str, rewritten: str) -> Preserved:
    """Capitalised words inside the original's sentences that the rewriting holds too, in whatever case."""
    wanted = Counter(name.casefold() for name in _NAME.findall(original))
    there = Counter(word.casefold() for word in re.findall(r"[^\W\d_]+", rewritten))
    return Preserved(sum(min(count, there[name]) for name, count in wanted.items()), wanted.total())


def negations(original: str, rewritten: str) -> Preserved:
    """Negating words on both sides of all that stand on either; "don't" and "do not" hold one each."""
    a, b = _negations(original), _negations(rewritten)
    return Preserved(min(a, b), max(a, b))


def words_lost(original: str, rewritten: str) -> float | None:
    """Content words of the original that the rewriting lacks, in 100 words; None for a text without words.

    Contractions and British spellings count as what they stand for. A good synonym counts as a bad one does: of the
    measures at hand it agrees best with a reader (``benchmarks/soundness_grades.py``), who rejects most replaced words.
    """
    size = len(plain_words(original))
    return 100 * content_lost(original, rewritten) / size if size else None


def content_lost(original: str, rewritten: str) -> int:
    """How many content words of the original the rewriting lacks."""
    return (Counter(_plain_forms(original)) - Counter(_plain_forms(rewritten))).total()


def _plain_forms(text: str) -> list[str]:
    """Content words in lower case and American spelling."""
    spelling, functions = resources.load("british_american"), _function_words()
    words = (word.casefold().replace("’", "'").removesuffix("'s") for word in plain_words(text))
    return [spelling.get(word, word) for word in words if word not in functions and "'" not in word]


@cache
def _function_words() -> frozenset[str]:
    return frozenset((files("ravenbench.text") / "closed_class" / "en.txt").read_text("utf-8").split())


def antonym_substitutions(original: str, rewritten: str) -> int:
    """Words of the original that gave way to a WordNet antonym in the same place.

    MissingPart if WordNet is not here.
    """
    if original == rewritten:
        return 0
    a, b = pieces(original), pieces(rewritten)
    count = 0
    for run in runs(a, b):
        if run.kind == "edit":
            gone = Counter(_words(a[run.a_start : run.a_stop]))
            come = Counter(_words(b[run.b_start : run.b_stop]))
            come, gone = come - gone, gone - come
            count += sum(any(opposite in come for opposite in antonyms(word)) for word in gone.elements())
    return count


def number_values(text: str) -> Counter[str]:
    """Numbers of a text by value; "twenty-one" is 21, "1,000" is 1000, what is no plain integer stays as written."""
    numbers: Counter[str] = Counter()
    total = current = 0
    last: int | None = None

    def close() -> None:
        nonlocal total, current, last
        if last is not None:
            numbers[str(total + current)] += 1
        total, current, last = 0, 0, None

    for token in _TOKEN.findall(text.casefold()):
        if token[0].isdigit():
            close()
            digits = re.sub(r",(?=\d{3}\b)", "", token)
            numbers[str(int(digits)) if digits.isdecimal() and len(digits) < 4000 else digits] += 1
        elif token in _SMALL:
            value = _SMALL[token]
            # "twenty one" goes on, "one two" begins anew.
            if last is not None and last < 100 and not (last >= 20 and value < 10):
                close()
            current += value
            last = value
        elif token == "hundred" and last is not None and last < 100:
            current, last = max(current, 1) * 100, 100
        elif token in _LARGE and last is not None:
            total, current, last = total + max(current, 1) * _LARGE[token], 0, _LARGE[token]
        elif token != "and" or last is None or last < 100:
            close()
    close()
    return numbers


def _negations(text: str) -> int:
    words = [word.casefold().replace("’", "'") for word in plain_words(text)]
    return sum(word in _NEGATIVE or word.endswith("n't") for word in words)


def _words(tokens: list[str]) -> list[str]:
    return [word for token in tokens if (word := token.strip().casefold()).isalpha()]


DIMENSIONS = 100
LEAST_TEXTS = 10
"""Fewer texts span too small a space for its cosines to say anything."""


class VectorSpace:
    """Document frequencies and latent dimensions of a set of texts.

    Attributes
    ----------
    no_lsa : str or None
        Why there are no latent dimensions.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._words: Any = None
        self._latent: Any = None
        self.no_lsa: str | None = f"a latent space needs at least {LEAST_TEXTS} texts with words"
        try:
            self._words = TfidfVectorizer(sublinear_tf=True).fit(texts) if texts else None
        except ValueError:
            # No text holds a word.
            return
        spoken = sorted({text for text in texts if any(c.isalnum() for c in text)})
        if len(spoken) >= LEAST_TEXTS:
            matrix = self._words.transform(spoken)
            size = min(DIMENSIONS, len(spoken) - 1, matrix.shape[1] - 1)
            if size >= 2:
                self._latent = TruncatedSVD(size, random_state=0).fit(matrix)
                self.no_lsa = None

    def tfidf(self, original: str, rewritten: str) -> float | None:
        """Cosine of tf-idf vectors; None where the original has no word of the set."""
        if self._words is None:
            return None
        rows = self._words.transform([original, rewritten])
        return float((rows[[0]] @ rows[[1]].T).sum()) if rows[[0]].nnz else None

    def lsa(self, original: str, rewritten: str) -> float | None:
        """Cosine of latent vectors, −1 to 1; None where there is no latent space or the original lies outside it."""
        if self._latent is None:
            return None
        a, b = self._latent.transform(self._words.transform([original, rewritten]))
        size = float(a @ a)
        if size < 1e-18:
            return None
        norm = (size * float(b @ b)) ** 0.5
        return float(a @ b) / norm if norm > 1e-18 else 0.0


PER_PART = ("bleu", "chrf", "ter", "meteor", "pinc")
"""Means over aligned parts; each has a 10th percentile of the worst parts beside it, as ``NAME_p10``."""
ENCODER = ("encoder", "sts")
FEWER_IS_SOUNDER = frozenset({"ter", "pinc", "antonyms", "words_lost"})

SURVIVAL: Mapping[str, tuple[float, float]] = {
    "words_lost": (0.0, 1.0),
    "meteor": (0.60, 1.0),
    "tfidf": (0.70, 1.0),
    "length_ratio": (0.70, 1.40),
    "numbers": (0.80, 1.0),
    "names": (0.80, 1.0),
    "negations": (0.80, 1.0),
    "antonyms": (0.0, 2.0),
}
"""Ranges within which a text's meaning is taken to have survived: a stated convention, not a judgement of meaning.
Of sentences that lost no content word two readers called 51 of 61 correct, of others 11 of 58: where more than one in
a hundred is lost, several sentences of a text are wrong. A measure that was not made is left out."""


SHIFTS_BELOW = 35.0
"""Edit rate up to which TER looks for shifted phrases; above, where the search takes seconds and shifts hardly
matter, it is the edit rate without shifts."""
WITHIN_BEAM = 11
"""Most edits whose alignment keeps within the 25 words beside the diagonal that TER's search looks at."""


class Soundness:
    """Measures of rewritings of one set of documents.

    Parameters
    ----------
    originals : sequence of str
        Texts of the problem set: their document frequencies weigh the tf-idf cosine, and they span the LSA's.
    similarity : callable, optional
        Cosines of pairs of texts in a sentence encoder (the meaning model ``encoder``).

    Attributes
    ----------
    missing : dict of str to str
        Measures that are not made here, and why.
    """

    def __init__(self, originals: Sequence[str], similarity: Similarity | None = None) -> None:
        self.similarity = similarity
        self.missing: dict[str, str] = {}
        self._space = VectorSpace(originals)
        if self._space.no_lsa is not None:
            self.missing["lsa"] = self._space.no_lsa
        if not self._surface:
            self.missing |= dict.fromkeys(("bleu", "chrf", "ter"), f"sacrebleu: {install('obfuscation')}")
        if (reason := missing("wordnet")) is not None:
            self.missing |= dict.fromkeys(("meteor", "antonyms"), reason)
        if similarity is None:
            self.missing |= dict.fromkeys(ENCODER, "no sentence encoder was given")

    def measure(self, parts: Sequence[Part]) -> dict[str, float | None]:
        """Take every measure of one rewriting; None where it was not made or there is nothing to measure.

        ``words_lost`` is a number per 100 words, ``antonyms`` one per 1,000; ``bleu``, ``chrf`` and ``ter`` are
        percentages, all others shares or similarities from 0 to 1 (``lsa`` and ``encoder`` from −1), ``sts`` a grade
        from 0 to 5.
        """
        pairs = aligned_parts(parts)
        original = "".join(part.original for part in parts)
        rewritten = "".join(part.obfuscation for part in parts)
        each = [self._part(a, b) for a, b in pairs]
        measures: dict[str, float | None] = {}
        for name in PER_PART:
            values = [v for row in each if (v := row[name]) is not None]
            worst = 90 if name in FEWER_IS_SOUNDER else 10
            measures[name] = float(np.mean(values)) if values else None
            measures[f"{name}_p10"] = float(np.percentile(values, worst)) if values else None
        size = len(plain_words(original))
        measures["tfidf"] = self._space.tfidf(original, rewritten)
        measures["lsa"] = self._space.lsa(original, rewritten)
        measures["words_lost"] = words_lost(original, rewritten)
        measures["length_ratio"] = len(plain_words(rewritten)) / size if size else None
        for name, count in (("numbers", numbers), ("names", names_kept), ("negations", negations)):
            preserved = sum((count(a, b) for a, b in pairs), Preserved(0, 0))
            measures[name] = preserved.share
        measures["antonyms"] = None
        if "antonyms" not in self.missing and size:
            measures["antonyms"] = 1000 * sum(antonym_substitutions(a, b) for a, b in pairs) / size
        return measures | self._neural(pairs)

    def _part(self, original: str, rewritten: str) -> dict[str, float | None]:
        values: dict[str, float | None] = dict.fromkeys(PER_PART)
        if not original.strip():
            return values
        values["pinc"] = pinc(original, rewritten)
        for name, metric in self._surface.items():
            rate = _edit_rate(original, rewritten) if name == "ter" else None
            score = metric.sentence_score(rewritten.strip(), [original.strip()]).score if rate is None else rate
            values[name] = float(score)
        if "meteor" not in self.missing:
            values["meteor"] = meteor(original, rewritten)
        return values

    @cached_property
    def _surface(self) -> dict[str, Any]:
        try:
            from sacrebleu.metrics import BLEU, CHRF, TER
        except ModuleNotFoundError:
            return {}
        return {"bleu": BLEU(effective_order=True), "chrf": CHRF(), "ter": TER(case_sensitive=True)}

    def _neural(self, pairs: Sequence[tuple[str, str]]) -> dict[str, float | None]:
        values: dict[str, float | None] = dict.fromkeys(ENCODER)
        spoken = [(a, b) for a, b in pairs if a.strip() and b.strip()]
        if not spoken:
            return values
        if self.similarity is not None:
            cosines = np.asarray(self.similarity(spoken), dtype=np.float64)
            values["encoder"] = float(cosines.mean())
            values["sts"] = float(5 * np.maximum(0.0, cosines).mean())
        return values


def survives(measures: Mapping[str, float | None]) -> bool:
    """Whether a text's meaning survived as ``SURVIVAL`` has it; measures that were not made do not count."""
    return all(
        low - 1e-9 <= value <= high + 1e-9
        for name, (low, high) in SURVIVAL.items()
        if (value := measures.get(name)) is not None
    )


def _edit_rate(original: str, rewritten: str) -> float | None:
    """TER where shifted phrases are not looked for; None where one may lower it.

    They are not above ``SHIFTS_BELOW``, where it is the edit rate from a longest common subsequence, nor where no order
    of the words has fewer than one edit less: a shift counts as one. Within ``WITHIN_BEAM`` edits are the least ones in
    TER's narrower search too.
    """
    a, b = original.split(), rewritten.split()
    size, count = max(len(a), len(b)), edits(a, b)
    if 100 * count / len(a) > SHIFTS_BELOW:
        rate = 100 * (size - len(match(a, b, str))) / len(a)
        if rate > SHIFTS_BELOW:
            return rate
    in_any_order = size - (Counter(a) & Counter(b)).total()
    return 100 * (count / len(a)) if count <= WITHIN_BEAM and count - in_any_order <= 1 else None


def pinc(original: str, rewritten: str, longest: int = 4) -> float | None:
    """Share of the rewriting's distinct n-grams that the original lacks, averaged over n = 1…4; None if it is empty."""
    a, b = tokens(original), tokens(rewritten)
    shares = []
    for n in range(1, longest + 1):
        new = {tuple(b[i : i + n]) for i in range(len(b) - n + 1)}
        if new:
            old = {tuple(a[i : i + n]) for i in range(len(a) - n + 1)}
            shares.append(1 - len(old & new) / len(new))
    return float(np.mean(shares)) if shares else None


def meteor(original: str, rewritten: str) -> float:
    """METEOR with the original as reference: exact, stemmed and WordNet matches, less a penalty for disorder.

    MissingPart if WordNet is not here.
    """
    from nltk.translate.meteor_score import single_meteor_score

    a, b = tokens(original), tokens(rewritten)
    return float(single_meteor_score(a, b, wordnet=_CachedSynsets.of())) if a and b else 0.0


class _CachedSynsets:
    """WordNet as METEOR asks it, each word looked up once."""

    _one: _CachedSynsets | None = None

    def __init__(self) -> None:
        self._wordnet = resources.wordnet()
        self._known: dict[str, Any] = {}

    @classmethod
    def of(cls) -> _CachedSynsets:
        if cls._one is None:
            cls._one = cls()
        return cls._one

    def synsets(self, word: str) -> Any:
        if word not in self._known:
            self._known[word] = self._wordnet.synsets(word)
        return self._known[word]
