"""``raven run``, the main job: topics, folds and pairs, every verifier on every fold.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
