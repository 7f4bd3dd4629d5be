"""Passages of several authors are found whatever title, name, date or number stands in them and wherever lines end."""

from __future__ import annotations

import random
import textwrap

import pytest

from ravenbench.text.passages import SharedPassages, cleaner, shared_by_authors

BOOKS = [
    ("Emma", "Jane Austen", "January 21, 2010", 158, "An Anonymous Volunteer"),
    (
        "The Life and Adventures of Nicholas Nickleby",
        "Charles Dickens",
        "April 27, 2006",
        967,
        "Donald Lainson",
    ),
    (
        "Villette",
        "Charlotte Brontë",
        "October 26, 2009",
        9182,
        "Delphine Lettau, and Charles Franks",
    ),
    (
        "Middlemarch",
        "George Eliot",
        "May 24, 2008",
        145,
        "an anonymous Project Gutenberg volunteer",
    ),
]
HEADER = """The Project Gutenberg EBook of {0}, by {1}

This eBook is for the use of anyone anywhere at no cost and with
almost no restrictions whatsoever.  You may copy it, give it away or
re-use it under the terms of the Project Gutenberg License included
with this eBook or online at www.gutenberg.org


Title: {0}

Author: {1}

Release Date: {2} [EBook #{3}]

Language: English

Character set encoding: UTF-8

"""
START, END = (
    "*** START OF THIS PROJECT GUTENBERG EBOOK {0} ***\n\n",
    "\n\n*** END OF THIS PROJECT GUTENBERG EBOOK {0} ***\n",
)
CREDITS = "Produced by {4}\n\n"
LICENCE = """
***** This file should be named {3}-0.txt or {3}-0.zip *****
This and all associated files of various formats will be found in:
        http://www.gutenberg.org/{3}/

Updated editions will replace the previous one--the old editions
will be renamed.

Creating the works from public domain print editions means that no
one owns a United States copyright in these works, so the Foundation
(and you!) can copy and distribute it in the United States without
permission and without paying copyright royalties.
"""
NOTICES = {
    "a title": "This digital edition of {0} was made by volunteers for the library of the town, and may be copied and "
    "given away by anyone who asks for it.",
    "a title, a name and a date": "The text of {0} was typed in by {4} for the readers of a small society on {2}, who "
    "have agreed that nobody is to be asked for money when it is handed on.",
    "a title at the end": "Whoever finds a mistake in these pages is asked to write to the keepers of the collection, "
    "and to say that it stands in {0}",
}
WORDS = [
    f"{a}{b}{c}"
    for a in ("ba", "li", "ko", "mu")
    for b in ("ran", "tel", "so", "wi")
    for c in ("d", "ng", "st", "")
]


def body(seed: int, words: int = 400) -> str:
    draw = random.Random(seed)
    return textwrap.fill(" ".join(draw.choice(WORDS) for _ in range(words)), 70)


def wrapped(notice: str, book: tuple[object, ...]) -> str:
    return textwrap.fill(notice.format(*book), 60 + len(str(book[1])) % 7)


@pytest.mark.parametrize("place", ["before", "after", "before, in the paragraph"])
@pytest.mark.parametrize("kind", NOTICES)
def test_a_notice_with_words_that_vary_is_found_and_taken_out(kind, place):
    notices = [wrapped(NOTICES[kind], book) for book in BOOKS]
    bodies = [body(i) for i in range(len(BOOKS))]
    between = "\n\n" if place != "before, in the paragraph" else " "
    pairs = zip(notices, bodies, strict=True)
    texts = [b + between + n if place == "after" else n + between + b for n, b in pairs]
    authors = [book[1] for book in BOOKS]
    assert SharedPassages.among(texts, authors).lines == frozenset() or "\n" in notices[0]
    found = shared_by_authors(texts, authors)
    assert found is not None and found.rows == [0, 1, 2, 3]
    plain = cleaner(texts, authors)
    for text, own, book in zip(texts, bodies, BOOKS, strict=True):
        left = " ".join(plain(text).split())
        own = " ".join(own.split())
        assert own in left and len(left) - len(own) <= len(str(book[0])) + 1, left[:200]
    assert plain(body(99)) == body(99)


def test_what_project_gutenberg_puts_around_a_book_is_taken_out():
    whole = HEADER + CREDITS + START + "{5}" + END + LICENCE
    forms = {
        "as it is": whole,
        "credits after the start": HEADER + START + CREDITS + "{5}" + END + LICENCE,
        "no start": HEADER + CREDITS + "{5}" + END + LICENCE,
        "no end": HEADER + START + "{5}",
        "older": HEADER.replace("The Project Gutenberg EBook of {0}", "Project Gutenberg's {0}")
        + START
        + "{5}"
        + "\n\nEnd of Project Gutenberg's {0}, by {1}\n"
        + LICENCE,
        "in capitals": whole.replace("THIS PROJECT", "THE PROJECT").replace(
            "EBOOK {0}", "EBOOK " + "{0}".upper()
        ),
    }
    for name, form in forms.items():
        texts = [form.format(*book, body(i)) for i, book in enumerate(BOOKS)]
        plain = cleaner(texts, [book[1] for book in BOOKS])
        for i, text in enumerate(texts):
            assert plain(text).split() == body(i).split(), (name, plain(text)[:300])


def test_one_text_alone_loses_its_header():
    text = (HEADER + START + "{5}" + END + LICENCE).format(*BOOKS[0], body(1))
    assert cleaner([text], ["Austen"])(text).split() == body(1).split()


def test_idioms_and_quotations_of_two_are_nobodys_passage():
    said = "On the one hand it was of no use to him, and on the other hand nobody had asked"
    texts = [f"{body(i)} {said if i < 2 else said[:28]} {body(50 + i)}" for i in range(6)]
    assert shared_by_authors(texts, range(6)) is None
    plain = cleaner(texts, range(6))
    assert [plain(text) for text in texts] == texts


def test_texts_without_blanks_or_words_pass():
    texts = ["", "a", "我们今天去北京" * 3, "\n\n", "one two", "🙂 🙂 🙂 🙂"] * 3
    assert [cleaner(texts, range(18))(text) for text in texts] == texts
