"""``raven verify``: train or load one verifier, which answers a set of problems.

In: nothing. Out: nothing: this file has no code; the modules in this folder do the work.
"""
