"""Holds the modules of ``raven advise``: what gives a text away, and what changing it would gain. No code is here."""
