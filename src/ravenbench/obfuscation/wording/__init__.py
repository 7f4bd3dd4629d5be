"""Words, tokens, spelling and word lists that obfuscators share.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
