"""Who wrote which part of a text: PAN's problems of several authors, answered and judged."""

from ravenbench.seams import LOOK, Command

CHANGES = Command(
    "ravenbench.cli.tasks:detect_changes", "Where does the author change? PAN's problems of several authors.", LOOK, 1
)
