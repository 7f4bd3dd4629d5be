"""Rows of this extension in the bench's tables (``tests/extensions.py``)."""

NAMES = {"PairClassifier", "croissant", "hugging_face", "tira"}
