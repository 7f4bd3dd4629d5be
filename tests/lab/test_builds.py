"""20 Newsgroups, as ``raven run`` judges: who goes by topic without reading a word is not cleared, who is honest is
not flagged."""

import pytest
from benchmarks.hidden_builds import Addresses, AgainstTopic, Digits, Names, Shape, WhatStays
from benchmarks.honest_builds import FrameTrigrams, LinksDelta, MarkRates, Pronouns, SentenceLengths

from ravenbench.tasks.api import run
from ravenbench.tasks.run.report import RunReport

HIDDEN = (Shape, Digits, Addresses, Names, WhatStays, AgainstTopic)
HONEST = (MarkRates, Pronouns, SentenceLengths, LinksDelta, FrameTrigrams)
EFFECTS = {"relies", "loses", "notices", "both ways", "displaced", "follows topic"}
OPTIONS = {"samplers": "random", "probe": "transplant", "pools": 1, "folds": 2, "seed": 31}


def named(*builds):
    return ", ".join(f"{build.__module__}:{build.__name__}" for build in builds)


@pytest.mark.slow
def test_who_goes_by_topic_without_a_word_is_not_cleared(newsgroups_home, tmp_path):
    store = run(
        "newsgroups", verifiers=named(*HIDDEN, *HONEST), out=tmp_path / "run", **OPTIONS
    ).store
    rows = {row["verifier"].partition(":")[2]: row for row in RunReport(store).to_json()["content"]}
    outcomes = {name: row["outcome"] for name, row in rows.items()}
    for build in HIDDEN:
        assert outcomes[build.__name__] not in ("less", "floor"), outcomes
    assert not EFFECTS & {outcomes[build.__name__] for build in HONEST}, outcomes
    assert sum(outcomes[build.__name__] == "less" for build in HONEST) >= 4, outcomes
