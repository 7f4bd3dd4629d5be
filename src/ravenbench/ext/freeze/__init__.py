"""Problems, folds and splits as manifests without texts, to share and cite, and rebuilt from any copy of the texts."""

from ravenbench.seams import CORPORA, Command

FREEZE = Command(
    "ravenbench.ext.freeze.command:freeze",
    "Problems or a split as a manifest without texts, to share and cite.",
    CORPORA,
    3,
)
THAW = Command(
    "ravenbench.ext.freeze.command:thaw",
    "Rebuild frozen problems from a copy of the texts, or say what differs.",
    CORPORA,
    4,
)
