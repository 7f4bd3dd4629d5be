"""Known truth: made worlds with scorers of which it is known what they go by, on which Raven's verdicts are tried."""

import sys
from pathlib import Path

from ravenbench.seams import SHARE, Command

SIMULATE = Command(
    "ravenbench.cli.tasks:simulate", "Test both verdicts on scorers of known behaviour.", SHARE, 6
)
NAMES = str(Path(__file__).parent / "names")


def register() -> None:
    """Register task, corpora and verifier as an installed package does, here and in workers; before Raven is asked
    for any name."""
    if NAMES not in sys.path:
        sys.path.append(NAMES)
