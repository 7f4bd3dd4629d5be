"""Raven's own methods: the features of ``raven-2026`` and ``raven-style``, the mask of content, alternations. No code
is here."""
