"""A run's folder: its records, how it is written whole or not at all, locked, found again and resumed."""
