"""One case: did this person write this text? Likelihood ratios, their validation, and advice to a writer."""

from ravenbench.seams import ONE_TEXT, Command

COMPARE = Command(
    "ravenbench.cli.tasks:compare",
    "Did this person write this text? One case, with its evidence.",
    ONE_TEXT,
    0,
)
VALIDATE = Command(
    "ravenbench.cli.tasks:validate",
    "A validation dossier: does compare hold what it says here?",
    ONE_TEXT,
    1,
)
ADVISE = Command(
    "ravenbench.cli.tasks:advise",
    "What gives your text away, and what changing it would gain.",
    ONE_TEXT,
    2,
)
