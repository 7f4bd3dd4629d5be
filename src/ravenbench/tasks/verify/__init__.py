"""``raven verify``: one verifier trained on one set of problems, or loaded, answers another.

In: nothing. Out: nothing: this file has no code; the modules in this folder do the work.
"""
