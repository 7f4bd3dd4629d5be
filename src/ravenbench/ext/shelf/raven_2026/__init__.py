"""Holds the modules of ``raven-2026``: families of features, similarities normalised by impostors. No code is here."""
