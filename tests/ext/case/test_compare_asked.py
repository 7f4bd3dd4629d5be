"""What is said where ``raven compare`` is asked in a way that it is not, or no longer is."""

import pytest

import ravenbench
from contracts.commands import raven
from ravenbench.errors import SpecError


def test_what_was_taken_out_says_so():
    with pytest.raises(SpecError, match="compare --machine was taken out"):
        ravenbench.compare("a.txt", machine="model=folder")
    ended = raven("compare", "--machine", "x")
    assert ended.code == 2 and "compare --machine was taken out" in ended.said


def test_bare_files_are_told_what_compare_takes():
    ended = raven("compare", "old.txt", "new.txt")
    assert ended.code == 2 and "found: old.txt new.txt" in ended.said and "--questioned FILE --known" in ended.said
