"""Two groups of texts against each other: the words that each prefers, as R's stylo and keyness have them."""

from ravenbench.seams import LOOK, Command

CONTRAST = Command(
    "ravenbench.cli.tasks:contrast",
    "Which words one group of texts prefers to another; what is topic.",
    LOOK,
    1,
)
