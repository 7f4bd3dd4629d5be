"""Rows of this extension in the bench's tables (``tests/extensions.py``)."""

ESCAPES_NOTHING = {"window"}
OUTPUTS_NOTHING = {"window"}
