"""``raven evaluate``: several systems' answers to the same problems.

In: nothing. Out: nothing: this file has no code; the modules in this folder do the work.
"""
