"""Translators for round trips: two for tests, three for real use behind an extra or an address."""
