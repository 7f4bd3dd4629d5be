"""Readers and writers of the field's file formats: PAN13–15, PAN18/19 and PAN20–23, as files, folders or zips."""
