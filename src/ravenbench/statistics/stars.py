"""Significance stars as in the PAN-2014 overview."""

from __future__ import annotations


def stars(p: float | None) -> str:
    """``***`` below .001, ``**`` below .01, ``*`` below .05, ``=`` otherwise, ``n/a`` where undefined."""
    if p is None:
        return "n/a"
    return "***" if p < 0.001 else "**" if p < 0.01 else "*" if p < 0.05 else "="
