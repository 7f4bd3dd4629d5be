"""Scorers whose reliance on style, topic or neither is known: what the tests of this bench are checked with."""
