"""Declares ``raven retrieve``, which searches many texts for a query's author and measures how much of this is topic.

In: nothing.
Out: ``RETRIEVE``: a ``Command`` record with the place of the function, a line of help, and its section in the list.
"""

from ravenbench.seams import LOOK, Command

RETRIEVE = Command(
    "ravenbench.cli.tasks:retrieve",
    "Search many texts for each query's author, and measure the part of topic.",
    LOOK,
    2,
)
