"""Attribution methods as their papers define them: compression, common n-grams, votes, word graphs, ensembles."""
