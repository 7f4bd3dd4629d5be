"""``raven verify``: one verifier trained on one set of problems, or loaded, answers another."""
