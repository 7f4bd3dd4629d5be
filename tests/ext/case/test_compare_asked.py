"""What is said where ``raven compare`` is asked in a way that it is not."""

from contracts.commands import raven


def test_bare_files_are_told_what_compare_takes():
    ended = raven("compare", "old.txt", "new.txt")
    assert (
        ended.code == 2
        and "found: old.txt new.txt" in ended.said
        and "--questioned FILE --known" in ended.said
    )
