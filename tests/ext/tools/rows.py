"""Rows of this extension in the bench's tables (``tests/extensions.py``)."""

ESCAPES_NOTHING = {"new", "doctor"}
OUTPUTS_NOTHING = {"new", "doctor"}
