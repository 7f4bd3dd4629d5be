"""Declares ``raven contrast``: two groups of texts against each other, the words that each prefers, as stylo has them.

In: nothing.
Out: ``CONTRAST``: a ``Command`` record with the place of the function, a line of help, and where it is listed.
"""

from ravenbench.seams import LOOK, Command

CONTRAST = Command(
    "ravenbench.cli.tasks:contrast",
    "Which words one group of texts prefers to another; what is topic.",
    LOOK,
    1,
)
