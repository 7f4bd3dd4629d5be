"""Words, tokens, spelling and word lists that obfuscators share.

In: nothing. Out: nothing: this file has no code; the other modules of the package do the work.
"""
