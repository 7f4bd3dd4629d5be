"""Texts rewritten by an obfuscator, each a result that is kept."""
