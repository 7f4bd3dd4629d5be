"""Corpora that no choice of topics can make pairs of, found before anything long is computed."""

from __future__ import annotations

import numpy as np

from ravenbench.errors import CorpusError
from ravenbench.problems.drawing import no_same_author_pair, one_author
from ravenbench.problems.needs import Sizes
from ravenbench.types import Corpus


def check_pairs_possible(corpus: Corpus, sizes: Sizes, *, merging: bool) -> None:
    """Refuse a corpus whose topics cannot give a fold the pairs that it needs, whichever are chosen.

    It passes whatever might succeed; what depends on the choice is found when pairs are drawn.

    Parameters
    ----------
    corpus : Corpus
        With the topics that have documents enough, as ``keep_topics`` leaves it.
    merging : bool
        Whether a sampler joins topics to others, so that a fold may hold documents of topics that it does not name.

    Raises
    ------
    CorpusError
        If no two documents have one author, all have one, or more folds test on a single topic than there are topics
        in which someone wrote twice.
    """
    rows = np.flatnonzero(corpus.topic.codes >= 0)
    author, topic = corpus.author.codes[rows], corpus.topic.codes[rows]
    if np.bincount(author).max() < 2:
        raise no_same_author_pair(author)
    if (author == author[0]).all():
        raise one_author(author)
    single = min(sizes.folds, 2 * sizes.folds - sizes.topics)
    if merging or single <= 0:
        return
    both, count = np.unique(np.stack([topic, author]), axis=1, return_counts=True)
    able = len(np.unique(both[0][count >= 2]))
    if able < single:
        raise CorpusError(
            f"{single} of {sizes.folds} folds test on a single topic, and in {able} topics someone wrote two documents",
            found=f"{sizes.topics} topics in {sizes.folds} folds",
            expected=f"at most {sizes.topics // 2} folds, so that each tests on two topics",
            fix="give fewer --folds or more --topics, or name a coarser level with --topic",
        )
