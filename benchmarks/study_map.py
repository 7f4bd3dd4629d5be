"""Does the share of topic that ``raven map`` gives follow what is known of a corpus?

Prints a table of docs/how-to/stylo.md.

    python -m benchmarks.study_map

Synthetic corpora of 240 texts of about 1,000 words by 30 authors on 8 topics, two seeds of each pair of dials.
"""

from __future__ import annotations

from ravenbench import map_texts
from ravenbench.ext.map.analysis import ALL, MASKED
from ravenbench.reports.view import figure

DIALS = ((0, 1), (0.3, 1), (0.6, 1), (1, 1), (1, 0.3), (1, 0))
SIZE = "documents=240, authors=30, topics=8, words=1000"
OPTIONS = {"mfw_min": 300, "mfw_max": 300, "analysis_type": "CA"}


def row(style: float, topic: float, seed: int) -> str:
    """One line: share of topic and nearness of authors, of all words and masked."""
    scores = map_texts(
        f"synthetic(style={style}, topic={topic}, seed={seed}, {SIZE})", **OPTIONS
    ).analysis.scores
    cells = [f"{style:g}", f"{topic:g}", str(seed)]
    for title in (ALL, MASKED):
        for which in (("topic's share", "both"), ("nearness", "author")):
            score = next(s for s in scores[title] if (s.measure, s.by) == which)
            cells.append(
                figure(score.value)
                + (" [{}, {}]".format(*map(figure, score.interval)) if score.interval else "")
            )
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    print(
        "| style | topic | seed | share of topic | nearness of authors | share, masked | nearness, masked |"
    )
    print("|" + " --- |" * 7)
    for style, topic in DIALS:
        for seed in (0, 1):
            print(row(style, topic, seed), flush=True)
