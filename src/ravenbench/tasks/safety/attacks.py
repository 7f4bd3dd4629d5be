"""Plays de-obfuscation under Kerckhoffs' principle: the method is public, the original and the seed are secret.

In: a ``Fold`` of obfuscated problems, the obfuscator, seeds (int); for ``recovery`` truth and answers (n,) from 0 to
1.
Out: further folds to answer (``Played``); a ``Recovery`` for each verifier: recalls from 0 to 1, the share of lost
recall brought back (may be negative or exceed 1; None if little was lost); an ``InversionRecord`` and a
``PreimageRecord`` (counts of tokens and sentences, shares 0 to 1). InputError if the attacker's seeds are missing or
the secret one. ``invert`` and ``candidates`` give texts.

Three attackers are played against verifiers. *normalise* brings both sides of every problem to one plain form and
trains on that. *mirror* obfuscates its own copies: known texts with seeds of its own, and trains on obfuscated
problems. *invert* traces every word of a hidden text back. Among the sources of the word (``Channel``, learned by
running the obfuscator on the attacker's texts) it takes the best by log P(word | source) + language model + unigrams of
the known texts: the obfuscator turns it into the word, the sentence expects it, and the author is known to use it. An
attacker does not know the truth, so all decisions are at the calibrated 0.5, before and after.

*preimage* needs no verifier. If the obfuscator is deterministic, the attacker obfuscates every sentence that may have
been the original, and keeps those that give the hidden sentence. If one is left, it is certainly the original; among
several, the attacker guesses the likeliest.

References
----------
Potthast et al. 2016, section 6; Le et al. 2015, Attack on obfuscation; Le, Safavi-Naini & Galib 2015, Secure
obfuscation of authoring style (for each word consider all that could have become it).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log10
from typing import Self, cast

import numpy as np

from ravenbench.components import Component
from ravenbench.errors import InputError
from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, Rewriting
from ravenbench.obfuscation.parts import sentences
from ravenbench.obfuscation.wording.resources import language_model
from ravenbench.obfuscation.wording.words import brown, tokens
from ravenbench.problems.rewritten import requestion
from ravenbench.tasks.obfuscate.rewritings import Stored
from ravenbench.tasks.safety.record import InversionRecord, PreimageRecord
from ravenbench.text.alignment import match
from ravenbench.text.language_model import LanguageModel
from ravenbench.text.nltk_data import missing
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Fold, Problems, TextTransform
from ravenbench.verifiers.contract.base import fresh

ATTACKS = ("normalise", "mirror", "invert", "preimage")
UNSAFE = 0.5
"""If an attack recovers more than this proportion, the obfuscation is labelled unsafe."""
SMALLEST_LOSS = 0.05
"""Smallest loss of recall for which a recovered proportion is meaningful."""
LESSONS = 400
"""Most texts the attacker obfuscates to learn from."""
TEXTS = 10
"""Number of texts for the test: every candidate is obfuscated."""
CANDIDATES = 64
"""Most candidates tried for one sentence."""
PROBES = 3
"""Texts on which two seeds must agree for an obfuscator to be called deterministic."""
ATTACKER = (7919, 104729)
"""Seeds of the attackers' own rewritings."""
LONGEST = 3
"""Most words of an original phrase that one word may stand for."""
MOST = 20
"""Most sources kept of one word."""


@dataclass(frozen=True)
class Channel:
    """Words of rewritings → their originals (words joined by spaces) and P(word | original), 0 to 1.

    A known word is among its own sources if it was unchanged at least once.
    """

    sources: Mapping[str, Mapping[str, float]]

    @classmethod
    def learn(cls, pairs: Iterable[tuple[Sequence[str], Sequence[str]]]) -> Channel:
        """Learn from tokens of originals and their rewritings."""
        became: defaultdict[str, Counter[str]] = defaultdict(Counter)
        total: Counter[str] = Counter()
        for original, rewritten in pairs:
            total.update(original)
            for position, source in stood_for(original, rewritten):
                became[rewritten[position]][source] += 1
                if " " in source:
                    total[source] += 1
        learned = {}
        for word in sorted(became):
            shares = {source: min(1.0, n / total[source]) for source, n in became[word].items()}
            best = sorted(shares, key=lambda source: (-shares[source], source))[:MOST]
            learned[word] = {source: shares[source] for source in best}
        return cls(learned)

    def others(self, word: str) -> dict[str, float]:
        """Return the possible originals of a word except the word itself, with P(word | original), 0 to 1."""
        return {
            source: share for source, share in self.sources.get(word, {}).items() if source != word
        }

    def stays(self, word: str) -> float:
        """Return P(word | word), 0 to 1; an unknown word stays unchanged."""
        return self.sources.get(word, {word: 1.0}).get(word, 1e-3)


def stood_for(original: Sequence[str], rewritten: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Return the row of each word in ``rewritten``, and its words in ``original`` if they are known."""
    i = j = 0
    for original_end, rewritten_end in [
        *match(original, rewritten, lambda word: word),
        (len(original), len(rewritten)),
    ]:
        if original_end - i == rewritten_end - j:
            yield from ((j + k, original[i + k]) for k in range(original_end - i))
        elif rewritten_end - j == 1 and 0 < original_end - i <= LONGEST:
            yield j, " ".join(original[i:original_end])
        if original_end < len(original):
            yield rewritten_end, original[original_end]
        i = original_end + 1
        j = rewritten_end + 1


RewriteTexts = Callable[[Sequence[ObfuscationTask], int], Mapping[str, str]]
"""Tasks and a seed → new text by task id."""


@dataclass(frozen=True)
class Recovery:
    """What an attack brought back for one verifier.

    ``original``, ``obfuscated`` and ``attacked`` are the recall, 0 to 1, on these texts. ``recovery`` is the proportion
    of lost recall that returned (it may exceed 1 or be negative); None if the obfuscation took less than
    ``SMALLEST_LOSS``. ``false_accepts`` is the change of the rate at which different-author problems are accepted: an
    attack that accepts everything recovers nothing.
    """

    original: float
    obfuscated: float
    attacked: float
    recovery: float | None
    false_accepts: float | None


def recovery(same: Bools, original: Floats, obfuscated: Floats, attacked: Floats) -> Recovery:
    """Return the ``Recovery`` from answers (n,), 0 to 1, to the original, the obfuscated and the attacked test
    problems."""

    def rate(answers: Floats, chosen: Bools) -> float:
        return float((answers[chosen] > 0.5).mean())

    was, hidden, recovered = (rate(answers, same) for answers in (original, obfuscated, attacked))
    lost = was - hidden
    return Recovery(
        was,
        hidden,
        recovered,
        (recovered - hidden) / lost if lost >= SMALLEST_LOSS else None,
        rate(attacked, ~same) - rate(original, ~same) if (~same).any() else None,
    )


def unsafe(recoveries: Sequence[Recovery]) -> bool | None:
    """Return whether the mean recovery over verifiers exceeds ``UNSAFE``; None if no verifier lost enough."""
    shares = [recovery.recovery for recovery in recoveries if recovery.recovery is not None]
    return bool(np.mean(shares) > UNSAFE) if shares else None


class _Once:
    """A transform that changes each text once, for the test sets share most of theirs."""

    def __init__(self, transform: TextTransform) -> None:
        self._transform = transform
        self._changed = dict[str, str]()

    def fit(self, texts: Sequence[str]) -> Self:
        """Learn from texts."""
        self._transform.fit(texts)
        return self

    def transform(self, texts: Sequence[str]) -> list[str]:
        """The texts changed."""
        new = list(dict.fromkeys(text for text in texts if text not in self._changed))
        self._changed.update(zip(new, self._transform.transform(new), strict=True))
        return [self._changed[text] for text in texts]


def normalised(folds: Sequence[Fold], transform: Component) -> list[Fold]:
    """Return the same folds after a transform that is learned from their (common) training texts; names get the prefix
    ``n-``."""
    train = folds[0].train
    normaliser = _Once(cast("TextTransform", fresh(transform))).fit(
        train.texts.rows(train.documents)
    )
    plain = train.map_texts(normaliser)
    return [
        replace(
            fold,
            name=f"n-{fold.name}",
            train=plain,
            test=fold.test.map_texts(normaliser),
            labels={**fold.labels, "attack": "normalise"},
        )
        for fold in folds
    ]


def mirrored(fold: Fold, rewrite: RewriteTexts, seed: int, attacker: Sequence[int]) -> Fold:
    """Return a fold in which everything is obfuscated, the known texts once with each of the attacker's seeds.

    Questioned texts that were not obfuscated (different authors) are obfuscated with the secret seed too, so that an
    obfuscated text is not a sign of the same author. Raises InputError if the attacker has no seed, or one is the
    secret.
    """
    if not attacker or seed in attacker:
        raise InputError("the attacker needs other seeds than the secret one", found=list(attacker))
    train = _mirror(fold.train, rewrite, attacker)
    test = _mirror(hidden_everywhere(fold, rewrite, seed), rewrite, attacker, questioned=False)
    return replace(
        fold,
        name=f"m-{fold.name}",
        train=train,
        test=test,
        labels={**fold.labels, "attack": "mirror"},
    )


def hidden_everywhere(fold: Fold, rewrite: RewriteTexts, seed: int) -> Problems:
    """Return the test problems with different-author questioned texts also obfuscated, with the secret seed."""
    test = fold.test
    tasks = [
        task_of(test, int(test.questioned_index[i]), f"{test.ids[i]}", int(i))
        for i in np.flatnonzero(~fold.test_same)
    ]
    return requestion(test, rewrite(tasks, seed)) if tasks else test


def task_of(problems: Problems, row: int, name: str, i: int | None = None) -> ObfuscationTask:
    """Return a document as a task: without known texts, or with those of problem ``i``."""
    known = () if i is None else tuple(problems.texts.rows(problems.known(i)))
    return ObfuscationTask(name, problems.texts[row], known)


def _mirror(
    problems: Problems, rewrite: RewriteTexts, seeds: Sequence[int], questioned: bool = True
) -> Problems:
    """Known documents rewritten with each seed (k known become k · seeds), questioned ones with the first."""
    known = np.unique(problems.known_index)
    questioned_rows = np.unique(problems.questioned_index) if questioned else known[:0]
    texts = list(problems.texts)
    row_of: dict[tuple[int, int], int] = {}
    for number, seed in enumerate(seeds):
        rows = np.union1d(known, questioned_rows) if number == 0 else known
        tasks = [
            task_of(problems, int(row), f"mirror-{problems.texts.hash(row).hex()}") for row in rows
        ]
        rewritten = rewrite(tasks, seed)
        for row, task in zip(rows.tolist(), tasks, strict=True):
            row_of[row, number] = len(texts)
            texts.append(rewritten[task.id])
    table, rows = TextTable.collect(texts)
    seed_count = len(seeds)
    index = [rows[row_of[int(row), k]] for row in problems.known_index for k in range(seed_count)]
    old = problems.questioned_index
    return replace(
        problems.blind(),
        texts=table,
        known_ptr=problems.known_ptr * seed_count,
        known_index=np.array(index, dtype=np.int64),
        questioned_index=rows[[row_of[int(questioned), 0] for questioned in old]]
        if questioned
        else rows[old],
    )


@dataclass(frozen=True)
class Inversion:
    """A text as the attacker restored it, and the positions of the hidden text's changed tokens."""

    text: str
    restored: Mapping[int, str]


@dataclass(frozen=True)
class Restoration:
    """Counts of tokens: altered or lost by an obfuscation, changed by an attacker, and brought back by the attacker."""

    altered: int
    tried: int
    right: int

    def __add__(self, other: Restoration) -> Restoration:
        return Restoration(
            self.altered + other.altered, self.tried + other.tried, self.right + other.right
        )

    @property
    def precision(self) -> float | None:
        """Proportion (0 to 1) of correct changes by the attacker; None without changes."""
        return self.right / self.tried if self.tried else None

    @property
    def recall(self) -> float | None:
        """Proportion (0 to 1) of altered tokens brought back; None if nothing was altered."""
        return self.right / self.altered if self.altered else None


def invert(text: str, known: Sequence[str], channel: Channel) -> Inversion:
    """Replace words by their likeliest sources, from left to right within each sentence.

    Without Brown the sentence is not used.
    """
    model: LanguageModel | None = language_model() if missing("brown") is None else None
    author = Counter(token.text for known_text in known for token in tokens(known_text))
    size = author.total() + 1
    restored: dict[int, str] = {}
    pieces: list[str] = []
    changes = done = 0
    for start, end in sentences(text):
        parts = tokens(text, start, end)
        words = [token.text for token in parts]
        for position, token in enumerate(parts):
            best = log10(channel.stays(token.text))
            new = None
            for source, share in channel.others(token.text).items():
                score = (
                    log10(share)
                    + log10((author[source] + 0.5) / size)
                    - log10((author[token.text] + 0.5) / size)
                )
                if model is not None:
                    score += _gain(model, words, position, source)
                if score > best:
                    best = score
                    new = source
            if new is not None:
                restored[changes + position] = words[position] = new
                pieces += [text[done : token.start], new]
                done = token.end
        changes += len(parts)
    return Inversion("".join([*pieces, text[done:]]), restored)


def restoration(original: str, hidden: str, attacked: Inversion) -> Restoration:
    """Compare the attacker's changes with the original tokens."""
    original_words = [token.text for token in tokens(original)]
    hidden_words = [token.text for token in tokens(hidden)]
    truth = dict(stood_for(original_words, hidden_words))
    unchanged = sum(hidden_words[position] == source for position, source in truth.items())
    right = sum(truth.get(position) == new for position, new in attacked.restored.items())
    return Restoration(
        max(len(original_words), len(hidden_words)) - unchanged, len(attacked.restored), right
    )


def learn(problems: Problems, rewrite: RewriteTexts, seed: int) -> Channel:
    """Learn what the obfuscator does to known texts of training problems, with one of the attacker's seeds."""
    rows = np.unique(problems.known_index)[:LESSONS]
    tasks = [
        task_of(problems, int(row), f"mirror-{problems.texts.hash(row).hex()}") for row in rows
    ]
    rewritten = rewrite(tasks, seed)
    pairs = ((task.questioned, rewritten[task.id]) for task in tasks)
    return Channel.learn(
        ([token.text for token in tokens(original)], [token.text for token in tokens(rewritten)])
        for original, rewritten in pairs
    )


def inverted(fold: Fold, rewrite: RewriteTexts, seed: int, attacker: int, channel: Channel) -> Fold:
    """Return a fold whose questioned texts were all obfuscated and then inverted: training texts with the attacker's
    seed, test texts with the secret one. Known texts are unchanged."""
    train = [
        task_of(fold.train, int(questioned), f"invert-{fold.train.ids[i]}", i)
        for i, questioned in enumerate(fold.train.questioned_index)
    ]
    test = hidden_everywhere(fold, rewrite, seed)
    return replace(
        fold,
        name=f"i-{fold.name}",
        train=_inverted(requestion_by_row(fold.train, train, rewrite(train, attacker)), channel),
        test=_inverted(test, channel),
        labels={**fold.labels, "attack": "invert"},
    )


def requestion_by_row(
    problems: Problems, tasks: Sequence[ObfuscationTask], new_texts: Mapping[str, str]
) -> Problems:
    """Return the problems, in order of the tasks, with the texts found for them."""
    texts = {
        str(name): new_texts[task.id]
        for name, task in zip(problems.ids.tolist(), tasks, strict=True)
    }
    return requestion(problems, texts)


def _inverted(problems: Problems, channel: Channel) -> Problems:
    texts = {
        str(problems.ids[i]): (
            invert(
                problems.texts[problems.questioned_index[i]],
                problems.texts.rows(problems.known(i)),
                channel,
            ).text
        )
        for i in range(len(problems))
    }
    return requestion(problems, texts)


def _gain(model: LanguageModel, words: Sequence[str], position: int, source: str) -> float:
    """How much likelier the sentence is with other words at one place, from the words around it."""
    low = max(0, position - 3)
    high = min(len(words), position + 4)
    before = words[low:position]
    after = words[position + 1 : high]
    old = model.score(brown([*before, words[position], *after]))
    return model.score(brown([*before, *source.split(" "), *after])) - old


def is_deterministic(obfuscator: Obfuscator, tasks: Sequence[ObfuscationTask]) -> bool:
    """Return whether two seeds give the same bytes."""
    return all(
        obfuscator.obfuscate(task, 1).text == obfuscator.obfuscate(task, 2).text
        for task in tasks[:PROBES]
    )


def preimages(
    obfuscator: Obfuscator, done: Sequence[tuple[ObfuscationTask, Rewriting]], channel: Channel
) -> PreimageRecord:
    """Run the test on the first ``TEXTS`` rewritten texts; candidates differ from the hidden sentence in one word."""
    changed = covered = guessed = exact = 0
    for task, rewriting in done[:TEXTS]:
        for original, hidden in _sentences(rewriting):
            changed += 1
            if original is None or hidden is None:
                continue
            matches = [
                text
                for text in candidates(hidden, channel)
                if _becomes(obfuscator, task, text) == hidden
            ]
            covered += original in matches
            guessed += matches[:1] == [original]
            exact += matches == [original]
    share = guessed / changed if changed else None
    return PreimageRecord(
        changed=changed, covered=covered, guessed=guessed, exact=exact, share=share
    )


def candidates(hidden: str, channel: Channel) -> list[str]:
    """Return the sentence itself, and the sentence with one word replaced by a possible original; the likeliest
    first."""
    beam = {hidden: 1.0}
    for token in tokens(hidden):
        for source, share in channel.others(token.text).items():
            beam.setdefault(
                hidden[: token.start] + source + hidden[token.end :],
                share / channel.stays(token.text),
            )
    return sorted(beam, key=lambda text: (-beam[text], text))[:CANDIDATES]


def _becomes(obfuscator: Obfuscator, task: ObfuscationTask, text: str) -> str:
    return obfuscator.obfuscate(
        replace(task, questioned=text, known=task.known or (task.questioned,)), 0
    ).text


def _sentences(rewriting: Rewriting) -> list[tuple[str | None, str | None]]:
    """Changed sentences and what they became; None where a part's sentences do not correspond."""
    pairs: list[tuple[str | None, str | None]] = []
    for rewritten_part in rewriting.parts:
        original = [
            rewritten_part.original[start:end] for start, end in sentences(rewritten_part.original)
        ]
        rewritten = [
            rewritten_part.obfuscation[start:end]
            for start, end in sentences(rewritten_part.obfuscation)
        ]
        if len(original) == len(rewritten):
            pairs += [
                (before, after)
                for before, after in zip(original, rewritten, strict=True)
                if before != after
            ]
        elif rewritten_part.original != rewritten_part.obfuscation:
            pairs += [(None, None)] * len(original)
    return pairs


@dataclass
class Played:
    """Results of the attacks on one set of rewritings; ``not_played`` says by attack why it was left out."""

    folds: list[Fold] = field(default_factory=list)
    not_played: dict[str, str] = field(default_factory=dict)
    inversion: InversionRecord | None = None
    preimage: PreimageRecord | None = None


@dataclass(frozen=True)
class Attacks:
    """Plays *mirror*, *invert* and *preimage* against one obfuscator; ``made`` rewrites tasks with it and a seed."""

    names: Sequence[str]
    component: Obfuscator
    made: Callable[[Obfuscator, Sequence[ObfuscationTask], int], Mapping[str, str]]

    def play(
        self, seed: int, fold: Fold, tasks: Sequence[ObfuscationTask], done: Sequence[Stored]
    ) -> Played:
        """Attack the rewritings of one seed."""
        played = Played()
        if "mirror" in self.names:
            try:
                played.folds.append(
                    mirrored(
                        fold,
                        self._maker,
                        seed,
                        [other_seed for other_seed in ATTACKER if other_seed != seed],
                    )
                )
            except InputError as error:
                played.not_played["mirror"] = _on_one_line(error)
        if traced := [attack for attack in ("invert", "preimage") if attack in self.names]:
            self._trace(traced, seed, fold, tasks, done, played)
        return played

    def _trace(
        self,
        traced: Sequence[str],
        seed: int,
        fold: Fold,
        tasks: Sequence[ObfuscationTask],
        done: Sequence[Stored],
        played: Played,
    ) -> None:
        """Trace words back to what they stood for: the inverted fold, what was restored, which preimages were found."""
        by_id = {outcome.id: outcome.rewriting for outcome in done}
        pairs = [(task, r) for task in tasks if (r := by_id.get(task.id)) is not None and r.changed]
        if not pairs:
            played.not_played |= dict.fromkeys(traced, "no text was changed")
            return
        attacker_seed = next(other_seed for other_seed in ATTACKER if other_seed != seed)
        try:
            channel = learn(fold.train, self._maker, attacker_seed)
            if "invert" in traced:
                hidden = inverted(fold, self._maker, seed, attacker_seed, channel)
                total = Restoration(0, 0, 0)
                for task, rewriting in pairs:
                    attacked = invert(rewriting.text, task.known, channel)
                    total += restoration(task.questioned, rewriting.text, attacked)
                played.inversion = InversionRecord(
                    precision=total.precision, recall=total.recall, altered=total.altered
                )
                played.folds.append(hidden)
            if "preimage" in traced and not is_deterministic(self.component, tasks):
                played.not_played["preimage"] = (
                    "the obfuscator draws at random, so its preimages cannot be listed"
                )
            elif "preimage" in traced:
                played.preimage = preimages(self.component, pairs, channel)
        except InputError as error:
            played.not_played |= dict.fromkeys(traced, _on_one_line(error))

    @property
    def _maker(self) -> RewriteTexts:
        return lambda tasks, seed: self.made(self.component, tasks, seed)


def _on_one_line(error: InputError) -> str:
    return str(error).replace("\n  ", "; ")
