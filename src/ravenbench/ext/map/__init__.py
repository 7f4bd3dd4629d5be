"""Declares ``raven map``: pictures of many texts, as in R's stylo, with and without content words.

In: nothing.
Out: ``MAP``: a ``Command`` record with the place of the function, a line of help, and where it is listed.
"""

from ravenbench.seams import LOOK, Command

MAP = Command(
    "ravenbench.cli.tasks:map_texts",
    "Draw many texts as trees, maps and neighbours; measure how much is topic.",
    LOOK,
    0,
)
