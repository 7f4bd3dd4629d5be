"""``raven safety``: obfuscators against verifiers.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
