"""A verifier from outside Raven."""
