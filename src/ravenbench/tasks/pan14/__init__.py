"""``raven pan14``: verifiers on corpora with a train and a test part, as at PAN-2014.

In: nothing. Out: nothing: this file has no code; the modules in this folder do the work.
"""
