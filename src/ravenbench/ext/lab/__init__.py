"""Known truth: made worlds with scorers of which it is known what they go by, on which Raven's verdicts are tried."""

from ravenbench.seams import SHARE, Command

SIMULATE = Command("ravenbench.cli.tasks:simulate", "Test both verdicts on scorers of known behaviour.", SHARE, 6)
