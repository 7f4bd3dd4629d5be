"""Obfuscators, the resources they use, and measures of what their rewritings keep and cost."""
