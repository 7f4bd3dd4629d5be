"""``raven run``, the main job: topics, folds and pairs, every verifier on every fold.

In: nothing. Out: nothing: this file has no code; the modules in this folder do the work.
"""
