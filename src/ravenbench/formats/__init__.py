"""Formats of the field: PAN13–15, PAN18/19, PAN20–23, corpus tables; zip or folder."""
