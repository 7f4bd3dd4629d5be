"""Declares ``raven retrieve``: whose text among very many is by the author of a query, and how much of that is topic.

In: nothing.
Out: ``RETRIEVE``: a ``Command`` record with the place of the function, a line of help, and where it is listed.
"""

from ravenbench.seams import LOOK, Command

RETRIEVE = Command(
    "ravenbench.cli.tasks:retrieve",
    "Search many texts for the author of each query; how much is topic.",
    LOOK,
    2,
)
