"""``raven safety``: obfuscators against verifiers.

In: nothing. Out: nothing: this file has no code; the other modules of the package do the work.
"""
