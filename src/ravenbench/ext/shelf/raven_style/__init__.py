"""Raven's methods without content: what they read of a text, a verifier and an attribution method."""
