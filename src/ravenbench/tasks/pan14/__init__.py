"""``raven pan14``: verifiers on corpora with a train and a test part, as at PAN-2014.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
