"""A static site from any number of runs and evaluations: leaderboards, systems, corpora, folds."""
