"""Attribution methods as their papers define them: compression, n-grams, votes, word graphs. No code is here."""
