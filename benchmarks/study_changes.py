"""Problems of several authors made of newsgroup posts, answered: ``python -m benchmarks.study_changes PLACE``

PLACE/set has the form of PAN 2024: ``easy``, of different newsgroups, and ``hard``, of one; 400 problems to learn from
and 200 to answer each, by different people, of 8 segments of 40 words by two or three people who change at every other
place. docs/how-to/changes.md has the figures.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

from ravenbench import detect_changes, load_corpus
from ravenbench.randomness import stream
from ravenbench.text.tokens import count_words, cut

WORDS, SEGMENTS, LEAST = 40, 8, 150
COUNTS = {"train": 400, "validation": 200}


def main() -> None:
    """Make the problems and answer them."""
    place, corpus, rows = Path(sys.argv[1]), load_corpus("newsgroups"), defaultdict(list)
    for row, author in enumerate(corpus.author):
        if author is not None and count_words(corpus.texts[row]) >= LEAST:
            rows[author].append(row)
    names = sorted(rows)
    order = stream(0, "changes-people").permutation(len(names))
    for half, (split, count) in enumerate(COUNTS.items()):
        people = [names[i] for i in order[half::2]]
        for part in ("easy", "hard"):
            folder = place / "set" / part / split
            folder.mkdir(parents=True)
            for number in range(1, count + 1):
                rng = stream(0, "changes-problem", split, part, number)
                posts: list[int] = []
                while len(posts) < 2 + number % 2:
                    person = people[int(rng.integers(len(people)))]
                    post = int(rng.choice(rows[person]))
                    alike = [corpus.topic[post] == corpus.topic[other] for other in posts]
                    new = person not in [corpus.author[other] for other in posts]
                    posts += [post] if new and all(one == (part == "hard") for one in alike) else []
                changes = (rng.random(SEGMENTS - 1) < 0.5).astype(int).tolist()
                who = [0]
                for change in changes:
                    who.append((who[-1] + change * int(rng.integers(1, len(posts)))) % len(posts))
                starts = [WORDS * who[:at].count(one) % (LEAST - WORDS) for at, one in enumerate(who)]
                texts = [cut(corpus.texts[posts[one]], WORDS, start) for one, start in zip(who, starts, strict=True)]
                changes = [int(a != b) for a, b in pairwise(who)]
                (folder / f"problem-{number}.txt").write_text("\n".join(" ".join(text.split()) for text in texts))
                (folder / f"truth-problem-{number}.json").write_text(json.dumps({"changes": changes}))
    print(detect_changes(place / "set", place / "set", out=place / "answers"))


if __name__ == "__main__":
    main()
