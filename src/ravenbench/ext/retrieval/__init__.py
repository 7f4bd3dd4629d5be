"""Retrieval: whose text among very many candidates is by the author of a query, and how much of that is topic."""

from ravenbench.seams import LOOK, Command

RETRIEVE = Command(
    "ravenbench.cli.tasks:retrieve",
    "Search many texts for the author of each query; how much is topic.",
    LOOK,
    2,
)
