"""Holds the modules of ``raven compare``: one questioned text, a few known ones, and a background to judge them by."""
