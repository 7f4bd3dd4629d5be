"""20 Newsgroups, as ``raven run`` judges: who goes by topic without reading a word is not cleared, who is honest is
not flagged."""

import pytest
from benchmarks.hidden_builds import Addresses, Digits, Names, Shape, WhatStays
from benchmarks.honest_builds import Forest, FrameCharacters, FrameCompression, MarkRates, Presence

from ravenbench.tasks.api import run
from ravenbench.tasks.run.report import RunReport

HIDDEN = (Shape, Digits, Addresses, Names, WhatStays)
HONEST = (MarkRates, Presence, FrameCompression, Forest, FrameCharacters)
EFFECTS = {"relies", "loses", "notices", "both ways", "displaced", "follows topic"}
OPTIONS = {"samplers": "random", "probe": "transplant", "pools": 1, "folds": 2, "seed": 31}


def named(*builds):
    return [f"{build.__module__}:{build.__name__}" for build in builds]


@pytest.mark.slow
def test_who_goes_by_topic_without_a_word_is_not_cleared(newsgroups_home, tmp_path):
    """By fitted words alone shape and digits would be; of five honest ones none is flagged, and four are cleared."""
    store = run(
        "newsgroups",
        verifiers=", ".join(named(*HIDDEN, *HONEST)),
        out=tmp_path / "run",
        **OPTIONS,
    ).store
    rows = {row["verifier"]: row for row in RunReport(store).to_json()["content"]}
    outcomes = {name: row["outcome"] for name, row in rows.items()}
    for name in named(*HIDDEN):
        assert outcomes[name] not in ("less", "floor"), outcomes
    fitted = {
        name: next(
            one["outcome"] for one in row["by_replacement"] if one["replacement"] == "fitted"
        )
        for name, row in rows.items()
    }
    assert [fitted[name] for name in named(Shape, Digits)] == ["less", "floor"]
    assert not EFFECTS & {outcomes[name] for name in named(*HONEST)}, outcomes
    cleared = [name for name in named(*HONEST) if outcomes[name] in ("less", "floor")]
    assert len(cleared) >= 4, outcomes
