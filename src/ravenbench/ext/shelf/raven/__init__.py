"""Holds Raven's own methods: what ``raven-2026`` and ``raven-style`` measure, the mask of content, alternations. No code
is here."""
