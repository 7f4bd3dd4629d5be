"""``raven pan14``: verifiers on corpora with a train and a test part, as at PAN-2014."""
