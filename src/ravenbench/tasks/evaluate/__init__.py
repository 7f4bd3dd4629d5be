"""``raven evaluate``: several systems' answers to the same problems."""
