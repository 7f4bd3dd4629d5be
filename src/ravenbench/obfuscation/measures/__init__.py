"""Measures of what a rewriting kept and what it cost: soundness, sensibleness, efficiency."""
