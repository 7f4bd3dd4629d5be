"""Ten verifiers that cannot see content, each built in another way: does the verdict leave them in peace?

``raven run newsgroups --samplers random --probe transplant --pools 1 --seed 21 --verifiers "LIST"`` with the list that
``python -m benchmarks.honest_builds`` prints, run where this repository's root is the current folder.

What each reads is fixed here and is no word that carries content: closed classes of English from a list of their own,
marks, and the order in which these stand. None took part in fixing a threshold of the verdict. Scores are higher for
the same author.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from typing import Self

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB
from sklearn.neighbors import KernelDensity
from sklearn.preprocessing import StandardScaler

from ravenbench import FoldFree, Scorer
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Ints, Problems


def listed(words: str) -> list[str]:
    """Words that stand with blanks between them."""
    return words.split()


PRONOUNS = listed(
    "i me my mine you your yours he him his she her hers it its we us our ours they them their theirs this that these "
    "those who whom whose which what"
)
LINKS = listed(
    "of in to for with on at from by about as into through after over between out against during without before under "
    "around among and or but nor so yet if because although though while unless since until when where than"
)
OTHERS = listed(
    "the a an be am is are was were been being have has had do does did will would can could may might must shall "
    "should not no there here very just also only then now too all any some each every both either neither"
)
CLOSED = frozenset(PRONOUNS + LINKS + OTHERS)
MARKS = ".,;:!?'\"()-"
TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|[^\sa-z0-9]")
SENTENCE = re.compile(r"[.!?]+")


def frame(text: str) -> list[str]:
    """The text's closed-class words and marks in their order, with "_" for any other word."""
    tokens = TOKEN.findall(text.lower())
    return [token if token in CLOSED or not token[0].isalpha() else "_" for token in tokens]


def rates(text: str, words: list[str]) -> Floats:
    """How often each of ``words`` stands among 1,000 tokens."""
    tokens = frame(text)
    counts = Counter(tokens)
    return np.array([1000 * counts[word] / max(1, len(tokens)) for word in words], dtype=np.float64)


def cosine(a: Floats, b: Floats) -> float:
    """Cosine of two vectors; 0 where one is empty."""
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / size if size else 0.0


class Pairs(FoldFree):
    """A score of two texts that learns nothing."""

    def pair_features(self, texts: TextTable, known: Ints, questioned: Ints) -> Floats:
        made = {row: self.read(texts[row]) for row in {*known.tolist(), *questioned.tolist()}}
        pairs = zip(known.tolist(), questioned.tolist(), strict=True)
        return np.array([self.compare(made[a], made[b]) for a, b in pairs], dtype=np.float64)

    def read(self, text: str) -> Floats:
        """What is taken from a text, (d,)."""
        raise NotImplementedError

    def compare(self, a: Floats, b: Floats) -> float:
        """The score of two texts."""
        return cosine(a, b)


class MarkRates(Pairs):
    """Square roots of the rates of eleven marks, by their cosine."""

    def read(self, text: str) -> Floats:
        return np.asarray(np.sqrt(rates(text, list(MARKS))))


class Pronouns(Pairs):
    """Shares of pronouns and determiners among these, by the overlap of the two distributions."""

    def read(self, text: str) -> Floats:
        counts = rates(text, PRONOUNS)
        return np.asarray(counts / max(1e-9, counts.sum()))

    def compare(self, a: Floats, b: Floats) -> float:
        return float(np.minimum(a, b).sum())


class SentenceLengths(Pairs):
    """Nine deciles of the words in a sentence, by minus their mean distance in logarithms."""

    def read(self, text: str) -> Floats:
        lengths = [len(part.split()) for part in SENTENCE.split(text) if part.split()] or [1]
        return np.asarray(np.log(np.quantile(lengths, np.arange(0.1, 1, 0.1))))

    def compare(self, a: Floats, b: Floats) -> float:
        return -float(np.abs(a - b).mean())


class FrameCompression(Pairs):
    """Minus the distance by compression of the two frames."""

    def pair_features(self, texts: TextTable, known: Ints, questioned: Ints) -> Floats:
        frames = {
            row: " ".join(frame(texts[row])).encode()
            for row in {*known.tolist(), *questioned.tolist()}
        }
        alone = {row: len(zlib.compress(data, 9)) for row, data in frames.items()}

        def distance(a: int, b: int) -> float:
            joined = len(zlib.compress(frames[a] + b"\n" + frames[b], 9)) + len(
                zlib.compress(frames[b] + b"\n" + frames[a], 9)
            )
            return (joined / 2 - min(alone[a], alone[b])) / max(alone[a], alone[b])

        return np.array(
            [-distance(a, b) for a, b in zip(known.tolist(), questioned.tolist(), strict=True)]
        )


class Learned(Scorer):
    """A score of vectors that are learned from the training texts; known texts are joined."""

    supervised = True

    def sides(self, problems: Problems) -> tuple[list[str], list[str]]:
        """The joined known texts and the questioned text of every problem."""
        texts = problems.texts
        known = ["\n".join(texts[row] for row in problems.known(i)) for i in range(len(problems))]
        return known, [texts[row] for row in problems.questioned_index]

    def differences(self, problems: Problems) -> Floats:
        """|known − questioned| of the closed-class words' and marks' rates, (n, d)."""
        words = [*sorted(CLOSED), *MARKS]
        known, questioned = self.sides(problems)
        return np.abs(
            [rates(a, words) - rates(b, words) for a, b in zip(known, questioned, strict=True)]
        )


class LinksDelta(Learned):
    """Minus Burrows's Delta of prepositions and conjunctions."""

    supervised = False

    def fit(self, problems: Problems, same: Bools) -> Self:
        table = [rates(problems.texts[row], LINKS) for row in problems.documents]
        self.scale_ = np.std(table, axis=0) + 1e-9
        return self

    def score(self, problems: Problems) -> Floats:
        pairs = zip(*self.sides(problems), strict=True)
        return np.array(
            [-(np.abs(rates(a, LINKS) - rates(b, LINKS)) / self.scale_).mean() for a, b in pairs]
        )


class FrameTrigrams(Learned):
    """Cosine of tf-idf vectors of one to three neighbours in the frame."""

    supervised = False

    def fit(self, problems: Problems, same: Bools) -> Self:
        frames = [" ".join(frame(problems.texts[row])) for row in problems.documents]
        self.vectors_ = TfidfVectorizer(
            tokenizer=str.split,
            token_pattern=None,
            lowercase=False,
            ngram_range=(1, 3),
            min_df=5,
            sublinear_tf=True,
        ).fit(frames)
        return self

    def score(self, problems: Problems) -> Floats:
        known, questioned = (
            self.vectors_.transform([" ".join(frame(text)) for text in side])
            for side in self.sides(problems)
        )
        return np.asarray(known.multiply(questioned).sum(axis=1), dtype=np.float64).ravel()


class FrameCharacters(Learned):
    """Logistic regression of differences of character n-grams of the frame."""

    def fit(self, problems: Problems, same: Bools) -> Self:
        frames = [" ".join(frame(problems.texts[row])) for row in problems.documents]
        self.vectors_ = TfidfVectorizer(analyzer="char", ngram_range=(3, 5), max_features=2000).fit(
            frames
        )
        self.model_ = LogisticRegression(C=1, max_iter=1000).fit(self.apart(problems), same)
        return self

    def apart(self, problems: Problems) -> Floats:
        """|known − questioned| of the vectors, (n, d)."""
        known, questioned = (
            self.vectors_.transform([" ".join(frame(text)) for text in side])
            for side in self.sides(problems)
        )
        return np.asarray(abs(known - questioned).todense())

    def score(self, problems: Problems) -> Floats:
        return np.asarray(self.model_.decision_function(self.apart(problems)), dtype=np.float64)


class Forest(Learned):
    """A random forest of differences of rates."""

    def fit(self, problems: Problems, same: Bools) -> Self:
        self.model_ = RandomForestClassifier(200, min_samples_leaf=5, random_state=0).fit(
            self.differences(problems), same
        )
        return self

    def score(self, problems: Problems) -> Floats:
        return np.asarray(
            self.model_.predict_proba(self.differences(problems))[:, 1], dtype=np.float64
        )


class Presence(Learned):
    """Naive Bayes of which closed-class words and marks stand in one text and not in the other."""

    def fit(self, problems: Problems, same: Bools) -> Self:
        self.model_ = BernoulliNB().fit(self.only_one(problems), same)
        return self

    def only_one(self, problems: Problems) -> Bools:
        """What stands in exactly one side, (n, d)."""
        words = [*sorted(CLOSED), *MARKS]
        pairs = zip(*self.sides(problems), strict=True)
        return np.array([(rates(a, words) > 0) != (rates(b, words) > 0) for a, b in pairs])

    def score(self, problems: Problems) -> Floats:
        chances = self.model_.predict_log_proba(self.only_one(problems))
        return np.asarray(chances[:, 1] - chances[:, 0], dtype=np.float64)


class Densities(Learned):
    """Log ratio of two kernel densities of five distances: by pronouns, links, other closed words, marks, lengths."""

    def distances(self, problems: Problems) -> Floats:
        """Five distances of the two sides of every problem, (n, 5)."""
        groups = [PRONOUNS, LINKS, OTHERS, list(MARKS)]
        lengths = SentenceLengths()
        return np.array(
            [
                [
                    *(1 - cosine(rates(a, words), rates(b, words)) for words in groups),
                    -lengths.compare(lengths.read(a), lengths.read(b)),
                ]
                for a, b in zip(*self.sides(problems), strict=True)
            ]
        )

    def fit(self, problems: Problems, same: Bools) -> Self:
        apart = self.distances(problems)
        self.scale_ = StandardScaler().fit(apart)
        apart = self.scale_.transform(apart)
        self.same_ = KernelDensity(bandwidth=0.5).fit(apart[same])
        self.other_ = KernelDensity(bandwidth=0.5).fit(apart[~same])
        return self

    def score(self, problems: Problems) -> Floats:
        apart = self.scale_.transform(self.distances(problems))
        return np.asarray(
            self.same_.score_samples(apart) - self.other_.score_samples(apart), dtype=np.float64
        )


BUILDS = (
    MarkRates,
    Pronouns,
    SentenceLengths,
    FrameCompression,
    LinksDelta,
    FrameTrigrams,
    FrameCharacters,
    Forest,
    Presence,
    Densities,
)

if __name__ == "__main__":
    print(", ".join(f"benchmarks.honest_builds:{build.__name__}" for build in BUILDS))
