"""Declares ``raven contrast``: the words that each of two groups of texts prefers, as in stylo.

In: nothing.
Out: ``CONTRAST``: a ``Command`` record with the place of the function, a line of help, and where it is listed.
"""

from ravenbench.seams import LOOK, Command

CONTRAST = Command(
    "ravenbench.cli.tasks:contrast",
    "Show which words each of two groups of texts prefers, and which are topic.",
    LOOK,
    1,
)
