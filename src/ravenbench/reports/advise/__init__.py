"""``raven advise``: what gives a text away, and what changing it would gain."""
