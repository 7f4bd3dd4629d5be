"""Pictures of many texts, as R's stylo draws them, with and without content words."""

from ravenbench.seams import LOOK, Command

MAP = Command(
    "ravenbench.cli.tasks:map_texts",
    "Draw many texts: trees, maps, neighbours; how much of it is topic.",
    LOOK,
    0,
)
