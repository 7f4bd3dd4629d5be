"""``raven validate``: a validation dossier for a kind of case."""
