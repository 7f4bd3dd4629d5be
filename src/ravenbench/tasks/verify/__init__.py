"""``raven verify``: one verifier trained on one set of problems, or loaded, answers another.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
