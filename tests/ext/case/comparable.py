"""Small cases whose authors differ in word habits: enough to compare, no corpus needed."""

import re

from ravenbench.randomness import stream

COMMON = [
    "the",
    "of",
    "and",
    "to",
    "in",
    "that",
    "it",
    "was",
    "he",
    "with",
    "as",
    "his",
    "on",
    "be",
    "at",
    "by",
    "had",
]
COMMON += ["not", "but", "from", "or", "which", "they", "she", "her", "all", "one"]
SYLLABLES = ["ka", "re", "mi", "to", "su", "no", "la", "vi", "po", "de"]
CONTENT = ["".join(stream(0, "content", i).choice(SYLLABLES, 3)) for i in range(400)]


def text(author, number, words=220, common=COMMON, topic=None, model=None, degree=0.0):
    """A text with its author's rates of common words, on a topic of its own or on one with a number; by a ``model``
    that imitates the author to some degree, with rates between both's."""
    habit = stream(1, "habit", author).dirichlet([0.5] * len(common))
    if model is not None:
        habit = degree * habit + (1 - degree) * stream(1, "habit", model).dirichlet(
            [0.5] * len(common)
        )
    about = (author, number) if topic is None else (topic,)
    topic = stream(2, "topic", *about).choice(len(CONTENT), 40, replace=False)
    rng = stream(3, "text", author, number)
    found = []
    for place in range(words):
        word = (
            common[rng.choice(len(common), p=habit)]
            if rng.random() < 0.55
            else CONTENT[rng.choice(topic)]
        )
        found.append(word.capitalize() + "," if place % (6 + author % 7) == 0 else word)
    return " ".join(found) + "."


def write(place, body):
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(body if isinstance(body, bytes) else body.encode())
    return place


def background(folder, authors=range(12), texts=4, words=220):
    """A folder of authors."""
    for author in authors:
        for number in range(texts):
            write(folder / f"author{author:02d}" / f"{number}.txt", text(author, number, words))
    return folder


def case(folder, writer=90, candidate=90, known=2, words=220):
    """A questioned text and a folder of known ones."""
    for number in range(known):
        write(folder / "known" / f"{number}.txt", text(candidate, number, words))
    return write(folder / "questioned.txt", text(writer, 50, words)), folder / "known"


SIGNS = {word: chr(0x4E00 + 7 * i) for i, word in enumerate(COMMON + CONTENT)} | {
    ",": "，",
    ".": "。",
}


def chinese(english):
    """A text of this file with a Chinese character for each word."""
    return "".join(SIGNS[part] for part in re.findall(r"\w+|[,.]", english.lower()))


FAST = {"verifiers": "char-ngram,function-words", "folds": 3, "donors": 2, "workers": 1}
