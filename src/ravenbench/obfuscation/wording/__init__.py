"""Words, tokens, spelling and word lists that recipes share."""
