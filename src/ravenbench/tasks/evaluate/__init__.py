"""``raven evaluate``: several systems' answers to the same problems.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
