"""A static site of runs and evaluations, and pages that show what a rewriting changed."""

from ravenbench.seams import ONE_TEXT, SHARE, Command

SITE = Command(
    "ravenbench.ext.site.command:site",
    "A static site of runs: leaderboards, systems, corpora, folds.",
    SHARE,
    1,
)
DIFF = Command(
    "ravenbench.ext.site.command:diff",
    "A page that shows what a rewriting changed, for reading and grading.",
    ONE_TEXT,
    4,
)
