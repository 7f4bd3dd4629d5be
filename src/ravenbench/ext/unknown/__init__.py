"""Holds a form of ``raven attribute``: who of several candidates wrote a text, or none of them? No code is here."""
