"""Cleaning newsgroup posts: each rule on a small example, and counts after each step on the real collection."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from ravenbench.errors import MissingPart, SpecError
from ravenbench.ext.corpora import newsgroups_cleaning as clean
from ravenbench.ext.corpora.newsgroups import (
    Newsgroups,
    drop_repeated_lines,
    organisation,
    overlapping,
    persons,
    sender,
)
from ravenbench.testing import check_component, check_corpus

PROSE = "I think the mouse should be opened and cleaned from time to time."


@pytest.mark.parametrize(
    ("header", "address", "name"),
    [
        ("kmr4@po.CWRU.edu (Keith M. Ryan)", "kmr4@po.cwru.edu", "keith ryan"),
        ('"Jae W. Chang" <jae+@CMU.EDU>', "jae+@cmu.edu", "chang jae"),
        ("rkfox@uxa.edu (fox darin k)", "rkfox@uxa.edu", "darin fox"),
        ("berryh@huey.udel.edu (John Berryhill, Ph.D.)", "berryh@huey.udel.edu", "berryhill john"),
        ("jbs@watson.ibm.com", "jbs@watson.ibm.com", None),
        ("(Phil Bowermaster)", "", "bowermaster phil"),
        ("()", "", None),
    ],
)
def test_senders_are_read(header: str, address: str, name: str | None) -> None:
    found = sender(header)
    assert (found.address, found.full_name) == (address, name)


def test_addresses_merge_into_persons() -> None:
    headers = [
        "a@x.edu (Ann Lee)",
        "lee@y.com (Lee Ann)",
        "b@u.z.org",
        "b@v.z.org",
        "c@u.z.org (Cy Roe)",
        "c@v.z.org (Di Poe)",
        "nobody",
    ]
    p = persons([sender(h) for h in headers])
    assert p[0] == p[1] and p[2] == p[3] and p[4] != p[5] and p[6] is None
    assert len(set(p)) == 5
    assert "ann" not in str(p[0])
    assert (
        organisation("x@a.b.edu") == "x@b.edu" and organisation("x@cs.york.ac.uk") == "x@york.ac.uk"
    )


def test_header_is_split_with_continuations() -> None:
    fields, body = clean.split_header("From: a@b\nSubject: one\n two\n\nText\n\nMore")
    assert fields == {"from": "a@b", "subject": "one two"} and body == "Text\n\nMore"


@pytest.mark.parametrize(
    "line", ["> quoted", "  >> deep", "|> marked", "AB> initials", ": colon", "-> arrow"]
)
def test_quotes_go(line: str) -> None:
    assert clean.drop_quotes([line, PROSE]) == [PROSE]


@pytest.mark.parametrize(
    "lines",
    [
        ["In article <1@x.edu>, a@b.com (Ann Lee) writes:"],
        ["In article <1@x.edu>, a@b.com", "(Ann Lee) writes:"],
        ["a@b.com (Ann Lee) wrote:"],
        ["Jeff responds;"],
        ["a@b.com (Ann Lee) had the unmitigated gall to say this:"],
        ["On Fri, 16 Apr 1993 15:50:02 EDT, a@b.com said:"],
        ["----- Begin Included Message -----"],
    ],
)
def test_attributions_go(lines: list[str]) -> None:
    assert clean.drop_attributions([*lines, PROSE]) == [PROSE]
    assert clean.drop_attributions([PROSE, "", *lines]) == [PROSE, ""]


def test_embedded_headers_and_pgp_go() -> None:
    assert clean.drop_headers(["Subject: x", "Phone: 555-1234", PROSE]) == [PROSE]
    signed = [
        "-----BEGIN PGP SIGNED MESSAGE-----",
        PROSE,
        "-----BEGIN PGP SIGNATURE-----",
        "iQCV",
        "-----END PGP SIGNATURE-----",
    ]
    assert clean.drop_pgp([*signed, "After."]) == [PROSE, "After."]


@pytest.mark.parametrize(
    "tail",
    [
        [
            "-- ",
            "Ann Lee",
            "Some wisdom in a whole sentence, as people like it in their signatures.",
        ],
        ["---------", "| Ann Lee, University of X |", "---------"],
        ["=====", "To be or not to be", "====="],
    ],
)
def test_signatures_go(tail: list[str]) -> None:
    assert clean.cut_signature([PROSE, *tail, ""]) == [PROSE]


def test_a_rule_before_prose_stays() -> None:
    lines = [PROSE, "-----", PROSE, PROSE, PROSE]
    assert clean.cut_signature(lines) == lines


@pytest.mark.parametrize(
    "tail",
    [
        "Ann",
        "-Ann",
        "...my cat types",
        "Dept of Physics",
        "Marty B.",
        "                    Good luck and wishes",
        "ann@b.com",
    ],
)
def test_trailing_lines_go(tail: str) -> None:
    assert clean.cut_trailing([PROSE, "", tail], {"ann"}) == [PROSE]
    assert clean.cut_trailing([PROSE, "Any ideas?"], {"ann"}) == [PROSE, "Any ideas?"]


def test_names_and_addresses_go() -> None:
    lines = [
        "This is Ann speaking.",
        f"{PROSE} So Ann says, at a@b.com or cs.pitt.edu, 919-515-6393.",
    ]
    kept = clean.drop_names(clean.mask_addresses(lines), {"ann"})
    assert kept == [f"{PROSE} So  says, at @ or @, @."]


def test_unwrap_joins_lines_and_clip_ends_with_a_word() -> None:
    assert (
        clean.unwrap(["  One  two", "three.  Four", "", "-----", "five    six @ -Ann"])
        == "One  two three.  Four\nfive six"
    )
    assert clean.unwrap(["That is all.  -Ann"]) == "That is all."
    assert (
        clean.clip("one two three", 9) == "one two"
        and clean.clip("abcdef", 3) == "abc"
        and clean.clip("ab", 3) == "ab"
    )


def test_nonword_share() -> None:
    assert clean.nonword_share('He said: "well-known, (don\'t) go!"') == 0
    assert clean.nonword_share("M1234 #$% abc def") == 0.5
    assert clean.nonword_share("") == 1


@pytest.mark.parametrize(
    "subject",
    ["Re: Mac  or IBM?", "RE: Re: mac or ibm", "Mac or IBM (was Re: Performa)", "Re^2: Mac or IBM"],
)
def test_threads_are_normalised_subjects(subject: str) -> None:
    assert clean.thread("g", subject) == "g: mac or ibm"
    assert clean.thread("g", "Re: ") is None


def test_reproduced_texts_are_noticed() -> None:
    assert clean.reproduces(["Archive-name: x/faq"]) and clean.reproduces(
        ["", "THE WHITE HOUSE", ""]
    )
    assert not clean.reproduces(["I went to the White House yesterday."])


def test_repeated_lines_go() -> None:
    own, short = "My very own motto no. 1", "short line"
    posts = [[own, short, "x" * 20], ["my very own  motto no. 2!", short], [own]]
    assert drop_repeated_lines(posts, ["a", "a", "b"]) == [[short, "x" * 20], [short], [own]]
    assert drop_repeated_lines([[own], [own]], ["a", "b"], shared=2) == [[], []]


def test_overlap_keeps_the_earlier_text() -> None:
    words = [f"w{i}" for i in range(200)]
    first, second = " ".join(words[:100]), " ".join(words[100:])
    quoting = " ".join(words[:20] + [f"v{i}" for i in range(80)])
    assert overlapping([first, second, quoting, first], 0.1).tolist() == [False, False, True, True]
    assert overlapping([quoting, first], 0.5).tolist() == [False, False]
    assert overlapping(["one", "one", "two"], 0.1).tolist() == [False, True, False]
    assert overlapping([], 0.1).tolist() == []


def test_missing_collection_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    with pytest.raises(MissingPart, match="raven corpus fetch newsgroups"):
        Newsgroups().load()


@pytest.mark.parametrize("wrong", [{"min_words": 0}, {"overlap": 0.0}, {"max_nonword": 2.0}])
def test_parameters_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(SpecError, match=next(iter(wrong))):
        Newsgroups(**wrong).load()  # type: ignore[arg-type]


def test_component() -> None:
    check_component("corpus", Newsgroups(min_words=80))


@pytest.mark.data
def test_counts_after_each_step(newsgroups_home: Path) -> None:
    corpus = Newsgroups().load()
    check_corpus(corpus)
    assert [step["documents"] for step in corpus.notes["steps"]] == PINNED
    authors = Counter(corpus.author)
    assert (len(authors), sum(n > 1 for n in authors.values()), max(authors.values())) == AUTHORS
    assert len(corpus.topic.names) == 20
    assert all(len(text) <= 2000 and "@" not in text for text in corpus.texts)
    threads = corpus.columns["thread"]
    assert sum(threads.counts() >= 10) == THREADS


PINNED = [18826, 18681, 17922, 11767, 11535, 11383, 11320, 11090]
AUTHORS = (5743, 1751, 20)
THREADS = 107
