"""Holds Raven's methods without content: a mask of content words, a verifier and an attribution method. No code is
here.
"""
